# SPDX-License-Identifier: Apache-2.0
"""Memory and descriptors stay flat however long compmond runs, and is looked at. COMPMOND_SOAK_SECONDS (20; 30 in CI, an
hour by scripts/soak) says how long it is watched after its warm-up."""

import contextlib
import os
import statistics
import subprocess
import time

import pytest
import support
from support import Folder, Profiler, Target, check_accounting, operation
from test_serve import connect

SECONDS = float(os.environ.get("COMPMOND_SOAK_SECONDS", "20"))
HISTORY = 8  # MiB; full before the watching begins
SAMPLES = 64  # MiB at most beside it, for what samples tell: sums of half an hour, and the newest in full
THREADS = 35_000  # more than are told apart
EVERY = 0.25  # seconds between two looks
PROCESSES = 32  # of the target, under way at once: each has a descriptor
# By this much allocators may still settle. A few bytes kept for each call or thread, or a page for each process, are more.
SLACK_BYTES = 8 << 20
STRETCHES = 3  # at most: what settles is flat in one of them, what leaks grows in each

STORM = r"""
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
void quick(void); /* the cheapest site there is: 5-byte nop */
__asm__(".globl quick\n.type quick,@function\nquick: .byte 0x0f,0x1f,0x44,0,0; xor %eax,%eax; ret\n.size quick,.-quick\n");
__attribute__((noipa)) void brief(void) { __asm__ volatile("" ::: "memory"); }
static void *once(void *unused) { brief(); return unused; }
static void *churn(void *unused) {
    pthread_t t;
    for (;;) { if (pthread_create(&t, NULL, once, NULL) == 0) pthread_join(t, NULL); }
    return unused;
}
static void *forks(void *unused) {
    for (;;) { pid_t p = fork(); if (p == 0) { brief(); _exit(0); } waitpid(p, NULL, 0); usleep(5000); }
    return unused;
}
int main(void) {
    char c; pthread_t t;
    printf("pid %d\n", (int)getpid()); fflush(stdout);
    if (read(0, &c, 1) < 0) return 1;
    pthread_create(&t, NULL, churn, NULL);
    pthread_create(&t, NULL, forks, NULL);
    for (;;) { for (int i = 0; i < 1000; i++) quick(); usleep(5000); }
}
"""


def resident(pid):
    with open(f"/proc/{pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def look(client):
    """What a window asks for, and more of it."""
    client.view(window={"last_s": 5}, strip={"columns": 300}, executions={"pixels": 800})


def slope(sizes):
    """Bytes per second by which the last quarter of the samples lies above the first."""
    quarter = len(sizes) // 4
    growth = statistics.median(sizes[-quarter:]) - statistics.median(sizes[:quarter])
    return growth / (SECONDS * 3 / 4)


def told(snapshot):
    """Bytes that it says it keeps on purpose."""
    return snapshot["health"]["history_bytes"]


def quarters(sizes):
    """Medians, KiB."""
    size = max(1, len(sizes) // 4)
    return [int(statistics.median(sizes[i:i + size])) >> 10 for i in range(0, 4 * size, size)]


def warm(profiler):
    """Its history is full, and the oldest of the threads that it tells apart were folded into one row."""
    figures = profiler.snapshot_now()
    return figures["health"]["history_bytes"] >= HISTORY << 20 and operation(figures, "brief")["calls"] > THREADS


def growth(profiler, client):
    """Bytes by which its memory grows in SECONDS of work, less what it says it keeps on purpose."""
    before, sizes = profiler.snapshot_now(), []
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:  # the only test that must let time pass: it is what the test is about
        look(client)
        sizes.append(resident(profiler.process.pid))
        time.sleep(EVERY)
    after = profiler.snapshot_now()
    rates = {name: (operation(after, name)["calls"] - operation(before, name)["calls"]) / SECONDS for name in ("quick", "brief")}
    print(f"\nsoak: {SECONDS:.0f} s, {rates['quick']:.0f} + {rates['brief']:.0f} calls/s, {len(sizes)} looks, "
          f"KiB resident by quarters {quarters(sizes)}, slope {slope(sizes) * 60 / 1024:+.1f} KiB/min, "
          f"history {told(before) >> 10} -> {told(after) >> 10} KiB, {descriptors(profiler.process.pid)} descriptors")
    assert min(rates.values()) > 1, rates  # it was busy all the while
    return slope(sizes) * SECONDS - (told(after) - told(before))


@pytest.mark.alone
def test_memory_stays_flat():
    with Folder() as folder, contextlib.ExitStack() as stack:
        (folder / "storm.c").write_text(STORM)
        subprocess.run(["cc", "-O2", "-o", str(folder / "storm"), str(folder / "storm.c"), "-lpthread"], check=True)
        target = stack.enter_context(Target(folder / "storm"))
        spec = support.spec(["quick", "brief"])
        profiler = stack.enter_context(Profiler(spec, "--pid", target.pid, options=["--history", HISTORY]))
        client = stack.enter_context(connect(profiler))
        pid = profiler.process.pid
        target.release()
        support.wait_for(lambda: look(client) or warm(profiler), "the end of the warm-up")
        open_before = descriptors(pid)
        grown = []
        while len(grown) < STRETCHES and not (grown and grown[-1] < SLACK_BYTES):
            grown.append(growth(profiler, client))
        open_after = descriptors(pid)
        after = profiler.finish(end=True)
    check_accounting(after)
    assert told(after) <= (HISTORY + SAMPLES) << 20
    assert grown[-1] < SLACK_BYTES, grown
    assert open_after <= open_before + PROCESSES, (open_before, open_after)
