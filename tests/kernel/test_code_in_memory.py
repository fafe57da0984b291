# SPDX-License-Identifier: Apache-2.0
"""Programs whose code in memory is not what their files hold: they come to no harm, and what is not counted is said."""

import ctypes
import os
import pathlib
import shutil
import signal
import subprocess
import sys

import pytest
import support
from support import BIN, Folder, Profiler, Target, check_accounting, operation

PATCHED = BIN / "patched"
LIBRARY = BIN / "libpatched_library.so"
FIRST = BIN / "remapped_first"
BREAKPOINT = b"\xcc"
PLAIN = {"own": "10040 225", "library": "145 10045", "none": "145 255"}


def both():
    return support.spec([], components=[{"name": "own", "in": ["work"]}, {"name": "other", "in": ["patched_work"], "image": str(LIBRARY)}])


def alone(what):
    return subprocess.run([PATCHED, what, "10"], capture_output=True, text=True, check=True, timeout=support.DEADLINE).stdout


@pytest.mark.parametrize("mode", ["return-probe", "ret-sites", "entry-only"])
@pytest.mark.parametrize("what, changed, other", [("own", "work", "patched_work"), ("library", "patched_work", "work")])
def test_a_function_that_was_patched_in_memory_is_refused(what, changed, other, mode):
    """A probe there would execute the file's instruction and go on within the patch."""
    with Target(PATCHED, what, "10") as target, Profiler(both(), "--pid", target.pid, options=["--engine", "uprobe", "--exit-mode", mode]) as profiler:
        out, status = target.finish()
        snapshot = profiler.finish()
    assert (out, status) == (alone(what), 0)
    assert operation(snapshot, changed)["state"] == "refused"
    assert f"process {target.pid} has other code at it in memory" in operation(snapshot, changed)["reason"]
    assert operation(snapshot, other)["calls"] == 10
    check_accounting(snapshot)


def test_a_patched_function_is_sampled_where_that_is_possible():
    with Target(PATCHED, "own", "10") as target, Profiler(both(), "--pid", target.pid) as profiler:
        out, status = target.finish()
        snapshot = profiler.finish()
    assert (out, status) == (alone("own"), 0)
    assert operation(snapshot, "work")["engine"] == "sampling"
    assert "has other code at it in memory" in operation(snapshot, "work")["reason"]


def seen_after(what, told, mode="return-probe"):
    """`told` is a part of the note that must come before the program goes on: (its output, the snapshot)."""
    with Target(BIN / "remapped", what) as target, \
            Profiler(support.spec(["work"], exit_mode=mode), "--pid", target.pid, options=["--engine", "uprobe"]) as profiler:
        target.release()
        assert support.read_line(target.process.stdout, "the change") == "done\n"
        if told:
            support.wait_for(lambda: any(told in note for note in profiler.snapshot_now()["health"]["notes"]), told)
        out, status = target.finish()
        snapshot = profiler.finish()
    assert status == 0
    check_accounting(snapshot)
    return out, snapshot


@pytest.mark.parametrize("mode", ["return-probe", "ret-sites"])
@pytest.mark.parametrize("what", ["dropped", "tidied"])
def test_a_probe_that_vanished_from_memory_is_noticed_and_placed_again(what, mode):
    """The target gave back the page that the kernel had made for the probe, or a debugger deleted its breakpoint there."""
    out, snapshot = seen_after(what, "the probe of work was gone from the memory of process", mode)
    assert out == "29900\n"
    work = operation(snapshot, "work")
    assert work["calls"] == 200
    assert work["at_least"] is True  # what was called between was missed


def test_code_that_is_mapped_anew_over_itself_is_observed_on():
    _, snapshot = seen_after("remapped", None)
    assert operation(snapshot, "work")["calls"] == 200
    assert operation(snapshot, "work")["at_least"] is False


def test_a_function_that_is_patched_while_it_is_observed_is_left_alone():
    _, snapshot = seen_after("changed", "work is not observed any more: process")
    work = operation(snapshot, "work")
    assert work["state"] == "refused"
    assert "changed its code in memory" in work["reason"]


