# SPDX-License-Identifier: Apache-2.0
"""What a hostile surrounding does: floods, closed streams, no descriptors, processes that slip away."""

import json
import os
import resource
import signal
import stat
import subprocess

import pytest
import support
from support import COMPMOND, TARGETS, Folder, Profiler, Target, check_accounting, component, operation

WAIT = r"""
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <pthread.h>
static void held(void) { char c; printf("pid %d\n", (int)getpid()); fflush(stdout); if (read(0, &c, 1) < 0) _exit(1); }
"""


def program(folder, name, source):
    path = folder / name
    (folder / f"{name}.c").write_text(WAIT + source)
    subprocess.run(["cc", "-O2", "-o", str(path), str(folder / f"{name}.c"), "-lpthread"], check=True)
    return path


def run(folder, *arguments, **streams):
    """compmond on a program that calls work() ten times, with the given streams."""
    spec = folder / "spec.json"
    spec.write_text(json.dumps(support.spec(["work"])))
    command = [str(a) for a in (COMPMOND, "--spec", spec, *arguments, "--", TARGETS / "counted", "10", "1")]
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **streams}
    return subprocess.run(command, stdin=subprocess.DEVNULL, timeout=support.DEADLINE, **streams).returncode


FLOOD = r"""
void quick(void); /* the cheapest site there is: 5-byte nop */
__asm__(".globl quick\n.type quick,@function\nquick: .byte 0x0f,0x1f,0x44,0,0; xor %eax,%eax; ret\n.size quick,.-quick\n");
static void *run(void *p) { for (;;) quick(); return p; }
int main(void) { pthread_t t; held(); for (int i = 0; i < 3; i++) pthread_create(&t, 0, run, 0); run(0); return 0; }
"""


@pytest.mark.parametrize("ring", ["1", "16"])
def test_snapshots_and_the_end_do_not_wait_for_a_flood_to_end(ring):
    with Folder() as folder, Target(program(folder, "flood", FLOOD)) as target:
        with Profiler(support.spec(["quick"]), "--pid", target.pid, options=["--ring", ring]) as profiler:
            target.release()
            for _ in range(3):
                check_accounting(profiler.snapshot_now())
            snapshot = profiler.finish(end=True)
        assert target.process.poll() is None
    assert snapshot["health"]["pending"] == 0
    assert snapshot["health"]["hits"] == snapshot["health"]["delivered"] + snapshot["health"]["lost"]
    wall = snapshot["window"]["end_ns"] - snapshot["window"]["start_ns"]
    assert 0 <= operation(snapshot, "quick")["net_real_ns"] <= operation(snapshot, "quick")["real_ns"] <= 4 * wall
    check_accounting(snapshot)


FORK_STORM = r"""
__attribute__((noipa)) int work(int n) { return n + 1; }
static void *run(void *u) { for (;;) { pid_t p = vfork(); if (p == 0) _exit(0); waitpid(p, 0, 0); } return u; }
int main(void) { pthread_t t; held(); for (int i = 0; i < 4; i++) pthread_create(&t, 0, run, 0); for (;;) { work(1); usleep(1000); } }
"""


def test_nothing_is_pending_at_the_end_although_the_target_forks_on():
    with Folder() as folder, Target(program(folder, "storm", FORK_STORM)) as target:
        target.release()
        for _ in range(8):
            with Profiler(support.spec(["work"]), "--pid", target.pid) as profiler:
                snapshot = profiler.finish(end=True)
            assert snapshot["health"]["pending"] == 0
            check_accounting(snapshot)


DAEMON = r"""
__attribute__((noipa)) int work(int n) { return n + 1; }
int main(int argc, char **argv) {
    usleep(atoi(argv[argc - 1]) * 1000);
    if (fork() != 0) _exit(0);
    usleep(150000);
    for (int i = 0; i < 50; i++) work(i);
    return 0;
}
"""


