# SPDX-License-Identifier: Apache-2.0
"""Samples beside probes, as every run has them: calls stay exact, and where the same time went stands beside them."""

import pathlib
import time

import pytest
import support
from support import BIN, ROOT, TARGETS, Profiler, Target, check_accounting, component, wait_for

pytestmark = pytest.mark.measured

SAMPLED = BIN / "sampled"
CHAIN = ROOT / "specs" / "filehost-chain.json"
MS = 1_000_000


def test_waiting_is_told_apart_from_work():
    with Profiler(CHAIN, "--", BIN / "filehost-chain") as profiler:
        snapshot = profiler.finish()
    check_accounting(snapshot)
    assert [e["name"] for e in snapshot["health"]["engines"]] == ["uprobe", "sampling"]
    assert [e["writes_target"] for e in snapshot["health"]["engines"]] == [True, False]
    assert snapshot["health"]["samples"]["hz"] == 99
    for name, real in (("FileHandler", 500), ("FileEncrypter", 1000), ("FSWriter", 300)):
        got = component(snapshot, name)
        assert got["calls"] == 1 and got["status"] == "attached"
        # It sleeps all the while; waits of that length are all taken.
        assert got["estimated"]["waiting_ns"][0] == pytest.approx(real * MS, rel=0.1), got["estimated"]
        assert got["estimated"]["cpu_ns"][0] < 0.1 * real * MS, got["estimated"]


def test_samples_can_be_left_out():
    with Profiler(CHAIN, "--", BIN / "filehost-chain", options=["--samples", "off"]) as profiler:
        snapshot = profiler.finish()
    assert "samples" not in snapshot["health"]
    assert [e["name"] for e in snapshot["health"]["engines"]] == ["uprobe"]
    assert all("estimated" not in c for c in snapshot["components"])


def test_an_operation_that_no_probe_can_sit_on_is_sampled():
    spec = support.spec([], components=[{"name": "Seen", "in": ["spin"]}, {"name": "Unseen", "in": ["unprobed_loop"]}])
    with Target(SAMPLED, "spin", "600", "unprobed", "1200") as target:
        with Profiler(spec, "--pid", target.pid) as profiler:
            target.finish()
            snapshot = profiler.finish()
    seen, unseen = component(snapshot, "Seen"), component(snapshot, "Unseen")
    assert seen["calls"] == 1 and seen["status"] == "attached"
    assert unseen["calls"] is None and unseen["status"] == "sampled"
    assert unseen["operations"][0]["engine"] == "sampling"
    assert "probe" in unseen["operations"][0]["reason"], unseen["operations"][0]["reason"]
    low, high = unseen["estimated"]["cpu_ns"][1:]
    assert low <= 1200 * MS <= 1.3 * high, unseen["estimated"]
    # One rests on samples: so do the ranks of both. (50 with a standard error of 8.)
    assert unseen["hotness"] == 100 and 20 < seen["hotness"] < 80


def test_while_the_program_sleeps_the_thread_of_samples_does_too():
    def wakeups(pid):
        """By thread, how often it went to wait so far."""
        return {task.name: int((task / "status").read_text().split("\nvoluntary_ctxt_switches:")[1].split()[0])
                for task in pathlib.Path(f"/proc/{pid}/task").iterdir()}

    with Target(SAMPLED, "spin", "10") as target:
        with Profiler(support.spec(["spin"], SAMPLED), "--pid", target.pid) as profiler:
            before, began = wakeups(profiler.process.pid), time.monotonic()
            wait_for(lambda: time.monotonic() - began > 4, "four seconds")
            after, took = wakeups(profiler.process.pid), time.monotonic() - began
            profiler.finish(end=True)
    assert len(before) == 3  # one looks after processes, one drains calls, one samples
    per_second = sorted((after[tid] - before[tid]) / took for tid in before)
    assert 0 < per_second[0] < 5, per_second


def test_ranks_by_time_on_a_cpu_rest_on_samples():
    spec = support.spec([], components=[{"name": "Spins", "in": ["spin"]}, {"name": "Sleeps", "in": ["nap"]}])
    with Target(SAMPLED, "spin", "300", "nap", "200000", "900") as target:
        with Profiler(spec, "--pid", target.pid, options=["--metric", "on-cpu"]) as profiler:
            target.finish()
            snapshot = profiler.finish()
    assert component(snapshot, "Spins")["hotness"] == 100
    assert component(snapshot, "Sleeps")["hotness"] < 10
    assert component(snapshot, "Sleeps")["net_real_ns"] > component(snapshot, "Spins")["net_real_ns"]


def test_where_a_program_lies_about_its_stack_times_beside_exact_ones_are_marked():
    spec = support.spec([], components=[{"name": "Honest", "in": ["spin"]}, {"name": "Liar", "in": ["lies"]}])
    honest = ("spin", "600")
    for lies, marked in ((), False), (("lies", "1500"), True):
        with Target(SAMPLED, *honest, *lies) as target:
            with Profiler(spec, "--pid", target.pid) as profiler:
                target.finish()
                snapshot = profiler.finish()
        own = [component(snapshot, name)["estimated"] for name in ("Honest", "Liar")]
        assert own[0]["cpu_at_least"] == marked, own  # the loop may be anybody's
        if marked:
            liar = component(snapshot, "Liar")
            assert own[1]["cpu_at_least"] and own[1]["cpu_ns"][0] < 0.75 * liar["net_real_ns"], liar
            seen = snapshot["health"]["samples"]
            assert seen["broken"] + seen["truncated"] > 0.2 * seen["taken"], seen


def test_the_summary_shows_what_samples_tell_and_what_is_ranked():
    spec = support.spec([], components=[{"name": "Spins", "in": ["spin"]}, {"name": "Sleeps", "in": ["nap"]}])
    with Target(SAMPLED, "spin", "400", "nap", "200000", "900") as target:
        with Profiler(spec, "--pid", target.pid, options=["--metric", "on-cpu"]) as profiler:
            target.finish()
            profiler.finish()
    summary = profiler.stdout.decode()
    table = summary[summary.index("Components\n"):].splitlines()
    # What is ranked is the first column behind the bar, and sorted by it.
    assert table[1].split()[:4] == ["component", "hotness", "on", "CPU"], summary
    assert "net real" in table[1] and "waiting" in table[1]
    assert [line.split()[0] for line in table[2:4]] == ["Spins", "Sleeps"], summary
    assert " samples at 99 Hz" in summary and " on CPU" in summary
