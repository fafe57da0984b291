# SPDX-License-Identifier: Apache-2.0
"""Who calls whom while the budget keeps callers away: slices count each edge, and what was not there to see makes none up."""

import time

import pytest
import support
from support import BIN, DEADLINE, Profiler, Target, check_accounting, wait_for

pytestmark = pytest.mark.alone  # system calls of others make counting inputs dear, and figures late

NAMES = ("answer", "often", "rare", "step")  # the first calls the two next ones, and these the last
SPEC = support.spec(NAMES)
BETWEEN_LOOKS = 0.3  # s: a snapshot takes time from the target
BOUND = 0.02


def edges(snapshot):
    return {(edge["from"], edge["to"]): edge for edge in snapshot["edges"] if not edge.get("unknown")}


def told(edge):
    """value, low, high; none: not told."""
    return edge.get("estimated", {}).get("calls")


def test_edges_are_those_of_the_program():
    with Target(BIN / "served", 10 * DEADLINE, env=support.scaled()) as target:
        with Profiler(SPEC, "--pid", target.pid, options=["--max-overhead", "5"]) as profiler:
            target.release()
            wait_for(lambda: time.sleep(BETWEEN_LOOKS) or
                     sum(map(bool, map(told, edges(profiler.snapshot_now()).values()))) >= 4, "calls of all four edges")
            target.process.terminate()
            often, rare, step = map(int, target.finish()[0].split())
            snapshot = profiler.finish()
    check_accounting(snapshot)
    books = {("answer", "often"): often, ("answer", "rare"): rare, ("often", "step"): 2 * often, ("rare", "step"): 10 * rare}
    assert sum(books.values()) == often + rare + step
    found = edges(snapshot)
    real = {(None, "answer"), *books}
    assert set(found) == real, {ends: edge for ends, edge in found.items() if ends not in real}
    for ends, calls in books.items():
        if not told(found[ends]):
            assert found[ends]["not_extrapolated"], ends
            continue
        value, low, high = told(found[ends])
        assert low <= value <= high
        assert low <= calls <= high or abs(value - calls) <= BOUND * calls, (ends, calls, told(found[ends]))
    assert not told(found[None, "answer"])  # what called at the bottom of a stack a slice cannot tell