def test_a_command_that_goes_to_the_background_is_observed_to_its_end():
    """Its first process ends right after the fork, at any moment between two looks at the processes."""
    with Folder() as folder:
        path = program(folder, "daemon", DAEMON)
        for milliseconds in range(90, 102, 2):
            with Profiler(support.spec(["work"]), "--", path, milliseconds) as profiler:
                assert operation(profiler.finish(), "work")["calls"] == 50, milliseconds


CHILDREN = r"""
int main(void) {
    held();
    for (int i = 0; i < 60; i++) { if (fork() == 0) { usleep(300000); free(malloc(7)); _exit(0); } usleep(10000); }
    while (wait(0) > 0) { }
    return 0;
}
"""


def test_a_lack_of_descriptors_is_told_and_no_refusal_of_the_function():
    if b"__ubsan_handle_dynamic_type_cache_miss" in COMPMOND.read_bytes():
        pytest.skip("the sanitizer's own check of types needs descriptors")

    def few_descriptors():
        resource.setrlimit(resource.RLIMIT_NOFILE, (70 + os.cpu_count(),) * 2)

    spec = support.spec(None, image="libc.so.6", components=[{"name": "libc", "in": ["malloc"]}])
    with Folder() as folder, Target(program(folder, "children", CHILDREN)) as target:
        path = folder / "spec.json"
        path.write_text(json.dumps(spec))
        with open(folder / "err", "wb") as err:
            process = subprocess.Popen([str(COMPMOND), "--spec", str(path), "--pid", str(target.pid), "--snapshot", str(folder / "s.json")],
                                       stdout=subprocess.DEVNULL, stderr=err, preexec_fn=few_descriptors)
        support.wait_for(lambda: b"ready" in (folder / "err").read_bytes() or process.poll() is not None, "ready")
        assert target.finish()[1] == 0
        process.wait(timeout=support.DEADLINE)
        if b"ready" not in (folder / "err").read_bytes():
            assert process.returncode == 69 and b"ulimit" in (folder / "err").read_bytes()
            return
        assert process.returncode == 0, (folder / "err").read_text()
        snapshot = json.loads((folder / "s.json").read_text())
    assert component(snapshot, "libc")["status"] == "attached", snapshot["health"]
    assert snapshot["health"]["refused"] == []


def test_a_command_is_started_with_the_signals_that_it_would_have_without():
    spec = support.spec(None, image="libc.so.6", components=[{"name": "libc", "in": ["malloc"]}])
    with Profiler(spec, "--", "/usr/bin/grep", "SigIgn\\|SigBlk", "/proc/self/status") as profiler:
        profiler.finish()
        observed = profiler.stdout.decode().splitlines()[:2]
    plain = subprocess.run(["grep", "SigIgn\\|SigBlk", "/proc/self/status"], capture_output=True, text=True, check=True)
    assert observed == plain.stdout.splitlines()


def test_a_full_or_closed_stderr_stops_nothing():
    with Folder() as folder:
        with open("/dev/full", "wb") as full:
            assert run(folder, stderr=full) == 0
        assert run(folder, stderr=None, preexec_fn=lambda: os.close(2)) == 0


def test_a_full_stdout_is_an_error_and_a_closed_one_is_not():
    with Folder() as folder:
        with open("/dev/full", "wb") as full:
            assert run(folder, stdout=full) == 73
            assert run(folder, "--snapshot", "-", stdout=full) == 73
        snapshot = folder / "snapshot.json"
        assert run(folder, "--snapshot", snapshot, stdout=None, preexec_fn=lambda: os.close(1)) == 0
        assert json.loads(snapshot.read_text())["health"]["balanced"] is True
        assert run(folder, "--snapshot", "-", stdout=None, preexec_fn=lambda: os.close(1)) == 73


