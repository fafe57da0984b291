# SPDX-License-Identifier: Apache-2.0
"""Servers that work differently while slices slow them: what is once per request is told all the same, what depends on that is not, or holds."""

import time

import pytest
import support
from support import BIN, Profiler, Target, check_accounting, component, wait_for

# SECURITY.md, known limits: its load is to be its own, not that of a neighbour who takes the CPU from it.
pytestmark = pytest.mark.measured
ONCE = ("op_parse", "op_reply")  # per request
BY_LOAD = ("op_full", "op_shed", "op_leaf")
SPEC = support.spec([], components=[{"name": name, "in": [name]} for name in (*ONCE, *BY_LOAD)])
BETWEEN_LOOKS = 0.3  # s: a snapshot takes time from the target
# SECURITY.md, known limits: one adapts within its first request, and slices with and without other operations look alike; the requests
# of the other's two clients differ in nothing but their contents.
NOT_NOTICED = {"self": ("op_leaf",), "one": BY_LOAD}


def calls(snapshot, name):
    """value, low, high; none: not told."""
    return component(snapshot, name).get("estimated", {}).get("calls")


def reason(snapshot, name):
    return component(snapshot, name).get("not_extrapolated", "")


def observed(mode, until):
    """Its own books, and the snapshot of the whole run, which ends when one is as wanted."""
    with Target(BIN / "fooling", mode, env=support.scaled(calls=support.PUSHED)) as target:
        with Profiler(SPEC, "--pid", target.pid, "--no-children", options=["--max-overhead", "20"]) as profiler:
            target.release()
            wait_for(lambda: time.sleep(BETWEEN_LOOKS) or until(profiler.snapshot_now()), "what slices tell")
            target.process.terminate()
            books = dict(zip((ONCE[0], *BY_LOAD, ONCE[1]), map(int, target.finish()[0].split())))
            snapshot = profiler.finish()
    check_accounting(snapshot)
    return books, snapshot


def enough(snapshot):
    """Both are told, and of the others it is known, too, or why not."""
    return all(calls(snapshot, name) for name in ONCE) and not any("slices so far" in reason(snapshot, name) for name in BY_LOAD)


@pytest.mark.parametrize("mode", ["age", "self", "one"])
def test_once_per_request_is_told_and_what_depends_on_load_is_not_wrong(mode):
    books, snapshot = observed(mode, enough)
    for name in ONCE:
        value, low, high = calls(snapshot, name) or (0, 0, 0)
        assert abs(value - books[name]) <= max(0.02 * books[name], high - low), (name, books[name], calls(snapshot, name))
    for name in BY_LOAD:
        if calls(snapshot, name) and name not in NOT_NOTICED.get(mode, ()):
            value, low, high = calls(snapshot, name)
            assert abs(value - books[name]) <= high - low, (name, books[name], value, low, high)


@pytest.mark.parametrize("mode, why", [("workers", "called by threads that read nothing to count by"), ("silent", "the program reads nothing to count by")])
def test_what_has_no_input_is_not_told(mode, why):
    books, snapshot = observed(mode, lambda snapshot: reason(snapshot, "op_parse").endswith(why))
    assert books["op_parse"] > component(snapshot, "op_parse")["calls"]
    assert not any(calls(snapshot, name) for name in (*ONCE, *BY_LOAD) if component(snapshot, name).get("observed_share", 1) < 0.9)
