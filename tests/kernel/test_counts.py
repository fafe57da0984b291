# SPDX-License-Identifier: Apache-2.0
"""Counts equal what another tool counts in the same run, and what the kernel counted equals what arrived or was lost."""

import re
import signal
import subprocess

import pytest
import support
from support import TARGETS, Profiler, Target, check_accounting, operation


class Bpftrace:
    """Counts calls of functions of one process until ended."""

    def __init__(self, pid, binary, functions, kind="uprobe"):
        probes = " ".join(f"{kind}:{binary}:{name} {{ @count[\"{name}\"] = count(); }}" for name in functions)
        self.process = subprocess.Popen(["bpftrace", "-p", str(pid), "-e", "BEGIN { printf(\"begun\\n\"); } " + probes],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while "begun" not in support.read_line(self.process.stdout, "bpftrace"):
            pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def counts(self):
        self.process.send_signal(signal.SIGINT)
        out, _ = self.process.communicate(timeout=support.DEADLINE * 3)
        return {name: int(n) for name, n in re.findall(r"@count\[(\w+)\]: (\d+)", out.decode())}


def test_counts_equal_bpftrace_in_the_same_run():
    functions = ["outer", "middle", "inner"]
    binary = TARGETS / "longjmp"
    with Target(binary, "2000") as target, Bpftrace(target.pid, binary, functions) as other:
        with Profiler(support.spec(functions), "--pid", target.pid) as profiler:
            target.finish()
            snapshot = profiler.finish()
        expected = other.counts()
    assert expected == {name: 2000 for name in functions}
    assert {name: operation(snapshot, name)["calls"] for name in functions} == expected


def test_several_threads_lose_nothing():
    out, status, snapshot = support.observe(support.spec(["work"]), TARGETS / "counted", "200000", "4")
    assert status == 0
    assert operation(snapshot, "work")["calls"] == 200000
    assert operation(snapshot, "work")["closed"]["returned"] == 200000
    assert snapshot["health"]["lost"] == 0
    assert len(snapshot["threads"]) == 4
    check_accounting(snapshot)


@pytest.mark.parametrize("threads", [1, 4])
def test_a_stopped_reader_loses_records_and_counts_every_one(threads):
    calls = 400000
    with Target(TARGETS / "overflow", str(calls // threads), str(threads)) as target:
        with Profiler(support.spec(["flood"]), "--pid", target.pid, options=["--ring", "1"]) as profiler:
            profiler.process.send_signal(signal.SIGSTOP)
            assert target.finish() == (f"calls {calls}\n", 0)
            profiler.process.send_signal(signal.SIGCONT)
            snapshot = profiler.finish()
    health, flood = snapshot["health"], operation(snapshot, "flood")
    assert health["lost"] == health["lost_causes"]["ring"] > 0
    assert health["hits"] == 2 * calls + threads  # entries, exits, and the ends of the threads
    assert health["delivered"] + health["lost"] == health["hits"]
    assert health["pending"] == 0
    assert flood["calls"] == health["trace"]["entries"] == sum(flood["closed"].values()) < calls
    # What was delivered is entries, exits of them, exits whose entry was lost, and ends of threads.
    ends = health["delivered"] - flood["calls"] - flood["closed"]["returned"] - health["orphan_exits"]
    assert 0 <= ends <= threads
    assert flood["at_least"] is True
    check_accounting(snapshot)


def test_five_thousand_short_threads():
    out, status, snapshot = support.observe(support.spec(["work"]), TARGETS / "churn", "5000")
    assert status == 0
    assert operation(snapshot, "work")["calls"] == 5000
    assert snapshot["health"]["lost"] == 0
    check_accounting(snapshot)