def notes_of(snapshot, part):
    return [note for note in snapshot["health"]["notes"] if part in note]


def test_that_a_program_is_protected_is_said():
    """By one that sums up code: such a program sees the probes in it."""
    with Folder() as folder:
        program = folder / "protected"
        subprocess.run(["objcopy", "--add-section", f".vmp0={__file__}", BIN / "targets" / "counted", program], check=True)
        _, status, snapshot = support.observe(support.spec(["work"]), program, "10", "1")
    assert status == 0 and operation(snapshot, "work")["calls"] == 10
    assert notes_of(snapshot, f"{program} is protected by VMProtect")


def test_that_a_debugger_holds_the_target_is_said():
    libc = ctypes.CDLL(None, use_errno=True)
    seize, detach = 0x4206, 17
    with Target(BIN / "targets" / "counted", "10", "1") as target:
        assert libc.ptrace(seize, target.pid, 0, 0) == 0, os.strerror(ctypes.get_errno())
        with Profiler(support.spec(["work"]), "--pid", target.pid) as profiler:
            said = notes_of(profiler.snapshot_now(), f"process {target.pid} is held by a debugger or tracer (process {os.getpid()})")
            libc.ptrace(detach, target.pid, 0, 0)
            target.process.kill()
            profiler.finish()
    assert len(said) == 1


class Debugger:
    """Sets a breakpoint at a function, and puts back what it found there, as debuggers do."""

    def __init__(self, pid, program, function):
        with open(f"/proc/{pid}/maps", encoding="utf-8") as maps:
            start = next(int(line.split("-")[0], 16) for line in maps if line.endswith(f"{program}\n"))
        symbols = subprocess.run(["nm", str(program)], capture_output=True, text=True, check=True).stdout.splitlines()
        self.address = start + next(int(line.split()[0], 16) for line in symbols if line.split()[-1] == function)
        self.memory = os.open(f"/proc/{pid}/mem", os.O_RDWR)

    def byte(self):
        return os.pread(self.memory, 1, self.address)

    def put(self, byte):
        os.pwrite(self.memory, byte, self.address)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.memory)


def helper_of(pid, name):
    children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    found = [int(child) for child in children if pathlib.Path(f"/proc/{child}/comm").read_text() == f"{name}\n"]
    assert len(found) == 1, (name, children)
    return found[0]


@pytest.mark.measured  # whoever looks at code every 2 s may just wait for the helper that is stopped
def test_a_breakpoint_that_a_debugger_left_is_said_and_goes_with_the_next_run():
    """It set one while a probe was there, and puts the probe's byte back when that is gone."""
    spec = support.spec(["work"], exit_mode="entry-only")
    with Target(BIN / "remapped", "none") as target, Debugger(target.pid, BIN / "remapped", "work") as debugger:
        own = debugger.byte()
        with Profiler(spec, "--pid", target.pid, options=["--engine", "uprobe"]) as profiler:
            seen = debugger.byte()
            assert seen == BREAKPOINT
            looker = helper_of(profiler.process.pid, "compmond-look")
            os.kill(looker, signal.SIGSTOP)  # until the byte is put back
            profiler.process.send_signal(signal.SIGINT)
            support.wait_for(lambda: debugger.byte() != seen, "the probe to go")
            debugger.put(seen)
            os.kill(looker, signal.SIGCONT)
            snapshot = profiler.finish()
            said = profiler.stderr()
        left = f"process {target.pid} has a breakpoint at work that the file does not have"
        assert len(notes_of(snapshot, left)) == 1 and left in said, (snapshot["health"]["notes"], said)
        with Profiler(spec, "--pid", target.pid, options=["--engine", "uprobe"]) as profiler:
            assert debugger.byte() == BREAKPOINT
            snapshot = profiler.finish(end=True)
        assert debugger.byte() == own
        assert not notes_of(snapshot, "has a breakpoint at")
        target.release()
        assert support.read_line(target.process.stdout, "the change") == "done\n"
        assert target.finish() == ("29900\n", 0)


