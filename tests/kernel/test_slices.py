# SPDX-License-Identifier: Apache-2.0
"""What the budget keeps away is observed in short slices: how often it is called follows from what the program reads."""

import pytest
import support
from support import BIN, Profiler, Target, check_accounting, component
from test_record import replay, same_figures

pytestmark = pytest.mark.alone  # holds figures of a run against a program that neighbours would slow

NAMES = ("often", "rare", "step")
# Other calls of the system per request, for how long, whether what is read can be counted all the time then, and how ends are seen:
# where that is far dearer than entries, every other slice sees entries alone.
LOADS = {"few system calls": (0, 30, True, "return-probe"), "ends are dear": (0, 30, True, "ret-sites"),
         "many system calls": (60, 20, False, "return-probe")}


@pytest.fixture(scope="module", params=LOADS)
def run(request, tmp_path_factory):
    """How often each was called by the program's own account, the snapshot of its whole run, whether all was counted, and its log."""
    calls, seconds, always, exit_mode = LOADS[request.param]
    spec = support.spec([], components=[{"name": name, "in": [name]} for name in NAMES], exit_mode=exit_mode)
    log = tmp_path_factory.mktemp("slices") / "log"
    with Target(BIN / "served", seconds, calls, env=support.scaled()) as target:
        with Profiler(spec, "--pid", target.pid, options=["--max-overhead", "5", "--record", log]) as profiler:
            books = dict(zip(NAMES, map(int, target.finish()[0].split())))
            snapshot = profiler.finish()
    return books, snapshot, always, log


def test_the_run_was_busy_and_made_slices(run):
    _, snapshot, _, _ = run
    check_accounting(snapshot)
    assert snapshot["health"]["busy"]["spans"], "never busy"
    sliced = snapshot["health"]["sliced"]
    assert sliced["taken"] >= 4 and 0 < sliced["share"] < 0.3 and 1 <= sliced["slow_down"] < 2.5, sliced
    slices = snapshot["health"]["slices"]
    assert len(slices) == sliced["taken"], sliced
    assert all(a["end_ns"] <= b["start_ns"] for a, b in zip(slices, slices[1:]))
    assert all(0 < s["operations"] <= len(NAMES) and s["slow_down"] >= 1 and s["start_ns"] < s["end_ns"] for s in slices), slices
    window = snapshot["window"]
    assert window["start_ns"] <= slices[0]["start_ns"] and slices[-1]["end_ns"] <= window["end_ns"]


def test_estimated_calls_are_those_of_the_program(run):
    books, snapshot, _, _ = run
    told = 0
    for name in NAMES:
        one = component(snapshot, name)
        calls = one.get("estimated", {}).get("calls")
        if one.get("observed_share", 1) > 0.9:  # cheap enough to stay
            assert 0.9 * books[name] <= one["calls"] <= books[name]
            continue
        if not calls:
            assert one["not_extrapolated"]
            continue
        told += 1
        value, low, high = calls
        assert one["evidence"]["calls"] == "slices"
        assert low <= value <= high and one["calls"] <= low
        assert abs(value - books[name]) <= max(0.02 * books[name], 2 * (high - low) / 2), (name, books[name], calls)
    counted = snapshot["health"]["sliced"]["inputs_share"]  # less than all where others on the machine make that dear
    assert told >= 2 or counted < 1, snapshot["health"]["notes"]


def test_the_log_tells_the_same(run):
    _, snapshot, _, log = run
    same_figures(snapshot, replay(log)[0])


def test_where_counting_inputs_is_dear_they_are_counted_in_windows(run):
    _, snapshot, always, _ = run
    share = snapshot["health"]["sliced"]["inputs_share"]
    assert 0.2 <= share <= 1 if always else 0.05 <= share < 0.9, share


def test_the_budget_holds(run):
    _, snapshot, _, _ = run
    assert snapshot["health"]["overhead_pct"] < 8
