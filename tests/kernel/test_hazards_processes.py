# SPDX-License-Identifier: Apache-2.0
"""Processes that stop, end at any moment, lose their main thread, or take over the number of another one."""

import concurrent.futures
import contextlib
import json
import os
import signal
import subprocess

import pytest
import support
from support import COMPMOND, TARGETS, Folder, Profiler, Target, check_accounting, operation

WORK = support.spec(["work"])


def state(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        return file.read().rsplit(")", 1)[1].split()[0]


def build(folder, name, source, *flags):
    (folder / f"{name}.c").write_text(source)
    subprocess.run(["cc", "-O2", *flags, "-o", str(folder / name), str(folder / f"{name}.c"), "-lpthread"], check=True)
    return folder / name


def test_a_stopped_process_is_attached_to_and_counted_when_it_goes_on():
    with Target(TARGETS / "counted", "1000", "2") as target:
        target.process.send_signal(signal.SIGSTOP)
        support.wait_for(lambda: state(target.pid) == "T", "the stop")
        with Profiler(WORK, "--pid", target.pid) as profiler:
            assert operation(profiler.snapshot_now(), "work")["calls"] == 0
            assert state(target.pid) == "T"
            target.process.send_signal(signal.SIGCONT)
            assert target.finish()[1] == 0
            snapshot = profiler.finish()
    assert operation(snapshot, "work")["closed"]["returned"] == 1000
    check_accounting(snapshot)


def test_detaching_from_a_stopped_process_leaves_it_stopped_and_whole():
    with Target(TARGETS / "counted", "1000", "2") as target:
        target.process.send_signal(signal.SIGSTOP)
        support.wait_for(lambda: state(target.pid) == "T", "the stop")
        with Profiler(WORK, "--pid", target.pid) as profiler:
            profiler.finish(end=True)
        assert state(target.pid) == "T"
        target.process.send_signal(signal.SIGCONT)
        assert target.finish()[1] == 0


BRIEF = r"""
#include <stdlib.h>
#include <unistd.h>
__attribute__((noipa)) int work(int n) { return n + 1; }
int main(int argc, char **argv) { usleep(argc > 1 ? atoi(argv[1]) : 0); return work(-1); }
"""


def test_a_process_that_ends_while_compmond_attaches_is_observed_or_named_as_gone():
    """Lives of 0 to 975 ms, so that some end in each step of attaching."""
    with Folder() as folder:
        program = build(folder, "brief", BRIEF)
        (folder / "spec.json").write_text(json.dumps(WORK))

        def attach(number):
            target = subprocess.Popen([str(program), str(number * 25000)])
            snapshot = folder / f"{number}.json"
            done = subprocess.run([str(a) for a in (COMPMOND, "--spec", folder / "spec.json", "--pid", target.pid, "--snapshot", snapshot)],
                                  capture_output=True, text=True, timeout=support.DEADLINE)
            assert target.wait(timeout=support.DEADLINE) == 0
            if done.returncode == 0:
                figures = json.loads(snapshot.read_text())
                check_accounting(figures)
                assert operation(figures, "work")["calls"] in (0, 1)
                assert operation(figures, "work")["open"] == 0
            else:
                assert done.returncode == 66, done.stderr
                assert done.stderr.startswith("compmond: "), done.stderr
                assert str(target.pid) in done.stderr or "the target: it has ended already" in done.stderr, done.stderr
                assert not snapshot.exists()
            return done.returncode

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            codes = list(pool.map(attach, range(40)))
    assert set(codes) <= {0, 66} and 66 in codes


MAIN_IS_GONE = r"""
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
__attribute__((noipa)) int work(int n) { return n + 1; }
static int zombie(void) {
    char line[512] = "";
    FILE *file = fopen("/proc/self/stat", "r");
    if (file == NULL || fgets(line, sizeof line, file) == NULL) _exit(1);
    fclose(file);
    return strstr(line, ") Z") != NULL;
}
static void *run(void *unused) {
    char c; int n = 0;
    while (!zombie()) { }
    printf("pid %d\n", (int)getpid()); fflush(stdout);
    if (read(0, &c, 1) < 0) _exit(1);
    for (int i = 0; i < 100; i++) n = work(n);
    printf("n %d\n", n);
    return unused;
}
int main(void) { pthread_t t; pthread_create(&t, NULL, run, NULL); pthread_exit(NULL); }
"""


def test_a_process_whose_main_thread_has_ended_is_observed():
    with Folder() as folder:
        out, status, snapshot = support.observe(WORK, build(folder, "gone", MAIN_IS_GONE))
    assert (out, status) == ("n 100\n", 0)
    assert operation(snapshot, "work")["closed"]["returned"] == 100
    check_accounting(snapshot)


@pytest.mark.parametrize("attach", support.attach_kinds())
def test_in_a_process_without_its_main_thread_a_library_of_others_is_no_silent_zero(attach):
    """Probes of that process alone: the kernel knows it by its main thread, or by any (per-symbol)."""
    spec = support.spec(None, components=[{"name": "libc", "image": "libc.so.6", "in": ["labs"]}])
    with Folder() as folder:
        source = MAIN_IS_GONE.replace("n = work(n)", "n = 1 + labs(-n)").replace("#include <stdio.h>", "#include <stdio.h>\n#include <stdlib.h>")
        gone = build(folder, "gone", source, "-fno-builtin")
        out, status, snapshot = support.observe(spec, gone, options=["--attach", attach])
    assert (out, status) == ("n 100\n", 0)
    labs = operation(snapshot, "labs")
    if attach == "per-symbol":
        assert labs["calls"] == 100
    else:
        assert labs["engine"] == "sampling" and "has ended" in labs["reason"], labs
    check_accounting(snapshot)


# as_pid PID PROGRAM...: runs the program under this process number.
AS_PID = r"""
#define _GNU_SOURCE
#include <linux/sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv) {
    pid_t wanted = atoi(argv[1]);
    int status;
    struct clone_args args = {.exit_signal = 17, .set_tid = (uintptr_t)&wanted, .set_tid_size = 1};
    long pid = syscall(SYS_clone3, &args, sizeof args);
    if (pid == 0) { execv(argv[2], argv + 2); _exit(127); }
    if (pid < 0) { perror("clone3"); return 100; }
    waitpid((pid_t)pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
"""


def test_a_stranger_that_gets_the_number_of_an_observed_process_is_not_counted():
    with Folder() as folder:
        as_pid = build(folder, "as_pid", AS_PID)
        with Target(TARGETS / "counted", "100", "1") as first, Target(TARGETS / "counted", "10", "1") as second:
            with Profiler(WORK, "--pid", first.pid, "--pid", second.pid) as profiler:
                assert first.finish()[1] == 0  # and is reaped: the number is free
                done = subprocess.run([str(as_pid), str(first.pid), str(TARGETS / "counted"), "1000", "1"], capture_output=True, text=True)
                assert done.returncode == 0, done.stderr
                assert done.stdout.startswith("calls 1000 ")
                assert second.finish()[1] == 0
                snapshot = profiler.finish()
    assert operation(snapshot, "work")["calls"] == 110
    assert {t["pid"] for t in snapshot["targets"]} == {first.pid, second.pid}
    check_accounting(snapshot)


def test_compmond_ends_with_its_targets_though_a_stranger_lives_on_under_a_number_of_theirs():
    counted = str(TARGETS / "counted")
    with Folder() as folder:
        as_pid = build(folder, "as_pid", AS_PID)
        with Target(counted, "100", "1") as first, Target(counted, "10", "1") as second:
            with Profiler(WORK, "--pid", first.pid, "--pid", second.pid) as profiler:
                assert first.finish()[1] == 0
                stranger = subprocess.Popen([str(as_pid), str(first.pid), counted, "--wait", "1000", "1"], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE)
                try:
                    assert support.read_line(stranger.stdout, "the stranger") == f"pid {first.pid}\n"
                    assert second.finish()[1] == 0
                    snapshot = profiler.finish()
                finally:
                    stranger.communicate(b"\n", timeout=support.DEADLINE)
    assert len(snapshot["targets"]) == 2
    assert not any(t["alive"] for t in snapshot["targets"])


def test_a_number_used_twice_under_one_program_is_two_processes():
    hot = [str(TARGETS / "hot"), "200", "1", "600"]
    with Folder() as folder:
        as_pid = build(folder, "as_pid", AS_PID)
        with Target(hot[0], *hot[1:]) as first, Profiler(support.spec(["hot_path"]), "--exe", hot[0]) as profiler:
            first.process.terminate()
            first.process.wait(timeout=support.DEADLINE)
            again = subprocess.Popen([str(as_pid), str(first.pid), *hot])
            try:
                support.wait_for(lambda: len(profiler.snapshot_now()["targets"]) == 2, "the second process")
            finally:
                os.kill(first.pid, signal.SIGTERM)
                again.wait(timeout=support.DEADLINE)
            snapshot = profiler.finish(end=True)
    assert [t["pid"] for t in snapshot["targets"]] == [first.pid, first.pid]
    assert len({t["start_ns"] for t in snapshot["targets"]}) == 2
    assert operation(snapshot, "hot_path")["calls"] > 0
    check_accounting(snapshot)


FORKING = r"""
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
__attribute__((noipa)) long work(long n) { return n * 3 + 1; }
int main(int argc, char **argv) {
    char c; int i, done[2], end[2];
    printf("pid %d\n", (int)getpid()); fflush(stdout);
    if (read(0, &c, 1) < 0 || pipe(done) || pipe(end)) return 1;
    for (i = 0; i < atoi(argv[2]); ++i) {
        if (fork() != 0) continue;
        close(end[1]);
        work(i);
        if (write(done[1], "", 1) != 1 || read(end[0], &c, 1) < 0) _exit(1);
        _exit(0);
    }
    for (i = 0; i < atoi(argv[2]); ++i) if (read(done[0], &c, 1) != 1) return 1;
    while (read(0, &c, 1) > 0) { }
    return 0; /* the children end, as nobody writes any more */
}
"""


@pytest.fixture(name="small")
def compmond_on_a_small_machine():
    """A compmond that believes that there can be 16 threads, and so many places for processes."""
    with Folder() as folder:
        (folder / "threads-max").write_text("16\n")
        inside = f'mount --bind {folder}/threads-max /proc/sys/kernel/threads-max && exec {COMPMOND} "$@"'
        program = folder / "compmond"
        program.write_text(f"#!/bin/sh\nexec unshare -m sh -c '{inside}' sh \"$@\"\n")
        program.chmod(0o755)
        yield program


def check_without_place(snapshot, calls, missed):
    work = operation(snapshot, "work")
    assert (work["calls"], work["at_least"]) == (calls, True)
    notes = snapshot["health"]["notes"]
    assert any(note.startswith(f"{missed} times a process of this program found no place") for note in notes), notes
    check_accounting(snapshot)


@pytest.mark.parametrize("engine", ["auto", "uprobe"])
def test_forked_processes_that_find_no_place_are_counted_and_figures_marked(small, engine):
    """More than are observed at once: 40 children beside their parent."""
    with Folder() as folder:
        with Target(build(folder, "forking", FORKING), "40") as target, \
                Profiler(WORK, "--pid", target.pid, program=small, options=["--engine", engine]) as profiler:
            before = operation(profiler.snapshot_now(), "work")
            assert (before["calls"], before["at_least"]) == (0, False)
            assert target.finish() == ("", 0)
            check_without_place(profiler.finish(), 15, 25)


def test_processes_of_a_program_that_find_no_place_are_counted_and_figures_marked(small):
    with contextlib.ExitStack() as held:
        targets = [held.enter_context(Target(TARGETS / "counted", "10", "1")) for _ in range(20)]
        with Profiler(WORK, "--exe", TARGETS / "counted", program=small) as profiler:
            for target in targets:
                assert target.finish()[1] == 0
            check_without_place(profiler.finish(end=True), 160, 4)


STRTOL = support.spec(None, components=[{"name": "libc", "image": "libc.so.6", "in": ["strtol"]}])


def test_processes_that_no_descriptor_is_left_for_are_counted_and_figures_marked():
    """Others use the C library as well: each process needs a descriptor, and probes of its own."""
    with Folder() as folder:
        program = folder / "compmond"
        program.write_text(f'#!/bin/sh\nexec prlimit --nofile={70 + os.cpu_count()} {COMPMOND} "$@"\n')
        program.chmod(0o755)
        forking = build(folder, "forking", FORKING.replace("work(i);", 'strtol("12", NULL, 10);'), "-fno-builtin")
        with Target(forking, "60") as target, Profiler(STRTOL, "--pid", target.pid, program=program) as profiler:
            target.release()
            support.wait_for(lambda: any("had no descriptor left for another one" in note for note in profiler.snapshot_now()["health"]["notes"]),
                             "what is said of them")
            assert target.finish() == ("", 0)
            snapshot = profiler.finish()
    assert operation(snapshot, "strtol")["at_least"] is True
    check_accounting(snapshot)


ENDING = r"""
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv) {
    char c; int i;
    printf("pid %d\n", (int)getpid()); fflush(stdout);
    if (read(0, &c, 1) < 0) return 1;
    for (i = 0; i < atoi(argv[2]); ++i) { if (vfork() == 0) _exit(0); wait(NULL); }
    printf("done\n"); fflush(stdout);
    while (read(0, &c, 1) > 0) { }
    return 0;
}
"""


@pytest.mark.alone
def test_ends_that_there_is_no_room_to_tell_of_are_counted_and_figures_marked():
    """More processes than compmond has room for end while it is held up."""
    with Folder() as folder, Target(build(folder, "ending", ENDING), "17000") as target, \
            Profiler(STRTOL, "--pid", target.pid) as profiler:
        assert operation(profiler.snapshot_now(), "strtol")["at_least"] is False
        profiler.process.send_signal(signal.SIGSTOP)
        target.release()
        assert support.read_line(target.process.stdout, "the children's end") == "done\n"
        profiler.process.send_signal(signal.SIGCONT)
        assert target.finish()[1] == 0
        snapshot = profiler.finish()
    assert operation(snapshot, "strtol")["at_least"] is True
    notes = snapshot["health"]["notes"]
    assert any("compmond was told no more of them" in note for note in notes), notes
