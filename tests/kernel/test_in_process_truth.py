# SPDX-License-Identifier: Apache-2.0
"""What patched functions tell, held against the books of who calls them; and others that look at the same functions."""

import contextlib
import re
import signal
import subprocess

import pytest
import support
from support import TARGETS, Folder, Profiler, Target, check_accounting, operation
from test_in_process import IN_PROCESS, code_of
pytestmark = pytest.mark.alone  # times within a percent

BOOKS = r"""
#include <stdio.h>
#include <time.h>
static long long own, whole, calls;
static long long now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1000000000LL + t.tv_nsec; }
/* Works for 2 us, and keeps books of it. */
__attribute__((noipa)) void inner(void) { long long begin = now(), end; while ((end = now()) < begin + 2000) {} own += end - begin; calls++; }
/* Works for 3 us, and calls that three times. */
__attribute__((noipa)) void outer(void)
{
    long long begin = now();
    while (now() < begin + 3000) {}
    inner(); inner(); inner();
    whole += now() - begin;
}
int main(void)
{
    puts("ready"); fflush(stdout);
    getchar();
    for (int i = 0; i < 20000; i++) outer();
    printf("%lld %lld %lld\n", calls, own, whole);
    return 0;
}
"""
# Does what it is told: N calls for each line "N".
STEPS = r"""
#include <stdio.h>
#include <stdlib.h>
__attribute__((noipa)) long work(long value) { __asm__ volatile("" ::: "rbx"); return value * 3 + 1; }
int main(void)
{
    char line[32];
    long sum = 0;
    puts("ready"); fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        for (int i = 0; i < atoi(line); i++) sum += work(i);
        printf("%ld\n", sum); fflush(stdout);
    }
    return 0;
}
"""
# So many threads that are there at once: each calls work() for each line.
CROWD = r"""
#include <pthread.h>
#include <stdio.h>
#define THREADS 5000
#define CALLS 20
static pthread_barrier_t all;
static long sums[THREADS];
__attribute__((noipa)) long work(long value) { __asm__ volatile("" ::: "rbx"); return value + 1; }
static void *run(void *own)
{
    for (int round = 0; round < 2; round++) {
        pthread_barrier_wait(&all);
        for (int i = 0; i < CALLS; i++) sums[(long)own] = work(sums[(long)own]);
        pthread_barrier_wait(&all);
    }
    return NULL;
}
int main(void)
{
    long sum = 0;
    pthread_t id;
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 64 << 10);
    pthread_barrier_init(&all, NULL, THREADS + 1);
    for (long i = 0; i < THREADS; i++) if (pthread_create(&id, &small, run, (void *)i)) return 1;
    puts("ready"); fflush(stdout);
    for (int round = 0; round < 2; round++) {
        getchar();
        pthread_barrier_wait(&all);
        pthread_barrier_wait(&all);
        printf("%d\n", round); fflush(stdout);
    }
    for (int i = 0; i < THREADS; i++) sum += sums[i];
    printf("%ld\n", sum);
    return 0;
}
"""


@contextlib.contextmanager
def program(source):
    with Folder() as folder:
        path = folder / "program"
        subprocess.run(["cc", "-O2", "-o", path, "-x", "c", "-"], input=source, text=True, check=True)
        with subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            try:
                support.read_line(process.stdout, "that it is ready")
                yield process, path
            finally:
                process.kill()


def test_times_are_those_of_the_programs_own_books():
    """Within 1 % and 50 ns a call, as probes of a microsecond could not tell."""
    with program(BOOKS) as (process, _):
        with Profiler(support.spec(["inner", "outer"]), "--pid", process.pid, options=[*IN_PROCESS, "--max-overhead", "off"]) as profiler:
            out, _ = process.communicate(b"\n", timeout=support.DEADLINE)
            snapshot = profiler.finish()
    check_accounting(snapshot)
    calls, own, whole = map(int, out.split())
    told = {name: operation(snapshot, name) for name in ("inner", "outer")}
    assert snapshot["health"]["lost"] == 0
    assert (told["inner"]["calls"], told["outer"]["calls"]) == (calls, calls // 3)
    # What inner() does before and behind its own books is in those of outer(): edges of four calls.
    for name, true, number in (("inner", own, calls), ("outer", whole - own, calls // 3 * 4)):
        off = abs(told[name]["net_real_ns"] - true)
        assert off <= 0.01 * true + 50 * number, (name, true, told[name]["net_real_ns"])
        assert not told[name]["uncertain"]


@pytest.mark.parametrize("threads", [1, 2])
def test_of_ten_million_calls_each_is_recorded_or_known_to_be_lost(threads):
    calls = 10_000_000
    with Target(TARGETS / "overflow", str(calls), str(threads)) as target:
        with Profiler(support.spec(["flood"]), "--pid", target.pid, options=[*IN_PROCESS, "--max-overhead", "off"]) as profiler:
            assert target.finish()[1] == 0
            snapshot = profiler.finish()
    health = snapshot["health"]
    assert health["balanced"]
    assert 0 <= health["hits"] - 2 * calls * threads <= 2 * threads  # and the ends of threads
    flood = operation(snapshot, "flood")
    assert 0 < flood["calls"] <= calls * threads
    assert flood["at_least"] == (health["lost"] > 0)


def test_five_thousand_threads_at_once_have_each_their_place():
    calls = 5000 * 20
    with program(CROWD) as (process, _):
        with Profiler(support.spec(["work"]), "--pid", process.pid, options=IN_PROCESS) as profiler:
            process.stdin.write(b"\n")
            process.stdin.flush()
            support.read_line(process.stdout, "the first round")
            support.wait_for(lambda: operation(profiler.snapshot_now(), "work")["calls"] == calls, "all its calls")
            profiler.finish(end=True)
        out, _ = process.communicate(b"\n", timeout=support.DEADLINE)  # they go on without it
        assert out.split() == [b"1", str(2 * calls).encode()]


class Foreign:
    """Another tool's uprobe at the symbol."""

    def __init__(self, path):
        self.process = subprocess.Popen(["bpftrace", "-e", f'BEGIN {{ printf("begun\\n"); }} uprobe:{path}:work {{ @seen = count(); }}'],
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def __enter__(self):
        while "begun" not in support.read_line(self.process.stdout, "bpftrace"):
            pass
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def end(self):
        self.process.send_signal(signal.SIGINT)
        out, _ = self.process.communicate(timeout=support.DEADLINE)
        return int(re.search(r"@seen: (\d+)", out.decode()).group(1))


def call(process, times):
    process.stdin.write(f"{times}\n".encode())
    process.stdin.flush()
    return int(support.read_line(process.stdout, "that it made its calls"))


def test_a_foreign_uprobe_at_the_symbol_sees_what_it_would_see_before_during_and_after():
    with program(STEPS) as (process, path):
        before = code_of(process.pid)
        with Foreign(path) as early:
            call(process, 100)
            with Profiler(support.spec(["work"]), "--pid", process.pid, options=IN_PROCESS) as profiler, Foreign(path) as late:
                call(process, 1000)
                assert early.end() == 1100  # it goes while patches are there
                call(process, 10_000)
                snapshot = profiler.finish(end=True)
                call(process, 100_000)
                assert late.end() == 111_000
        assert call(process, 0) == sum(sum(3 * i + 1 for i in range(n)) for n in (100, 1000, 10_000, 100_000))
        assert code_of(process.pid) == before
        work = operation(snapshot, "work")
    assert work["engine"] == "in-process" and work["moved_by"] > 0
    assert work["calls"] == 11_000
