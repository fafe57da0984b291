# SPDX-License-Identifier: Apache-2.0
"""Programs that nobody observes and that map a probed file, as others that start while it is observed do: they come to no harm."""

import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess

import pytest
import support
from support import BIN, Profiler, Target, check_accounting, operation
from test_record import replay

CALLING, FORKING, THROWING, LIBRARY = BIN / "calling", BIN / "forking_back", BIN / "throwing_back", BIN / "libcalling_library.so"
COUNTED = support.TARGETS / "counted"
KINDS = ["session", "multi", "per-symbol"]


def spec(exit_mode=None):
    return support.spec(["call_back"], image=LIBRARY, exit_mode=exit_mode)


def code_of(pid):
    """call_back as the process has it in memory, and as the file has it."""
    symbol = next(line.split() for line in subprocess.run(["nm", "-D", "-S", LIBRARY], capture_output=True, text=True, check=True).stdout.splitlines()
                  if line.endswith(" call_back"))
    at, size = int(symbol[0], 16), int(symbol[1], 16)
    with open(f"/proc/{pid}/maps") as maps:
        base = next(int(line.split("-")[0], 16) for line in maps if line.rstrip().endswith(str(LIBRARY)))
    with open(f"/proc/{pid}/mem", "rb") as memory, open(LIBRARY, "rb") as file:
        memory.seek(base + at)
        file.seek(at)  # of a small library, code lies in the file as in memory
        return memory.read(size), file.read(size)


