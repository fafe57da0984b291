# SPDX-License-Identifier: Apache-2.0
"""Restartable sequences (rseq), which the kernel begins anew where it interrupts them: what they count stays right."""

from support import TARGETS, Profiler, Target, check_accounting, operation, spec
from test_in_process import IN_PROCESS

CALLS, THREADS = 10_000, 8
COUNTING = ("count", "count_too")


def test_functions_with_such_sequences_are_observed_by_probes_and_count_right_where_others_are_patched():
    with Target(TARGETS / "restartable", CALLS, THREADS) as target:
        with Profiler(spec([*COUNTING, "beside"]), "--pid", target.pid, options=[*IN_PROCESS, "--max-overhead", "off"]) as profiler:
            out, status = target.finish()
            snapshot = profiler.finish()
    assert (out, status) == (f"sum {len(COUNTING) * CALLS * THREADS}\n", 0)
    check_accounting(snapshot)
    for name in COUNTING:
        told = operation(snapshot, name)
        assert told["engine"] == "uprobe" and "a restartable sequence (rseq)" in told["reason"], told
        assert told["calls"] == CALLS * THREADS or told["at_least"], told
    assert operation(snapshot, "beside")["engine"] == "in-process"