def test_a_command_that_compmond_starts_itself_is_held_by_no_debugger():
    with Profiler(support.spec(["work"]), "--", BIN / "targets" / "counted", "10", "1") as profiler:
        snapshot = profiler.finish()
    assert operation(snapshot, "work")["calls"] == 10
    assert not notes_of(snapshot, "debugger")


def test_code_that_is_mapped_for_writing_is_no_silent_zero():
    writes = f"""
import ctypes, os, sys
library = ctypes.CDLL({str(LIBRARY)!r})
page = ctypes.cast(library.patched_work, ctypes.c_void_p).value & ~4095
assert ctypes.CDLL(None).mprotect(ctypes.c_void_p(page), 4096, 7) == 0
print("pid", os.getpid(), flush=True)
sys.stdin.readline()
library.patched_work.restype = ctypes.c_long
print(sum(library.patched_work(i) for i in range(10)))
"""
    process = subprocess.Popen([sys.executable, "-c", writes], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    pid = int(support.read_line(process.stdout, "its pid").split()[1])
    spec = support.spec(["patched_work"], image=LIBRARY)
    with Profiler(spec, "--pid", pid, options=["--engine", "auto"]) as profiler:
        out, _ = process.communicate(b"\n", timeout=support.DEADLINE)
        snapshot = profiler.finish()
    assert out == b"255\n" and process.returncode == 0
    assert f"process {pid} has its code mapped for writing" in operation(snapshot, "patched_work")["reason"]
    assert operation(snapshot, "patched_work")["calls"] is None  # sampled


def test_a_process_that_comes_later_and_is_patched_is_unharmed_and_that_is_said():
    """With --exe the kernel places probes as it starts; it patches over them."""
    with Target(PATCHED, "none", "10") as first:
        with Profiler(both(), "--exe", PATCHED, options=["--engine", "uprobe"]) as profiler:
            with Target(PATCHED, "library", "10") as later:
                support.wait_for(lambda: notes_of(profiler.snapshot_now(), f"process {later.pid} "), "what is said of the patch")
                assert later.finish() == (alone("library"), 0)
            assert first.finish() == (alone("none"), 0)
            snapshot = profiler.finish(end=True)
    assert operation(snapshot, "patched_work")["state"] == "refused" or operation(snapshot, "patched_work")["at_least"]


@pytest.mark.parametrize("what, said", [
    ("moved", "has moved its code from its file to other memory"), ("unreadable", "has its code mapped so that it cannot be read"),
    ("no_code", "has other code at it in memory"), ("no_rights", "has its code mapped so that it cannot be read"),
    ("trapped", "handles SIGTRAP and has a breakpoint at it in memory"), ("shared", "has its code mapped shared")])
def test_code_that_a_probe_would_not_meet_or_would_harm_gets_none_and_that_is_said(what, said):
    plain = subprocess.run([FIRST, what, "10"], capture_output=True, text=True, timeout=support.DEADLINE)
    out, status, snapshot = support.observe(support.spec(["work", "after"]), FIRST, what, "10", options=["--engine", "uprobe"])
    assert (out, status) == (plain.stdout, plain.returncode) and status == 5
    assert operation(snapshot, "work")["state"] == "refused"
    assert said in operation(snapshot, "work")["reason"]
    assert operation(snapshot, "after")["calls"] == 10
    check_accounting(snapshot)


def test_code_that_was_moved_is_not_sampled_either_as_samples_would_not_know_it():
    _, _, snapshot = support.observe(support.spec(["work", "after"]), FIRST, "moved", "10")
    assert operation(snapshot, "work")["state"] == "refused"
    assert operation(snapshot, "after")["calls"] == 10


def test_code_that_a_pager_does_not_give_holds_up_nobody():
    """Who reads the memory waits for another process, which may never answer."""
    with Folder(dir="/dev/shm") as folder:  # where memory can be paged by processes
        shutil.copy(FIRST, folder / "paged")
        with Target(folder / "paged", "paged") as target, Profiler(support.spec(["work"]), "--pid", target.pid) as profiler:
            assert target.finish()[1] == 5
            snapshot = profiler.finish()
    assert notes_of(snapshot, "whether processes have patched the code in their memory is not known")
