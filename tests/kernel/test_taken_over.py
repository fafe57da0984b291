# SPDX-License-Identifier: Apache-2.0
"""What who takes over a process of compmond could do: each system call is made in it, and must fail."""

import contextlib
import errno
import os
import pathlib
import signal
import subprocess

import pytest
import support
from injection import Gone, TakenOver, children, helper, started
from support import TARGETS, Folder, Profiler, Target, operation

SPEC = support.spec(["work"])
CWD = -100
RDONLY, WRONLY, RDWR, CREAT, EXCL, TRUNC = 0, 1, 2, 0o100, 0o200, 0o1000
# Numbers of system calls.
(CLONE, FORK, VFORK, EXECVE, KILL, TRUNCATE, RENAME, MKDIR, UNLINK, SYMLINK, CHMOD, CHOWN, PTRACE, SETUID) = (
    56, 57, 58, 59, 62, 76, 82, 83, 87, 88, 90, 92, 101, 105)
(SETRESUID, CHROOT, MOUNT, INIT_MODULE, TKILL, OPENAT, UNLINKAT, RENAMEAT, LINKAT, UNSHARE, PRLIMIT, VM_WRITEV, BPF, CLONE3,
 OPENAT2) = (
    117, 161, 165, 175, 200, 257, 263, 264, 265, 272, 302, 311, 321, 435, 437)
UP = "../" * 10  # out of any folder here
NEVER = ("/etc/cron.d/compmond-test", "/root/.profile-compmond-test")  # files that must never come to be


@pytest.fixture
def place():
    """A folder that everybody may write to, with a file of root."""
    with Folder() as folder:
        folder.chmod(0o777)
        (folder / "secret").write_text("untouched")
        (folder / "secret").chmod(0o600)
        try:
            yield folder
        finally:
            for path in NEVER:
                pathlib.Path(path).unlink(missing_ok=True)


@pytest.fixture
def stranger():
    """A process of the user that compmond becomes, which it has nothing to do with."""
    process = subprocess.Popen(["setpriv", "--reuid=65534", "--clear-groups", "sleep", "1000"])
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def attempts(place, target, stranger):
    """What must fail, whoever of compmond's tries: by name, the call and its arguments."""
    secret, fresh = str(place / "secret"), str(place / "fresh")
    tries = {}
    for path in ("/etc/shadow", "/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", secret, f"/proc/{target}/mem", "/proc/1/mem",
                 "/dev/mem"):
        for flags in (WRONLY, RDWR):  # which alone changes nothing, where it does not fail
            tries[f"open {path} {flags:o}"] = (OPENAT, CWD, path, flags, 0)
    for path in ("/etc/shadow", secret, "/dev/mem", f"/proc/{target}/environ"):
        tries[f"read {path}"] = (OPENAT, CWD, path, RDONLY, 0)
    for path in (*NEVER, fresh):
        tries[f"make {path}"] = (OPENAT, CWD, path, WRONLY | CREAT | EXCL, 0o644)
    tries |= {
        "unlink": (UNLINK, secret), "unlinkat": (UNLINKAT, CWD, secret, 0), "rename": (RENAME, secret, fresh),
        "renameat": (RENAMEAT, CWD, secret, CWD, fresh), "symlink": (SYMLINK, "/etc/shadow", fresh), "mkdir": (MKDIR, fresh, 0o755),
        "linkat": (LINKAT, CWD, secret, CWD, fresh, 0), "chmod": (CHMOD, secret, 0o777), "chown": (CHOWN, secret, 65534, 65534),
        "truncate": (TRUNCATE, secret, 0), "execve": (EXECVE, "/bin/true", 0, 0),
        "ptrace the target": (PTRACE, 16, target, 0, 0), "ptrace a stranger": (PTRACE, 0x4206, stranger, 0, 0),
        "write into the target": (VM_WRITEV, target, b"\0" * 16, 1, b"\0" * 16, 1, 0),
        "setuid": (SETUID, 0), "setresuid": (SETRESUID, 0, 0, 0), "mount": (MOUNT, "none", str(place), "tmpfs", 0, 0),
        "chroot": (CHROOT, str(place)), "unshare": (UNSHARE, 0x10000000), "init_module": (INIT_MODULE, b"\0" * 16, 0, ""),
        "load a program into the kernel": (BPF, 5, b"\0" * 128, 128), "kill the target": (KILL, target, signal.SIGKILL),
        "kill a stranger": (KILL, stranger, signal.SIGKILL), "signal init": (KILL, 1, 0), "tkill": (TKILL, stranger, signal.SIGKILL),
        "another's limits": (PRLIMIT, target, 7, b"\1" * 16, 0),
    }
    return tries


FORKS = {"fork": (FORK,), "vfork": (VFORK,), "clone": (CLONE, signal.SIGCHLD, 0, 0, 0, 0), "clone3": (CLONE3, b"\0" * 64, 64)}


def try_all(pid, tries):
    with TakenOver(pid) as process:
        results = {name: process.call(*call) for name, call in tries.items()}
    assert not {name: result for name, result in results.items() if result >= 0 or result == -errno.EFAULT}, results


def check_unharmed(place, target, stranger):
    assert (place / "secret").read_text() == "untouched"
    assert os.listdir(place) == ["secret"]
    assert stranger.poll() is None
    assert target.process.poll() is None
    assert not any(os.path.exists(path) for path in NEVER)


