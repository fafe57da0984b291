# SPDX-License-Identifier: Apache-2.0
"""Memory stays flat however many programs the observed processes execute. COMPMOND_EXECS (4,000 unless told otherwise; a day of a
busy shell is 100,000) says how many."""

import os
import statistics
import subprocess

import pytest
import support
from support import Folder, Profiler, Target, check_accounting, operation
from test_soak import descriptors, resident, told

EXECS = int(os.environ.get("COMPMOND_EXECS", "4000"))
LOOKS = 12
SETTLING = 4000  # executed before the first look: until then allocators grow whether or not something stays
THREADS = 35_000  # more than are told apart: beforehand, as their rows take memory, too
# What allocators may still settle by between two looks; a thread's state that stayed would be 700 bytes for each program.
SLACK_BYTES = 1 << 20
# Likewise where samples are taken; what they tell of threads and stacks has bounds of its own, which 8,000 programs do not reach.
SAMPLED_BYTES = 2 << 20

SHELL = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noipa)) void brief(void) { __asm__ volatile("" ::: "memory"); }
static void *from_thread(void *program) {
    brief();
    execl(program, program, "child", NULL);
    _exit(126);
}
/* Itself anew, a program that nobody observes, and itself from another thread than the first one. */
static void child(char *self, long i) {
    char none[] = "/bin/true";
    pthread_t t;
    brief();
    if (i % 8 != 0) execl(i % 2 ? self : none, self, "child", NULL);
    if (pthread_create(&t, NULL, from_thread, self) == 0) pthread_join(t, NULL);
    _exit(127);
}
static void *once(void *unused) { brief(); return unused; }
int main(int argc, char **argv) {
    char self[4096], line[64];
    if (argc > 1 && argv[1][0] == 'c') { brief(); return 0; }
    if (!realpath("/proc/self/exe", self)) return 1;
    printf("pid %d\n", (int)getpid()); fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        const long count = atol(line + 1);
        for (long i = 0; line[0] == 't' && i < count; i++) {
            pthread_t t;
            if (pthread_create(&t, NULL, once, NULL) != 0 || pthread_join(t, NULL) != 0) return 3;
        }
        for (long i = 0; line[0] == 'x' && i < count; i++) {
            const pid_t p = fork();
            int status = -1;
            if (p == 0) child(self, i);
            waitpid(p, &status, 0);
            if (status != 0) return 2;
        }
        printf("done %ld\n", count); fflush(stdout);
    }
    return 0;
}
"""


def have_done(target, what, count):
    target.process.stdin.write(f"{what}{count}\n".encode())
    target.process.stdin.flush()
    assert support.read_line(target.process.stdout, "what was asked for") == f"done {count}\n"


def grown(sizes):
    """By how much the last third is above the first."""
    third = len(sizes) // 3
    return statistics.median(sizes[-third:]) - statistics.median(sizes[:third])


def below(pid):
    """Bytes of all processes that it started, and they."""
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return sum(resident(child) + below(child) for child in map(int, file.read().split()))


def kib(sizes):
    return [size >> 10 for size in sizes]


@pytest.mark.alone
@pytest.mark.parametrize("sampled", ([], ["--samples", "off"], ["--engine", "sampling"]), ids=["both", "probes", "samples"])
def test_memory_stays_flat_over_execs(sampled):
    probes, samples = sampled[:1] != ["--engine"], sampled[:1] != ["--samples"]
    with Folder() as folder:
        (folder / "shell.c").write_text(SHELL)
        subprocess.run(["cc", "-O2", "-o", str(folder / "shell"), str(folder / "shell.c"), "-lpthread"], check=True)
        options = ["--history", 1, "--record", folder / "log", *sampled]
        with Target(folder / "shell") as target, \
                Profiler(support.spec(["brief"]), "--exe", folder / "shell", options=options) as profiler:
            pid, batch = profiler.process.pid, EXECS // LOOKS // 8 * 8
            sizes, kept, helpers = [], [], []
            open_before = descriptors(pid)
            have_done(target, "t", THREADS)
            have_done(target, "x", SETTLING)
            for _ in range(LOOKS):
                have_done(target, "x", batch)
                kept.append(told(profiler.snapshot_now()))
                sizes.append(resident(pid))
                helpers.append(below(pid))
            open_after = descriptors(pid)
            after = profiler.finish(end=True)
    print(f"\n{LOOKS * batch} execs: KiB resident {kib(sizes)}, told {kib(kept)}, its helpers {kib(helpers)}, "
          f"descriptors {open_before} -> {open_after}")
    if probes:
        check_accounting(after)
        # Each is one call before and, where it is itself again (a half and an eighth), one behind; each eighth has a thread besides.
        assert operation(after, "brief")["calls"] == THREADS + (SETTLING + LOOKS * batch) * 14 // 8
    assert grown(sizes) - grown(kept) < (SAMPLED_BYTES if samples else SLACK_BYTES), kib(sizes)
    assert grown(helpers) < SAMPLED_BYTES, kib(helpers)
    assert open_after <= open_before + 4, (open_before, open_after)
