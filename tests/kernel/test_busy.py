# SPDX-License-Identifier: Apache-2.0
"""While the budget keeps probes away, samples tell the times of all components: what the others saw has in it what these would have."""

import re
import subprocess

import pytest
import support
from support import BIN, COMPMOND, TARGETS, Profiler, Target, check_accounting, component, wait_for
from test_record import replay, same_figures

pytestmark = pytest.mark.alone

SPEC = support.spec([], components=[{"name": "Turn", "in": ["turn"]}, {"name": "Dear", "in": ["dear"]},
                                    {"name": "Calm", "in": ["calm"]}])
BUDGET = ["--max-overhead", "5"]


def share(snapshot, name):
    """The component's share of the three's time on a CPU, in percent: value, low, high. (What they wait for one is the machine's.)"""
    real = {c["name"]: c["estimated"]["cpu_ns"] for c in snapshot["components"]}
    whole = sum(value for value, _, _ in real.values())
    return [100 * part / whole for part in real[name]]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The books of the program, the snapshot of its whole run, and its log."""
    log = tmp_path_factory.mktemp("busy") / "log"
    with Target(TARGETS / "busy", "5", env=support.scaled()) as target:
        with Profiler(SPEC, "--pid", target.pid, options=[*BUDGET, "--metric", "on-cpu", "--record", log]) as profiler:
            books = [int(ns) for ns in target.finish()[0].split()]
            snapshot = profiler.finish()
    return books, snapshot, log


def test_ranks_and_times_are_those_of_the_program(run):
    (dear, calm), snapshot, _ = run
    check_accounting(snapshot)
    assert component(snapshot, "Dear")["observed_share"] < 0.7, "the probes were never away"
    true = 100 * dear / (dear + calm)
    value, low, high = share(snapshot, "Dear")
    assert abs(value - true) < max(5, 2 * (high - low)), (true, value, low, high)
    assert component(snapshot, "Dear")["hotness"] == 100
    assert 15 < component(snapshot, "Calm")["hotness"] < 60
    # What its probes saw has dear()'s time in it.
    turn = component(snapshot, "Turn")
    assert turn["net_real_ns"] > 0.3 * (dear + calm)
    assert turn["estimated"]["cpu_ns"][0] < 0.5 * turn["net_real_ns"]


def test_calls_are_those_that_were_seen_and_say_so(run):
    _, snapshot, _ = run
    dear, calm = component(snapshot, "Dear"), component(snapshot, "Calm")
    assert dear["calls"] > 0 and dear["at_least"] is True
    single = "slices" if "sliced" in dear else "probes"
    assert dear["evidence"] == {"calls": "probes", "raw": "samples", "real": "samples", "edges": "samples", "single": single}
    assert calm.get("observed_share", 1) > dear["observed_share"]  # missed for a moment at most, where all had to go
    busy = snapshot["health"]["notes"][0]
    assert busy.startswith("busy: time from samples; calls"), busy
    assert re.search(r"Exact: --allow-patching( \((≈ \d+|< 1) %\), --max-overhead off \(≈ \d+ %\)|, --max-overhead off \(> 90 %\))", busy), busy


def test_callers_are_those_on_the_stacks(run):
    _, snapshot, _ = run
    # A stack that broke in the moment of a return probe has lost its callers, and says so.
    calls = {(e["from"], e["to"]): e for e in snapshot["edges"] if not e.get("unknown")}
    assert set(calls) == {(None, "Turn"), ("Turn", "Dear"), ("Turn", "Calm")}
    assert all(e["count"] is None and e["estimated"]["samples"] > 0 for e in calls.values())
    cut = sum(e["estimated"]["samples"] for e in snapshot["edges"] if e.get("unknown"))
    samples = snapshot["health"]["samples"]
    assert cut <= samples["broken"] + samples["truncated"] <= 0.02 * samples["taken"], (cut, samples)


def test_the_log_tells_the_same(run):
    _, snapshot, log = run
    same_figures(snapshot, replay(log, "--metric", "on-cpu")[0])


def test_traces_of_the_log_say_what_they_lack(run):
    _, _, log = run
    for command in (["analyze", log, "--report", "dependency-graph"], ["export", log, "--format", "dot"]):
        done = subprocess.run([COMPMOND, *command], capture_output=True, text=True, timeout=support.DEADLINE, check=False)
        assert done.returncode in (0, 65), done.stderr  # none is whole where the probes went before the first one was over
        assert "probes of 1 of 3 operations were away for a part of the run" in done.stderr, done.stderr
        assert "left out, as probes were away in" in done.stderr, done.stderr


def test_without_samples_times_stay_those_that_were_seen():
    with Target(TARGETS / "busy", "2", env=support.scaled()) as target:
        with Profiler(SPEC, "--pid", target.pid, options=[*BUDGET, "--samples", "off"]) as profiler:
            target.finish()
            snapshot = profiler.finish()
    dear = component(snapshot, "Dear")
    assert dear["at_least"] is True and dear["observed_share"] < 1 and "estimated" not in dear
    assert any("--samples" in note and "of the window" in note for note in snapshot["health"]["notes"]), snapshot["health"]["notes"]
    assert component(snapshot, "Turn")["uncertain"] is True


def test_a_window_in_which_nothing_was_away_is_exact():
    with Target(TARGETS / "busy", "60", env=support.scaled()) as target:
        with Profiler(SPEC, "--pid", target.pid, options=[*BUDGET, "--window", "1"]) as profiler:
            before = profiler.snapshot_now()
            assert not any("estimated" in c and "net_real_ns" in c["estimated"] for c in before["components"])
            target.release()
            wait_for(lambda: hot(profiler.snapshot_now()) >= {"Dear", "Calm"}, "heat by samples")
            target.process.kill()
            profiler.finish()


def served(landmark):
    """How often each function was called by the program's own account, and the snapshot of its whole run; one is a landmark."""
    names = ("often", "rare", "step")
    spec = support.spec([], components=[{"name": name, "in": [name], "landmark": name == landmark} for name in names])
    with Target(BIN / "served", "2", env=support.scaled(1000)) as target:
        with Profiler(spec, "--pid", target.pid, options=BUDGET) as profiler:
            books = dict(zip(names, map(int, target.finish()[0].split())))
            snapshot = profiler.finish()
    check_accounting(snapshot)
    assert snapshot["health"]["busy"]["spans"], "never busy"
    return books, snapshot


def must_see(snapshot):
    return [note for note in snapshot["health"]["notes"] if note.startswith("what must see every call")]


def test_a_landmark_sees_every_call_while_the_dear_ones_are_away():
    books, snapshot = served("rare")
    rare, step = component(snapshot, "rare"), component(snapshot, "step")
    assert rare["calls"] == books["rare"] and "observed_share" not in rare and not rare["at_least"]
    assert step["observed_share"] < 0.8 and step["calls"] < books["step"]
    assert must_see(snapshot) == []


def test_a_landmark_that_is_hot_goes_with_the_others_and_it_is_said():
    books, snapshot = served("step")
    step = component(snapshot, "step")
    assert step["observed_share"] < 0.8 and step["calls"] < books["step"]
    note, = must_see(snapshot)
    assert note.endswith(": step. See every call: --max-overhead off"), note


def hot(snapshot):
    """The components that glow by a time of samples that is told, not only bounded: five samples and more."""
    return {c["name"] for c in snapshot["components"] if c["hotness"] > 0 and c.get("estimated", {}).get("net_real_ns", [0])[0] > 0}
