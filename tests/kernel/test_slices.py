# SPDX-License-Identifier: Apache-2.0
"""What the budget keeps away is observed in short slices: how often it is called follows from what the program reads."""

import re

import pytest
import support
from support import BIN, Profiler, Target, check_accounting, component

NAMES = ("often", "rare", "step")
SPEC = support.spec([], components=[{"name": name, "in": [name]} for name in NAMES])
# Other calls of the system per request, for how long, and whether what is read can be counted all the time then.
LOADS = {"few system calls": (0, 15, True), "many system calls": (60, 20, False)}


@pytest.fixture(scope="module", params=LOADS)
def run(request):
    """How often each was called by the program's own account, the snapshot of its whole run, and whether all was counted."""
    calls, seconds, always = LOADS[request.param]
    with Target(BIN / "served", seconds, calls) as target:
        with Profiler(SPEC, "--pid", target.pid, options=["--max-overhead", "5"]) as profiler:
            books = dict(zip(NAMES, map(int, target.finish()[0].split())))
            snapshot = profiler.finish()
    return books, snapshot, always


def told_of(snapshot):
    return next(note for note in snapshot["health"]["notes"] if note.startswith("calls of what is away by"))


def test_the_run_was_busy_and_made_slices(run):
    _, snapshot, _ = run
    check_accounting(snapshot)
    assert snapshot["health"]["busy"]["spans"], "never busy"
    slices = snapshot["health"]["slices"]
    assert slices["taken"] >= 4 and 0 < slices["share"] < 0.3 and 1 <= slices["slow_down"] < 2.5, slices


def test_estimated_calls_are_those_of_the_program(run):
    books, snapshot, always = run
    told = 0
    for name in NAMES:
        one = component(snapshot, name)
        calls = one.get("estimated", {}).get("calls")
        if one["observed_share"] > 0.9:  # cheap enough to stay: missed for a moment
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
    assert told >= 2 or not always, snapshot["health"]["notes"]


def test_where_counting_inputs_is_dear_they_are_counted_in_windows(run):
    _, snapshot, always = run
    share = re.search(r"reads in (\d+) % of the time", told_of(snapshot))
    if always:
        assert not share or int(share[1]) >= 50, told_of(snapshot)
    else:
        assert share and 5 <= int(share[1]) <= 75, told_of(snapshot)


def test_the_budget_holds(run):
    _, snapshot, _ = run
    assert snapshot["health"]["overhead_pct"] < 8
