# SPDX-License-Identifier: Apache-2.0
"""Programs that have their system calls dispatched to themselves, as Wine does, or filtered, those that the kernel makes for probes among them."""

import os
import subprocess

import filters
import pytest
import support
from support import BIN, COMPMOND, TARGETS, Folder, Profiler, Target, check_accounting, operation

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
    work, padded = operation(snapshot, "work"), operation(snapshot, "padded")
    assert work["state"] == "attached" and work["exit_mode"] == "ret-sites", work
    assert work["calls"] == 2 * int(CALLS) and work["at_least"]  # its probes were away for a moment
    assert padded["state"] == "refused" and padded["at_least"], padded
    assert padded["calls"] == int(CALLS)
    assert all("dispatched to itself" in seen["reason"] for seen in (work, padded))
    assert support.component(snapshot, "work")["status"] == "attached"
    assert support.component(snapshot, "padded")["status"] == "partial"
    check_accounting(snapshot)


def test_where_the_kernel_is_not_asked_later_a_note_says_so():
    with Folder() as folder:
        denied = filters.filtered(folder, COMPMOND, (filters.BPF, filters.ITERATOR, filters.EPERM))
        with Target(TARGETS / "counted", "100", "1") as target, \
                Profiler(support.spec(["work"]), "--pid", target.pid, options=["--engine", "uprobe"], program=denied) as profiler:
            target.finish()
            snapshot = profiler.finish()
    (note,) = [note for note in snapshot["health"]["notes"] if "nobody looks whether a process comes under a tracer" in note]
    assert "cannot ask the kernel who takes system calls of processes" in note and "Operation not permitted" in note
    assert operation(snapshot, "work")["calls"] == 100


def test_a_program_that_filters_its_system_calls_keeps_its_return_probes_where_the_kernel_exempts_them():
    """Not so on Linux 6.11 to 6.13: there it is observed by ret-sites, and lives as well."""
    with Folder() as folder:
        program = filters.filtered(folder, TARGETS / "counted", (filters.URETPROBE, None, filters.KILL), (filters.UPROBE, None, filters.KILL))
        with Target(program, "100", "1") as alone:
            expected = alone.finish()
        out, status, snapshot = support.observe(support.spec(["work"]), program, "100", "1")
    assert (out, status) == expected and status == 0
    work = operation(snapshot, "work")
    assert work["calls"] == work["closed"]["returned"] == 100
    release = tuple(map(int, os.uname().release.split(".")[:2]))
    exempts = not (6, 11) <= release < (6, 14)
    assert work["exit_mode"] == ("return-probe" if exempts else "ret-sites")
    assert exempts or "has a system call filter" in work["reason"]
