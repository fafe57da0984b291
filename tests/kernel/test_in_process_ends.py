# SPDX-License-Identifier: Apache-2.0
"""The in-process engine where a process cannot be patched, or not be put back: it is said, and `restore` puts back later."""

import contextlib
import os
import re
import signal
import subprocess

import injection
import support
from support import TARGETS, Profiler, Target
from test_in_process import IN_PROCESS, code_of, processes_of

NOBODY = ("setpriv", "--reuid=65534", "--clear-groups")
WORK = support.spec(["work"])


@contextlib.contextmanager
def traced(pid):
    """By this process, as by a debugger or strace, while it goes on."""
    injection.ptrace(injection.SEIZE, pid)
    try:
        yield
    finally:
        injection.ptrace(injection.INTERRUPT, pid)
        os.waitpid(pid, injection.WALL)
        injection.ptrace(injection.DETACH, pid)


def restored():
    return subprocess.run([support.COMPMOND, "restore"], capture_output=True, text=True, check=True).stdout


def test_what_a_debugger_holds_as_compmond_ends_is_told_and_put_back_later():
    with Target(TARGETS / "counted", "10", "1") as target:
        before = code_of(target.pid)
        with Profiler(WORK, "--pid", target.pid, options=IN_PROCESS) as profiler:
            with traced(target.pid):
                notes = profiler.finish(end=True)["health"]["notes"]
                told = [note for note in notes if note.startswith(f"process {target.pid} could not be put back (process {os.getpid()} (")]
                assert len(told) == 1 and "traces it)" in told[0] and "sudo compmond restore" in told[0], notes
                assert f"compmond: {told[0]}" in profiler.stderr()
        assert code_of(target.pid) != before
        assert f"process {target.pid}: " in restored()
        assert code_of(target.pid) == before
        assert target.finish()[1] == 0


def test_what_a_debugger_holds_from_the_beginning_is_observed_otherwise_and_a_note_says_so():
    with Target(TARGETS / "counted", "10", "1") as target, traced(target.pid):
        with Profiler(WORK, "--pid", target.pid, options=IN_PROCESS) as profiler:
            snapshot = profiler.finish(end=True)
    notes = [note for note in snapshot["health"]["notes"] if "cannot be patched" in note]
    engine = support.operation(snapshot, "work")["engine"]
    assert engine != "in-process" and len(notes) == 1, snapshot["health"]["notes"]
    assert f"process {os.getpid()} (" in notes[0] and f"1 operation is observed by {engine} instead" in notes[0], notes


SHARING = r"""
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
/* A child in the same memory that is no thread of it works there until the parent got a line. */
static volatile int over;
static char stack[1 << 16];
__attribute__((noipa)) long work(long x) { return x + 1; }
static int child(void *sum) { while (!over) *(long *)sum = work(*(long *)sum); return 0; }
int main(void)
{
    long sum = 0;
    int status, pid = clone(child, stack + sizeof stack, CLONE_VM | SIGCHLD, &sum);
    printf("pid %d\n", (int)getpid()); fflush(stdout);
    over = getchar() == '\n';
    return waitpid(pid, &status, 0) == pid && status == 0 && sum > 0 ? 7 : 1;
}
"""


def test_what_another_process_has_in_its_memory_is_not_patched_and_a_note_says_so():
    with support.Folder() as folder:
        subprocess.run(["cc", "-O2", "-o", folder / "sharing", "-x", "c", "-"], input=SHARING, text=True, check=True)
        with Target(folder / "sharing") as target:
            with Profiler(WORK, "--pid", target.pid, options=IN_PROCESS) as profiler:
                snapshot = profiler.finish(end=True)
            assert target.finish()[1] == 7
    notes = [note for note in snapshot["health"]["notes"] if "has the same memory and is no thread of it" in note]
    assert len(notes) == 1 and support.operation(snapshot, "work")["engine"] != "in-process", snapshot["health"]["notes"]


CHAIN = r"""
#include <stdio.h>
#include <unistd.h>
/* Until the file is there: forks, and the child goes on alone. */
__attribute__((noipa)) long work(long x) { return x + 1; }
int main(int argc, char **argv)
{
    long sum = 0;
    (void)argc;
    printf("pid %d\n", (int)getpid()); fflush(stdout);
    for (getchar(); access(argv[1], F_OK) != 0; usleep(500))
        if (sum = work(sum), fork() != 0) _exit(0);
    printf("last %d\n", (int)getpid()); fflush(stdout);
    return getchar() < 0;
}
"""


def test_of_those_that_fork_and_end_one_after_the_other_the_last_one_is_as_the_first_was():
    for _ in range(3):
        with support.Folder() as folder:
            subprocess.run(["cc", "-O2", "-o", folder / "chain", "-x", "c", "-"], input=CHAIN, text=True, check=True)
            process = subprocess.Popen([folder / "chain", folder / "stop"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            first = int(support.read_line(process.stdout, "its pid").split()[1])
            before = code_of(first)
            with Profiler(WORK, "--pid", first, options=IN_PROCESS) as profiler:
                process.stdin.write(b"\n")
                process.stdin.flush()
                process.wait()  # it goes on in its children
                support.wait_for(lambda: support.operation(profiler.snapshot_now(), "work")["calls"] > 50, "calls")
                notes = profiler.finish(end=True)["health"]["notes"]
            (folder / "stop").touch()
            last = int(support.read_line(process.stdout, "the last pid").split()[1])
            try:
                after = code_of(last)
            finally:
                os.kill(last, signal.SIGKILL)
        assert after == before or any("could not be put back" in note for note in notes), notes
        same = [re.sub(r"process \d+( and \d+ others?)?", "processes", note) for note in notes]
        assert len(same) == len(set(same)), notes


def test_whom_restore_and_doctor_may_not_look_into_is_said():
    with Target(TARGETS / "counted", "10", "1") as target:
        with Profiler(WORK, "--pid", target.pid, options=IN_PROCESS) as profiler:
            pids = processes_of(profiler)
            for sent in (signal.SIGSTOP, signal.SIGKILL):
                for pid in pids:
                    os.kill(pid, sent)
            profiler.process.wait()
        try:
            done = subprocess.run([*NOBODY, support.COMPMOND, "restore"], capture_output=True, text=True, check=False)
            assert done.returncode == 77 and "in any other process" in done.stdout, done
            assert "processes of other users were not looked at" in done.stderr and "sudo compmond restore" in done.stderr, done
            told = subprocess.run([*NOBODY, support.COMPMOND, "doctor"], capture_output=True, text=True, check=False).stdout
            assert told.count("of other users not looked at for what a killed compmond left there") == 1, told
        finally:
            assert f"process {target.pid}: " in restored()
        assert target.finish()[1] == 0
