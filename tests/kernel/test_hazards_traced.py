# SPDX-License-Identifier: Apache-2.0
"""Programs that others trace, who may end them for the system calls that the kernel makes for probes."""

import contextlib
import subprocess

import pytest
import support
from support import BIN, TARGETS, Target, check_accounting, operation


@contextlib.contextmanager
def watched(pid):
    tracer = subprocess.Popen(["strace", "-f", "-p", str(pid), "-o", "/dev/null"], stderr=subprocess.DEVNULL)
    try:
        with open(f"/proc/{pid}/status", "rb") as status:
            support.wait_for(lambda: status.seek(0) == 0 and b"TracerPid:\t0\n" not in status.read(), "the tracer")
        yield
    finally:
        tracer.terminate()
        tracer.wait()


@contextlib.contextmanager
def sandboxed(pid):
    tracer = subprocess.Popen([BIN / "sandbox", str(pid)], stdout=subprocess.PIPE)
    try:
        assert support.read_line(tracer.stdout, "the sandbox") == "ready\n"
        yield
    finally:  # it ends with the program
        tracer.kill()
        tracer.wait()
        tracer.stdout.close()


def unobserved(program, *arguments):
    with Target(program, *arguments) as alone:
        return alone.finish()


@pytest.mark.parametrize("tracer", [watched, sandboxed])
def test_a_traced_program_gets_no_return_probes(tracer):
    expected = unobserved(TARGETS / "counted", "100", "3")
    with Target(TARGETS / "counted", "100", "3") as target, tracer(target.pid):
        with support.Profiler(support.spec(["work"]), "--pid", target.pid) as profiler:
            assert target.finish() == expected
            snapshot = profiler.finish()
    work = operation(snapshot, "work")
    assert work["exit_mode"] == "ret-sites"
    assert "is traced by process" in work["reason"], work
    assert work["calls"] == work["closed"]["returned"] == 100
    check_accounting(snapshot)


def test_in_a_traced_program_no_probe_sits_on_a_nop_that_becomes_a_system_call():
    expected = unobserved(BIN / "nops", "100")
    with Target(BIN / "nops", "100") as target, sandboxed(target.pid):
        with support.Profiler(support.spec(["pushes", "bare"]), "--samples", "off", "--pid", target.pid) as profiler:
            assert target.finish() == expected
            snapshot = profiler.finish()
    pushes, bare = operation(snapshot, "pushes"), operation(snapshot, "bare")
    assert pushes["calls"] == pushes["closed"]["returned"] == 100
    assert pushes["site"] == "push"
    assert bare["state"] == "refused"
    assert "5-byte nop" in bare["reason"] and "is traced by process" in bare["reason"], bare
    check_accounting(snapshot)


def test_a_tracer_that_comes_later_meets_no_probe_that_makes_a_system_call_once_that_is_said():
    expected = unobserved(TARGETS / "counted", "100", "3")
    with Target(TARGETS / "counted", "100", "3") as target:
        with support.Profiler(support.spec(["work"]), "--pid", target.pid) as profiler, sandboxed(target.pid):
            support.wait_for(lambda: operation(profiler.snapshot_now(), "work")["exit_mode"] == "ret-sites", "the change to ret-sites")
            assert target.finish() == expected
            snapshot = profiler.finish()
    work = operation(snapshot, "work")
    assert "is traced by process" in work["reason"], work
    assert work["calls"] == work["closed"]["returned"] == 100
    assert any("1 operation is observed at their return instructions" in note for note in snapshot["health"]["notes"])
    check_accounting(snapshot)


def test_that_compmond_itself_starts_a_program_is_no_reason():
    with support.Profiler(support.spec(["work"]), "--", TARGETS / "counted", "100", "1") as profiler:
        snapshot = profiler.finish()
    assert operation(snapshot, "work")["exit_mode"] == "return-probe"
