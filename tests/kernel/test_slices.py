# SPDX-License-Identifier: Apache-2.0
"""What the budget keeps away is observed in short slices: how often it is called follows from what the program reads."""

import pytest
import support
from support import BIN, Profiler, Target, check_accounting, component

NAMES = ("often", "rare", "step")
SPEC = support.spec([], components=[{"name": name, "in": [name]} for name in NAMES])


@pytest.fixture(scope="module")
def run():
    """How often each was called by the program's own account, and the snapshot of its whole run."""
    with Target(BIN / "served", "30") as target:
        with Profiler(SPEC, "--pid", target.pid, options=["--max-overhead", "5"]) as profiler:
            books = dict(zip(NAMES, map(int, target.finish()[0].split())))
            snapshot = profiler.finish()
    return books, snapshot


def test_the_run_was_busy_and_made_slices(run):
    _, snapshot = run
    check_accounting(snapshot)
    assert snapshot["health"]["busy"]["spans"], "never busy"
    slices = snapshot["health"]["slices"]
    assert slices["taken"] >= 8 and 0 < slices["share"] < 0.3 and 1 <= slices["slow_down"] < 2.5, slices


def test_estimated_calls_are_those_of_the_program(run):
    books, snapshot = run
    told = 0
    for name in NAMES:
        one = component(snapshot, name)
        calls = one.get("estimated", {}).get("calls")
        if not calls:
            assert one["not_extrapolated"]
            continue
        told += 1
        value, low, high = calls
        assert one["evidence"]["calls"] == "slices"
        assert low <= value <= high and one["calls"] <= low
        assert abs(value - books[name]) <= max(0.02 * books[name], 2 * (high - low) / 2), (name, books[name], calls)
    assert told >= 2, snapshot["health"]["notes"]


def test_the_budget_holds(run):
    _, snapshot = run
    assert snapshot["health"]["overhead_pct"] < 8
