# SPDX-License-Identifier: Apache-2.0
"""Programs with several stacks per thread, which change between them in their own ways."""

import json
import re
import subprocess

import pytest
import support
from support import BIN, COMPMOND, Folder, Profiler, Target, check_accounting, operation

FUNCTIONS = ["leaf", "step", "fiber_work", "schedule"]
# Of each function: calls, and those that returned. The others were given up with their fiber.
TRUTH = {"leaf": (156, 156), "step": (84, 72), "fiber_work": (24, 12), "schedule": (96, 96)}


def unobserved(program):
    with Target(program) as alone:
        return alone.finish()


def check_truth(snapshot):
    for name, (calls, returned) in TRUTH.items():
        got = operation(snapshot, name)
        closed = got["closed"]
        assert (got["calls"], closed["returned"]) == (calls, returned), (name, got)
        assert got["open"] == 0
        assert sum(closed[how] for how in ("returned", "abandoned", "thread_exit", "exec", "lossy")) == calls, (name, closed)
    assert snapshot["health"]["orphan_exits"] == 0
    check_accounting(snapshot)


@pytest.mark.parametrize("program,reason", [
    ("fibers", "ret-sites: fibers switches stacks (change)"),
    ("fibers_stripped", "ret-sites: fibers_stripped switches stacks (change)"),
    ("fibers_in_library", "ret-sites: libfiber_change.so switches stacks (change)"),
    ("fibers_by_context", "ret-sites: fibers_by_context switches stacks"),
])
def test_fibers_are_found_in_code_and_come_out_whole(program, reason):
    """By default settings; return probes end the first three."""
    expected = unobserved(BIN / program)
    assert expected == ("turns 72\n", 0)
    out, status, snapshot = support.observe(support.spec(FUNCTIONS), BIN / program)
    assert (out, status) == expected
    for name in FUNCTIONS:
        got = operation(snapshot, name)
        assert (got["exit_mode"], got["reason"]) == ("ret-sites", reason), got
    # Each change of stacks is seen: one into a fiber and one out of it per call of schedule.
    assert snapshot["health"]["transfers"] == 2 * TRUTH["schedule"][0]
    check_truth(snapshot)


def recorded(program, *arguments):
    """Snapshots of a run, and of its log's replay."""
    with Folder() as folder:
        with Target(BIN / program, *arguments) as target:
            with Profiler(support.spec(FUNCTIONS), "--pid", target.pid, options=["--record", folder / "log"]) as profiler:
                target.finish()
                live = profiler.finish()
        snapshot = folder / "replayed.json"
        done = subprocess.run([COMPMOND, "replay", folder / "log", "--headless", "--snapshot", snapshot],
                              check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return live, json.loads(snapshot.read_text())


@pytest.mark.parametrize("program", ["fibers", "fibers_in_library", "fibers_by_context"])
def test_a_replay_of_fibers_is_as_the_run_was(program):
    live, replayed = recorded(program)
    check_truth(live)
    for name in FUNCTIONS:
        one, other = operation(live, name), operation(replayed, name)
        for key in ("calls", "closed", "raw_ns", "real_ns"):
            assert one[key] == other[key], (name, key)


@pytest.mark.parametrize("program", ["fibers_in_library", "fibers_by_context"])
def test_what_a_fiber_returns_from_on_another_thread_is_said(program):
    for snapshot in recorded(program, "elsewhere"):
        assert snapshot["health"]["orphan_exits"] == 2, snapshot["health"]
        assert operation(snapshot, "step")["closed"]["returned"] == 4
        assert [told_of_returns(note) for note in notes_on_returns(snapshot)] == [(2, {"step": 1, "fiber_work": 1})]


def notes_on_returns(snapshot):
    return [note for note in snapshot["health"]["notes"] if "belong to no call of their thread" in note]


def told_of_returns(note):
    """How many belong to no call, and of which operations."""
    return int(note.split()[0].replace(",", "")), {name: int(count.replace(",", "")) for count, name in re.findall(r"([0-9][0-9,]*) of (\w+)", note)}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_of_fibers_that_move_between_threads_as_chance_makes_it_every_return_is_a_calls_or_told(seed):
    out, status, snapshot = support.observe(support.spec(["climb", "leaf", "take"]), BIN / "fibers_moving", seed)
    assert status == 0
    truth = {name: (int(returned), int(elsewhere)) for name, returned, elsewhere in (line.split() for line in out.splitlines())}
    assert truth["climb"][1] > 0 and truth["take"][1] == 0, truth
    [note] = notes_on_returns(snapshot)
    total, told = told_of_returns(note)
    assert total == snapshot["health"]["orphan_exits"] == sum(told.values())
    for name, (returned, elsewhere) in truth.items():
        got = operation(snapshot, name)
        assert got["calls"] == returned
        assert got["closed"]["returned"] + told.get(name, 0) == returned, (name, got, note)
        assert told.get(name, 0) <= elsewhere
        assert got["uncertain"] or name not in told, (name, got)
    check_accounting(snapshot)
