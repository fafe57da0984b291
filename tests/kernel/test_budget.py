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
            support.wait_for(lambda: profiler.snapshot_now()["health"]["throttled"] == ["hot_path"], "the throttling")
            first = profiler.snapshot_now()
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
    assert operation(snapshot, "cool_path")["calls"] == 400
    assert snapshot["health"]["throttled"] == []