@pytest.mark.parametrize("mode", [None, "return-probe", "ret-sites", "entry-only"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_stranger_that_starts_later_and_throws_through_a_probed_library_lives(kind, mode):
    with Target(CALLING, "100") as target, Profiler(spec(mode), "--pid", target.pid, options=["--engine", "uprobe", "--attach", kind]) as profiler:
        with Target(THROWING, "50") as stranger:
            assert stranger.finish() == ("caught 25\n", 0)
        assert target.finish() == ("10000\n", 0)
        snapshot = profiler.finish()
    assert operation(snapshot, "call_back")["calls"] == 100
    check_accounting(snapshot)


@pytest.mark.parametrize("kind, mode", [("multi", "ret-sites"), ("per-symbol", "ret-sites"), ("session", "return-probe")])
def test_without_sessions_exits_of_a_library_are_observed_at_its_returns(kind, mode):
    """Return probes would reach every program that maps it, and what C++ does there nobody knows."""
    with Target(CALLING, "10") as target, Profiler(spec(), "--pid", target.pid, options=["--attach", kind]) as profiler:
        target.finish()
        snapshot = profiler.finish()
    found = operation(snapshot, "call_back")
    assert (found["exit_mode"], found["calls"]) == (mode, 10)
    assert ("return probes reach all programs" in found["reason"]) == (kind != "session")


@pytest.mark.parametrize("kind", ["multi", "per-symbol"])
def test_return_probes_that_would_reach_strangers_are_kept_to_the_targets(kind):
    """No breakpoint is in the stranger; a target that comes later has its own."""
    with Target(CALLING, "100") as target, \
            Profiler(spec("return-probe"), "--pid", target.pid, options=["--engine", "uprobe", "--attach", kind]) as profiler:
        in_target, in_file = code_of(target.pid)
        assert in_target != in_file
        with Target(THROWING, "50") as stranger:
            in_stranger, in_file = code_of(stranger.pid)
            assert in_stranger == in_file
        target.finish()
        snapshot = profiler.finish()
    assert operation(snapshot, "call_back")["calls"] == 100


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mode", ["return-probe", "ret-sites"])
def test_a_library_that_strangers_map_from_the_start_has_breakpoints_in_targets_alone(kind, mode):
    with Target(CALLING, "100") as target, Target(THROWING, "50") as stranger, \
            Profiler(spec(mode), "--pid", target.pid, options=["--engine", "uprobe", "--attach", kind]) as profiler:
        in_target, in_file = code_of(target.pid)
        in_stranger, _ = code_of(stranger.pid)
        assert in_target != in_file and in_stranger == in_file
        assert stranger.finish() == ("caught 25\n", 0)
        target.finish()
        snapshot = profiler.finish()
    assert operation(snapshot, "call_back")["calls"] == 100


def is_probed(pid):
    in_memory, in_file = code_of(pid)
    return in_memory != in_file


@pytest.mark.parametrize("kind, mode", [("session", "return-probe"), ("multi", "return-probe"), ("per-symbol", "return-probe"), ("per-symbol", "ret-sites")])
def test_a_library_is_observed_in_each_process_of_a_program_that_comes_later(kind, mode):
    """Return probes that reach all processes are kept to those, newcomers among them."""
    of_all = kind == "session" or mode == "ret-sites"
    with contextlib.ExitStack() as stack:
        targets = [stack.enter_context(Target(CALLING, "100"))]
        profiler = stack.enter_context(Profiler(spec(mode), "--exe", CALLING, options=["--engine", "uprobe", "--attach", kind]))
        for number in range(1, 4):
            targets.append(stack.enter_context(Target(CALLING, "100")))
            support.wait_for(lambda: is_probed(targets[-1].pid), "probes in a newcomer")
            if not of_all:  # exits come before entries
                came = f"process {targets[1].pid}" + ("", " and 1 other", " and 2 others")[number - 1] + " came while observing"
                support.wait_for(lambda: any(note.startswith(came) for note in profiler.snapshot_now()["health"]["notes"]), "all of them")
        with Target(THROWING, "50") as stranger:
            assert is_probed(stranger.pid) == of_all
            assert stranger.finish() == ("caught 25\n", 0)
        for target in targets:
            assert target.finish() == ("10000\n", 0)
        snapshot = profiler.finish(end=True)
    assert operation(snapshot, "call_back")["calls"] == 400
    check_accounting(snapshot)


@pytest.mark.parametrize("strangers", ["strangers", "no strangers"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_library_is_observed_in_a_forked_child(kind, strangers):
    with contextlib.ExitStack() as stack:
        if strangers == "strangers":
            spared = stack.enter_context(Target(THROWING, "50"))
        target = stack.enter_context(Target(FORKING, "100"))
        profiler = stack.enter_context(Profiler(spec("return-probe"), "--pid", target.pid, options=["--engine", "uprobe", "--attach", kind]))
        target.release()
        child = support.wait_for(lambda: stopped_child(target.pid), "the child to stop")
        if kind != "session" or strangers == "strangers":  # the parent's breakpoints, which it has from the start, say nothing
            came = f"process {child} came while observing"
            support.wait_for(lambda: any(note.startswith(came) for note in profiler.snapshot_now()["health"]["notes"]), "probes in the child")
        if strangers == "strangers":
            assert not is_probed(spared.pid)
        os.kill(child, signal.SIGCONT)
        assert target.finish() == ("0\n", 0)
        snapshot = profiler.finish()
    assert operation(snapshot, "call_back")["calls"] == 100
    check_accounting(snapshot)


def stopped_child(pid):
    """The one child of a process, once it stopped itself."""
    children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    stopped = children and pathlib.Path(f"/proc/{children[0]}/stat").read_text().rpartition(")")[2].split()[0] == "T"
    return int(children[0]) if stopped else None

def test_a_stop_that_is_asked_for_again_leaves_nothing_behind():
    """Where each place has a link of its own, taking the probes away may take long."""
    with contextlib.ExitStack() as stack:
        targets = [stack.enter_context(Target(CALLING, "100")) for _ in range(10)]
        spared = stack.enter_context(Target(CALLING, "50"))  # so that probes hang process by process
        pids = [word for target in targets for word in ("--pid", target.pid)]
        profiler = stack.enter_context(Profiler(spec("ret-sites"), *pids, options=["--engine", "uprobe", "--attach", "per-symbol"]))
        assert all(is_probed(target.pid) for target in targets)
        profiler.process.send_signal(signal.SIGINT)
        support.wait_for(lambda: not is_pending(profiler.process.pid, signal.SIGINT), "the stop to be seen")
        profiler.process.send_signal(signal.SIGINT)
        # Once all is away and the snapshot written, a signal ends what is only printed yet.
        assert profiler.process.wait(timeout=support.DEADLINE) in (0, -signal.SIGINT)
        check_accounting(json.loads(profiler.snapshot_path.read_text()))
        for target in targets:
            assert not is_probed(target.pid)
            assert target.finish() == ("10000\n", 0)
        spared.finish()


def is_pending(pid, number):
    try:
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False
    return any(int(bits, 16) >> (number - 1) & 1 for bits in re.findall(r"^(?:SigPnd|ShdPnd):\s*(\w+)", status, re.M))


@pytest.mark.parametrize("kind", KINDS)
def test_probes_in_one_process_see_all_its_threads(kind):
    """The first kernels with `multi` saw one: it is not used there."""
    with Target(COUNTED, "100", "4") as target, Target(COUNTED, "70", "4") as stranger, \
            Profiler(support.spec(["work"]), "--pid", target.pid, options=["--engine", "uprobe", "--attach", kind]) as profiler:
        stranger.finish()
        target.finish()
        snapshot = profiler.finish()
    assert operation(snapshot, "work")["calls"] == 100
    assert len(snapshot["threads"]) == 4
    assert not notes_on_strangers(snapshot)


def notes_on_strangers(snapshot):
    return [note for note in snapshot["health"]["notes"] if "not observed run" in note]


@pytest.mark.alone
@pytest.mark.parametrize("kind", KINDS)
def test_calls_of_strangers_are_counted_exactly_and_told_with_what_they_cost(kind):
    with Target(CALLING, "100") as target, Profiler(spec(), "--pid", target.pid, options=["--engine", "uprobe", "--attach", kind]) as profiler:
        for stranger in (CALLING, THROWING):
            with Target(stranger, "50") as other:
                other.finish()
        target.finish()
        snapshot = profiler.finish()
    assert operation(snapshot, "call_back")["calls"] == 100
    [note] = notes_on_strangers(snapshot)
    assert note.startswith(f"2 processes that are not observed run with probes in {LIBRARY}: 100 calls, which took some ")
    told = snapshot["health"]["strangers"]
    assert (told["calls"], told["processes"], told["processes_at_least"], told["files"]) == (100, 2, False, [str(LIBRARY)])
    cost = snapshot["health"]["probe_cost"][0]
    asked_first = kind == "session"  # a return probe that finds out whose call it is at the entry
    assert told["cost_ns"] > 0 and (asked_first or told["cost_ns"] == pytest.approx(100 * (cost["inside_ns"] + cost["outside_ns"])))
    assert told.get("cost_pct", 1) > 0  # absent: as far as clocks tell the target used no CPU time


def test_where_no_stranger_comes_by_nothing_is_told_of_them():
    with Target(CALLING, "100") as target, Target(CALLING, "50") as spared, Profiler(spec(), "--pid", target.pid) as profiler:
        spared.finish()
        target.finish()
        snapshot = profiler.finish()
    assert operation(snapshot, "call_back")["calls"] == 100
    assert not notes_on_strangers(snapshot)
    assert "strangers" not in snapshot["health"]


def test_a_replay_tells_of_strangers_as_the_run_did(tmp_path):
    log = tmp_path / "log"
    with Target(CALLING, "100") as target, Profiler(spec(), "--pid", target.pid, options=["--engine", "uprobe", "--record", str(log)]) as profiler:
        with Target(CALLING, "50") as other:
            other.finish()
        target.finish()
        live = profiler.finish()
    again, _ = replay(log)
    assert again["health"]["strangers"] == live["health"]["strangers"]


def test_what_strangers_pay_counts_for_the_overhead_budget():
    with Target(CALLING, "100") as target, Profiler(spec(), "--pid", target.pid, options=["--engine", "uprobe", "--max-overhead", "5"]) as profiler:
        with Target(CALLING, str(10**12)) as stranger:
            stranger.release()
            away = support.wait_for(lambda: throttled(profiler.snapshot_now()), "the dear operation to go")
        profiler.finish(end=True)
    assert "of processes that are not observed), slowed by probes, cost more than --max-overhead 5" in operation(away, "call_back")["reason"]


def throttled(snapshot):
    return snapshot if snapshot["health"]["throttled"] else None