def test_a_snapshot_never_replaces_what_is_no_file():
    with Folder() as folder:
        fifo = folder / "fifo"
        os.mkfifo(fifo)
        assert run(folder, "--snapshot", fifo) == 73
        assert stat.S_ISFIFO(os.lstat(fifo).st_mode)
        link = folder / "stdout"
        link.symlink_to("/proc/self/fd/1")
        assert run(folder, "--snapshot", link) == 73
        assert link.is_symlink()


def test_two_compmonds_on_one_process_count_the_same():
    with Target(TARGETS / "counted", "20000", "4") as target:
        with Profiler(support.spec(["work"]), "--pid", target.pid) as one, Profiler(support.spec(["work"]), "--pid", target.pid) as two:
            assert target.finish()[1] == 0
            snapshots = [one.finish(), two.finish()]
    for snapshot in snapshots:
        assert operation(snapshot, "work")["closed"]["returned"] == 20000
        check_accounting(snapshot)


def test_a_target_killed_in_the_middle_of_calls():
    with Folder() as folder, Target(program(folder, "flood", FLOOD)) as target:
        with Profiler(support.spec(["quick"]), "--pid", target.pid) as profiler:
            target.release()
            support.wait_for(lambda: operation(profiler.snapshot_now(), "quick")["calls"] > 0, "calls")
            target.process.send_signal(signal.SIGKILL)
            snapshot = profiler.finish()
    assert snapshot["health"]["pending"] == 0
    assert operation(snapshot, "quick")["open"] == 0
    check_accounting(snapshot)


def children_of(pid):
    try:
        return [int(c) for t in os.listdir(f"/proc/{pid}/task")
                for c in open(f"/proc/{pid}/task/{t}/children").read().split()]
    except OSError:
        return []


def status_of(pid):
    try:
        return open(f"/proc/{pid}/status").read()
    except OSError:
        return ""


def stop_the_reader(profiler):
    """Holds the process that reads the program's files; None where it was missed."""
    while profiler.process.poll() is None and "compmond: ready\n" not in profiler.stderr():
        for child in children_of(profiler.process.pid):
            # The one without a name of its own: the others write the snapshot, remove sockets, make unwinders.
            if "CapBnd" in (text := status_of(child)) and "Seccomp:\t2" in text and "Name:\tcompmond-" not in text:
                os.kill(child, signal.SIGSTOP)
                return child
    return None


@pytest.mark.parametrize("way", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_at_once_while_a_program_is_read_without_end(way):
    with Folder(), Target(TARGETS / "counted", "10", "1") as target:
        for _ in range(50):
            with Profiler(support.spec(["work"]), "--pid", target.pid, wait=False) as profiler:
                reader = stop_the_reader(profiler)
                if reader is None:
                    continue
                profiler.process.send_signal(way)
                # Without the signal it would wait for a minute.
                assert profiler.process.wait(timeout=support.DEADLINE) == 128 + way
                assert "stopped before anything was observed: SIG" in profiler.stderr()
                assert not os.path.exists(f"/run/compmond/{profiler.process.pid}.sock")
                assert not os.path.exists(f"/proc/{reader}")
                return
    raise AssertionError("the process that reads was never met")


@pytest.mark.parametrize("flag", ["--snapshot", "--folded", "--speedscope"])
def test_a_file_that_cannot_be_written_is_refused_before_the_target_is_touched(flag):
    with Folder() as folder:
        spec = folder / "spec.json"
        spec.write_text(json.dumps(support.spec(["work"])))
        ran = folder / "ran"
        inside = ["--inside", "Test"] if flag in ("--folded", "--speedscope") else []
        done = subprocess.run([str(a) for a in (COMPMOND, "--spec", spec, "--headless", *inside, flag,
                                                folder / "nope" / "out", "--", "/bin/touch", ran)],
                              text=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=support.DEADLINE)
        assert not ran.exists()
    assert done.returncode == 73 and "cannot write" in done.stderr, done.stderr
