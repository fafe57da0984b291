# SPDX-License-Identifier: Apache-2.0
"""Programs that have their system calls dispatched to themselves, as Wine does, those that the kernel makes for probes among them."""

import subprocess

import pytest
import support
from support import BIN, Profiler, Target, check_accounting, operation

CALLS = "50"


def both():
    return support.spec(["work", "padded"])


def alone(when):
    return subprocess.run([BIN / "dispatched", when, CALLS], input="\n", capture_output=True, text=True, check=True, timeout=support.DEADLINE).stdout


@pytest.mark.parametrize("when", ["before", "thread"])
def test_a_program_that_dispatches_its_system_calls_gets_no_probe_that_makes_one(when):
    expected = alone(when)
    with Target(BIN / "dispatched", when, CALLS) as target, \
            Profiler(both(), "--pid", target.pid, options=["--engine", "uprobe"]) as profiler:
        assert target.finish() == (expected, 0)
        snapshot = profiler.finish()
    work, padded = operation(snapshot, "work"), operation(snapshot, "padded")
    assert work["exit_mode"] == "ret-sites"
    assert "dispatched to itself" in work["reason"], work
    assert work["calls"] == work["closed"]["returned"] == int(CALLS)
    assert padded["state"] == "refused"
    assert "5-byte nop" in padded["reason"] and "dispatched to itself" in padded["reason"], padded
    check_accounting(snapshot)


def test_one_that_begins_to_while_it_is_observed_loses_such_probes():
    expected = alone("later")
    with Target(BIN / "dispatched", "later", CALLS) as target, \
            Profiler(both(), "--pid", target.pid, options=["--engine", "uprobe"]) as profiler:
        target.release()
        assert support.read_line(target.process.stdout, "that it is on") == "on\n"
        support.wait_for(lambda: any("dispatched to itself" in note for note in profiler.snapshot_now()["health"]["notes"]), "the note")
        out, status = target.finish()
        snapshot = profiler.finish()
    assert ("on\n" + out, status) == (expected, 0)
    for name in ("work", "padded"):
        seen = operation(snapshot, name)
        assert seen["state"] == "refused" and "dispatched to itself" in seen["reason"], seen
        assert seen["calls"] == int(CALLS)
    check_accounting(snapshot)
