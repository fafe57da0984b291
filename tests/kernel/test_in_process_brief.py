# SPDX-License-Identifier: Apache-2.0
"""Patched functions of threads that are gone before anybody looks, beside probes in the same threads; and code that is there twice."""

import contextlib
import subprocess

import pytest
import support
from support import Folder, Profiler, check_accounting, component, operation
from test_in_process import IN_PROCESS, engines_of

# Threads or children, one after the other: each calls up() a number of times, of which each second call throws, and ends in a call or not.
BRIEF = r"""
#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
static volatile int sum;
extern "C" __attribute__((noipa)) int below(int x) { for (int i = 0; i < 2000; i++) sum = i; if (x == 1) throw x; if (x == 2) { sum = 1; pthread_exit(nullptr); } if (x == 3) _exit(0); return x + 1; }
extern "C" __attribute__((noipa)) int up(int x) { for (int i = 0; i < 2000; i++) sum = i; const int one = below(x) + 1; return one + sum; }
static void calls(int last) { for (int i = 0; i < 20; i++) try { up(i % 2 ? 1 : 0); } catch (int) { sum = 2; } up(last); }
int main(int count, char **arguments)
{
    const bool forks = count > 1 && atoi(arguments[1]);
    puts("ready"); fflush(stdout);
    getchar();
    for (int i = 0; i < 20; i++)
        if (!forks) std::thread(calls, i % 2 ? 2 : 4).join();
        else if (fork() == 0) { calls(i % 2 ? 3 : 4); _exit(0); }
        else wait(nullptr);
    puts("done"); fflush(stdout);
    getchar();
    return 0;
}
"""
TWICE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
int main(int count, char **arguments)
{
    void *one = dlmopen(LM_ID_BASE, arguments[1], RTLD_NOW), *two = dlmopen(LM_ID_NEWLM, arguments[1], RTLD_NOW);
    if (!one || !two) return 1;
    long (*first)(long) = dlsym(one, "inside"), (*second)(long) = dlsym(two, "inside"), sum = 0;
    puts("ready"); fflush(stdout);
    getchar();
    for (int i = 0; i < 3000; i++) sum += first(i) + second(i);
    printf("%ld\n", sum); fflush(stdout);
    getchar();
    return first == second;
}
"""


@contextlib.contextmanager
def running(source, *arguments, compiler=("c++", "c++"), library=None):
    with Folder() as folder:
        path = folder / "program"
        if library:
            arguments = (folder / "libinside.so",)
            subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", *arguments, "-x", "c", "-"], input=library, text=True, check=True)
        subprocess.run([compiler[0], "-O2", "-pthread", "-o", path, "-x", compiler[1], "-"], input=source, text=True, check=True)
        with subprocess.Popen([path, *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            try:
                support.read_line(process.stdout, "that it is ready")
                yield process, *arguments
            finally:
                process.kill()


def run(process):
    process.stdin.write(b"\n")
    process.stdin.flush()
    return support.read_line(process.stdout, "that it did its work")


@pytest.mark.parametrize("forks", [0, 1], ids=["threads", "children"])
@pytest.mark.parametrize("up", ["in-process", "uprobe"])
def test_of_threads_that_are_gone_when_they_are_read_callers_exceptions_and_ends_are_known(up, forks):
    components = [{"name": "up", "engine": up, "in": ["up"]}, {"name": "below", "engine": "in-process", "in": ["below"]}]
    with running(BRIEF, forks) as (process, *_):
        options = ["--allow-patching", "--max-overhead", "off"]
        with Profiler(support.spec(None, components=components), "--pid", process.pid, options=options) as profiler:
            run(process)
            snapshot = profiler.finish(end=True)
    check_accounting(snapshot)
    assert engines_of(snapshot) == {up, "in-process"}
    assert snapshot["health"]["lost"] == 0
    for name in ("up", "below"):
        told = operation(snapshot, name)
        ends = told["closed"]
        assert told["calls"] == 20 * 21 and told["open"] == 0, told
        assert (ends["returned"], ends["abandoned"] + ends["thread_exit"]) == (210, 210), told
        assert forks or ends["failed"] == 200, told  # exceptions of children that live so shortly nobody watches
        assert told["raw_ns"] < 1e9, told
    edges = {(one["from"], one["to"]): one["count"] for one in snapshot["edges"]}
    assert edges == {(None, "up"): 20 * 21, ("up", "below"): 20 * 21}
    assert len(snapshot["threads"]) == 20


def test_a_library_that_is_mapped_twice_keeps_its_probes():
    with running(TWICE, compiler=("cc", "c"), library="__attribute__((noipa)) long inside(long x) { return x + 1; }") as (process, library):
        with Profiler(support.spec(["inside"], library), "--pid", process.pid, options=[*IN_PROCESS, "--max-overhead", "off"]) as profiler:
            run(process)
            snapshot = profiler.finish(end=True)
    told = component(snapshot, "inside")
    assert told["calls"] == 6000 and not told["at_least"]
    assert engines_of(snapshot) == {"uprobe"}
