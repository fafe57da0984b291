# SPDX-License-Identifier: Apache-2.0
"""The overhead budget: the dearest probes are taken away within a second, and it is said."""

import subprocess

import support
from support import COMPMOND, TARGETS, Profiler, Target, component, operation

SPEC = support.spec(["hot_path", "cool_path"])


def test_a_flood_is_taken_away_and_announced_and_the_rest_stays():
    with Target(TARGETS / "hot", "20000", "2", "600") as target:
        with Profiler(SPEC, "--pid", target.pid, options=["--max-overhead", "5"]) as profiler:
            target.release()
            first = throttled(profiler)
            support.wait_for(lambda: operation(profiler.snapshot_now(), "cool_path")["calls"]
                             > operation(first, "cool_path")["calls"] + 100, "calls of the other operation")
            snapshot = profiler.finish(end=True)
        target.process.terminate()
    support.check_accounting(snapshot)
    assert snapshot["health"]["throttled"] == ["hot_path"]
    assert operation(snapshot, "hot_path")["calls"] == operation(first, "hot_path")["calls"]
    assert "--max-overhead 5" in operation(snapshot, "hot_path")["reason"]
    assert component(snapshot, "hot_path")["status"] == "partial"


def test_the_budget_is_five_percent_unless_told_otherwise():
    usage = subprocess.run([COMPMOND, "--help"], check=True, capture_output=True, text=True).stdout
    assert "--max-overhead PCT|off=5 " in " ".join(usage.split())


def test_without_a_budget_everything_is_counted():
    with Target(TARGETS / "hot", "20000", "2", "1") as target:
        with Profiler(SPEC, "--pid", target.pid, options=["--max-overhead", "off"]) as profiler:
            assert target.finish()[1] == 0
            snapshot = profiler.finish()
    assert operation(snapshot, "hot_path")["calls"] == 40000
    assert operation(snapshot, "cool_path")["calls"] == 100
    assert snapshot["health"]["throttled"] == []


def throttled(profiler):
    """The first snapshot in which hot_path alone is away, of a window that reaches beyond that moment."""
    def away():
        snapshot = profiler.snapshot_now()
        alone = snapshot["health"]["throttled"] == ["hot_path"]
        return snapshot if alone and operation(snapshot, "hot_path").get("observed_share", 1) < 1 else None
    return support.wait_for(away, "the throttling")


def returned(profiler):
    """A snapshot in which nothing is away, or None."""
    snapshot = profiler.snapshot_now()
    return snapshot if snapshot["health"]["throttled"] == [] else None


def all_away(snapshot):
    """How often all probes were away for a moment."""
    return sum("all probes were away" in note for note in snapshot["health"]["notes"])


def test_a_million_calls_a_second_mostly_run_free_and_are_counted_again_when_they_become_few():
    seconds = 6
    with Target(TARGETS / "hot", "1000000", "1", str(seconds), "600") as target:
        with Profiler(support.spec(["hot_path"]), "--pid", target.pid, options=["--max-overhead", "5"]) as profiler:
            target.release()
            away = throttled(profiler)
            back = support.wait_for(lambda: returned(profiler), "the probes to come back")
            support.wait_for(lambda: operation(profiler.snapshot_now(), "hot_path")["calls"]
                             > operation(back, "hot_path")["calls"] + 100, "calls that are counted again")
            snapshot = profiler.finish(end=True)
        target.process.terminate()
    support.check_accounting(snapshot)
    hot = operation(snapshot, "hot_path")
    assert hot["calls"] < seconds * 1000000 / 2  # the others cost it nothing
    assert "observed again since" in hot["reason"]
    assert component(snapshot, "hot_path")["status"] == "attached"
    assert component(snapshot, "hot_path")["at_least"] is True  # of the whole run calls are missing
    assert all_away(away) == all_away(snapshot) == 1


def test_an_operation_that_was_parted_once_comes_and_goes_without_a_gap_for_the_others():
    with Target(TARGETS / "hot", "20000", "2", "600") as target:
        with Profiler(support.spec(["hot_path", "main"]), "--pid", target.pid, options=["--max-overhead", "5"]) as profiler:
            target.release()
            first = throttled(profiler)
            support.wait_for(lambda: operation(profiler.snapshot_now(), "hot_path")["calls"]
                             > operation(first, "hot_path")["calls"], "the probes to come back")
            second = throttled(profiler)
            snapshot = profiler.finish(end=True)
        target.process.terminate()
    support.check_accounting(snapshot)
    assert operation(second, "hot_path")["calls"] > operation(first, "hot_path")["calls"]
    assert all_away(first) == all_away(snapshot) == 1
    assert component(snapshot, "main")["status"] == "attached"
