# SPDX-License-Identifier: Apache-2.0
"""Programs that read their own code: what SECURITY.md says of them under Known limits is so."""

import signal
import subprocess

import support
from support import BIN, Profiler, Target

PROGRAM = BIN / "self_reading"


def next_sum(target):
    target.release()
    return int(support.read_line(target.process.stdout, "the sum"))


def test_a_program_that_sums_up_its_code_sees_probes_while_they_are_there():
    with Target(PROGRAM, "sums") as target:
        target.release()
        before = next_sum(target)
        with Profiler(support.spec(["work"]), "--pid", target.pid, options=["--engine", "uprobe"]) as profiler:
            during = next_sum(target)
            profiler.finish(end=True)
        after = next_sum(target)
        assert target.finish()[1] == 0
    assert during != before
    assert after == before


def test_a_copy_of_code_with_a_probe_in_it_ends_who_executes_it():
    alone = subprocess.run([PROGRAM, "copies"], capture_output=True, text=True, check=True, timeout=support.DEADLINE).stdout
    assert alone == "16\n16\n"
    with Target(PROGRAM, "copies") as target, Profiler(support.spec(["work"]), "--pid", target.pid, options=["--engine", "uprobe"]) as profiler:
        assert target.finish() == ("", -signal.SIGTRAP)
        profiler.finish()
    with Target(PROGRAM, "copies") as target, Profiler(support.spec(["work"]), "--pid", target.pid, options=["--engine", "sampling"]) as profiler:
        assert target.finish() == (alone, 0)
        profiler.finish()