class Run:
    """compmond, observing a program, and what must fail in whichever of its processes."""

    def __init__(self, place, stranger, target, profiler):
        self.profiler, self.pid = profiler, started(profiler)
        self.tries = attempts(place, target.pid, stranger.pid)

    def folder_of(self, name):
        """A helper's process, and its descriptor of the folder that it holds."""
        pid = helper(self.pid, name)
        (folder,) = [int(fd) for fd in os.listdir(f"/proc/{pid}/fd") if os.path.isdir(f"/proc/{pid}/fd/{fd}")]
        return pid, folder


@pytest.fixture
def observe(place, stranger):
    @contextlib.contextmanager
    def run():
        """A run that must go on, and see each call, whatever is tried in it."""
        with Target(TARGETS / "counted", "10", "1") as target, Profiler(SPEC, "--pid", target.pid) as profiler:
            yield Run(place, stranger, target, profiler)
            check_unharmed(place, target, stranger)
            target.finish()
            assert operation(profiler.finish(), "work")["calls"] == 10
    return run


def test_in_the_daemon_each_fails_and_it_goes_on(observe):
    with observe() as run:
        try_all(run.pid, run.tries | FORKS)
        assert run.profiler.snapshot_now()["health"]["balanced"]


def test_of_a_replay_likewise(place, stranger, tmp_path):
    log = tmp_path / "log"
    with Target(TARGETS / "counted", "10", "1") as target, Profiler(SPEC, "--pid", target.pid, options=["--record", log]) as profiler:
        target.finish()
        profiler.finish()
    spare = tmp_path / "again.json"
    command = [support.COMPMOND, "replay", log, "--headless", "--keep", "--snapshot", spare]
    with Target(TARGETS / "counted") as target, subprocess.Popen(command, stderr=subprocess.PIPE) as replay:
        try:
            support.wait_for(lambda: len(os.listdir(f"/proc/{replay.pid}/task")) > 1, "its threads")
            try_all(replay.pid, attempts(place, target.pid, stranger.pid) | FORKS)
            check_unharmed(place, target, stranger)
        finally:
            replay.send_signal(signal.SIGINT)
            assert replay.wait(support.DEADLINE) == 0
    assert spare.exists()


def test_in_the_process_that_writes_snapshots_each_fails_and_it_goes_on(observe, place):
    with observe() as run:
        writer, folder = run.folder_of("compmond-writer")
        elsewhere = {
            "make a file elsewhere": (OPENAT, folder, f"{UP}etc/cron.d/compmond-test", WRONLY | CREAT | EXCL, 0o644),
            "open a file elsewhere": (OPENAT, folder, f"{UP}etc/shadow", WRONLY, 0),
            "read a file elsewhere": (OPENAT, folder, f"{UP}etc/shadow", RDONLY, 0),
            "move it elsewhere": (RENAMEAT, folder, "snapshot.json", folder, f"{UP}etc/cron.d/compmond-test"),
            "move another one here": (RENAMEAT, folder, f"{UP}{place}/secret", folder, "mine"),
            "remove one elsewhere": (UNLINKAT, folder, f"{UP}{place}/secret", 0),
        }
        run.profiler.snapshot_now()
        try_all(writer, run.tries | FORKS | elsewhere)
        run.profiler.snapshot_now()


def test_in_the_process_that_removes_sockets_each_fails(observe, place):
    with observe() as run:
        remover, folder = run.folder_of("compmond-remove")
        try_all(remover, run.tries | FORKS | {"elsewhere": (UNLINKAT, folder, f"{UP}{place}/secret", 0)})
        assert os.path.exists(f"/run/compmond/{run.pid}.sock")
    assert not os.path.exists(f"/run/compmond/{run.pid}.sock")


def test_in_the_process_that_opens_files_each_but_reading_fails(observe, place):
    with observe() as run:
        tries = {name: call for name, call in (run.tries | FORKS).items() if not name.startswith("read ")}
        for flags in (RDONLY, WRONLY, RDONLY | TRUNC):  # which cannot be looked at: there is none
            tries[f"openat2 secret {flags:o}"] = (OPENAT2, CWD, str(place / "secret"), flags.to_bytes(24, "little"), 24)
        tries["open secret, empty it"] = (OPENAT, CWD, str(place / "secret"), RDONLY | TRUNC, 0)
        try_all(helper(run.pid, "compmond-open"), tries)


def test_in_the_process_that_looks_at_code_each_fails_and_it_goes_on(observe):
    with observe() as run:
        try_all(helper(run.pid, "compmond-look"), run.tries | FORKS)


def test_in_the_process_that_waits_to_take_probes_away_each_fails(observe):
    with observe() as run:
        try_all(helper(run.pid, "compmond-mend"), run.tries | FORKS)


def test_in_the_process_that_makes_confined_ones_each_but_forking_fails(observe):
    with observe() as run:
        try_all(helper(run.pid, "compmond-unwind"), run.tries)


def test_in_the_process_that_unwinds_each_ends_it_or_fails_and_others_take_its_place(observe):
    with observe() as run:
        (child,) = children(helper(run.pid, "compmond-unwind"))
        for name, call in (run.tries | FORKS).items():
            # Where a call ends it, a new one would come only with the next sample: the others are tried where it goes on.
            if call[0] == OPENAT:
                with TakenOver(child) as process:
                    assert process.call(*call) == -errno.EACCES, name
        with pytest.raises(Gone) as gone, TakenOver(child) as process:
            process.call(*run.tries["execve"])
        assert gone.value.signal == signal.SIGSYS
