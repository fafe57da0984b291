# SPDX-License-Identifier: Apache-2.0
"""Programs that throw through C functions, or look at their return addresses: what the default chooses there does no harm."""

import signal
import subprocess

import pytest
import support
from support import ROOT, Folder, Profiler, Target, check_accounting, operation

RETURN_PROBE, RET_SITES = "return-probe", "ret-sites"

# A C library. Some of it calls back; the rest is closed: it calls nothing, itself, or what is closed.
LIBRARY_C = r"""
#include <stddef.h>
#include <string.h>
#define PROBED __attribute__((noipa))
PROBED long visit(long n, long (*f)(long)) { long s = 0; for (long i = 0; i < n; i++) s += f(i); return s + 1; }
PROBED long visit_below(long n, long (*f)(long)) { return visit(n, f) + 1; }
static long (*handler)(long);
PROBED void set_handler(long (*f)(long)) { handler = f; }
PROBED static long call_handler(long n) { return handler ? handler(n) + 1 : n; }
PROBED long visit_handler(long n) { return call_handler(n) + 1; }
PROBED long checksum(const char *text) { long s = 0; for (; *text; text++) s = s * 31 + *text; return s; }
PROBED long measured(const char *text) { return (long)strlen(text) + checksum(text); }
PROBED long factorial(long n) { return n < 2 ? 1 : n * factorial(n - 1) + 0 * n; }
"""

THROWING_CPP = r"""
#include <cstdio>
#include <stdexcept>
#include "wait.h"
extern "C" {
long visit(long, long (*)(long)); long visit_below(long, long (*)(long)); void set_handler(long (*)(long));
long visit_handler(long); long checksum(const char *); long measured(const char *); long factorial(long);
}
static long fails(long n) { if (n == 3) throw std::runtime_error("three"); return n; }
template <class F> static void attempt(const char *name, F f) {
    try { std::printf("%s %ld\n", name, f()); } catch (const std::exception &e) { std::printf("%s threw %s\n", name, e.what()); }
}
int main(int argc, char **argv) {
    wait_for_start(&argc, &argv);
    set_handler(fails);
    attempt("visit", [] { return visit(3, fails); });
    attempt("visit", [] { return visit(5, fails); });
    attempt("visit_below", [] { return visit_below(5, fails); });
    attempt("visit_handler", [] { return visit_handler(3); });
    attempt("measured", [] { return measured("text"); });
    attempt("factorial", [] { return factorial(5); });
    return 7;
}
"""

PLUGIN_CPP = r"""
#include <stdexcept>
extern "C" long visit(long, long (*)(long));
static long fails(long n) { if (n == 3) throw std::runtime_error("three"); return n; }
extern "C" long plugin_run() { try { return visit(5, fails); } catch (const std::exception &) { return -3; } }
"""

HOST_C = r"""
#include <dlfcn.h>
#include <stdio.h>
#include "wait.h"
__attribute__((noipa)) long visit(long n, long (*f)(long)) { long s = 0; for (long i = 0; i < n; i++) s += f(i); return s + 1; }
int main(int argc, char **argv) {
    void *plugin = dlopen("./plugin.so", RTLD_NOW);
    long (*run)(void);
    if (!plugin) return 1;
    run = (long (*)(void))dlsym(plugin, "plugin_run");
    wait_for_start(&argc, &argv);
    printf("%ld\n", run());
    return 7;
}
"""

# Loads its plugin later, and calls it when it is told to.
LATE_HOST_C = r"""
#include <dlfcn.h>
#include <stdio.h>
#include "wait.h"
__attribute__((noipa)) long visit(long n, long (*f)(long)) { long s = 0; for (long i = 0; i < n; i++) s += f(i); return s + 1; }
__attribute__((noipa)) long twice(long n) { return 2 * n; }
int main(int argc, char **argv) {
    void *plugin;
    long (*run)(void);
    char c;
    wait_for_start(&argc, &argv);
    printf("before %ld\n", visit(2, twice));
    if (!(plugin = dlopen(argv[1], RTLD_NOW))) return 1;
    puts("loaded");
    fflush(stdout);
    if (read(STDIN_FILENO, &c, 1) != 1) return 2;
    run = (long (*)(void))dlsym(plugin, "plugin_run");
    printf("%ld\n", run());
    printf("%ld\n", twice(2));
    return 7;
}
"""

LOOKING_C = r"""
#include <dlfcn.h>
#include <execinfo.h>
#include <stdio.h>
#include "wait.h"
#define APART() __asm__ volatile("" ::: "memory")
__attribute__((noipa)) int frames(void) { void *all[64]; int n = backtrace(all, 64); APART(); return n; }
__attribute__((noipa)) const char *caller(void) {
    Dl_info info;
    return dladdr(__builtin_return_address(0), &info) && info.dli_sname ? info.dli_sname : "nobody";
}
static int passes;
__attribute__((noipa)) const char *passed_on(void) { passes++; return caller(); }
__attribute__((noipa)) void *next(const char *name) { return dlsym(RTLD_NEXT, name); }
__attribute__((noipa)) int quiet(int n) { void *p = dlsym(RTLD_DEFAULT, "puts"); APART(); return n + (p != 0); }
int main(int argc, char **argv) {
    wait_for_start(&argc, &argv);
    printf("%d frames\n", frames() > 2);
    printf("called by %s %s\n", caller(), passed_on());
    printf("%d\n", next("puts") == dlsym(RTLD_DEFAULT, "puts"));
    printf("%d\n", quiet(1));
    return 7;
}
"""


def build(folder, name, text, *arguments, suffix=".c"):
    source = folder / (name + suffix)
    source.write_text(text)
    compiler = "c++" if suffix == ".cpp" else "cc"
    subprocess.run([compiler, "-O2", "-D_GNU_SOURCE", "-I", ROOT / "tests" / "targets", "-o", folder / name, source, *arguments], check=True)
    return folder / name


def sorting_out(folder):
    build(folder, "libvisit.so", LIBRARY_C, "-shared", "-fPIC")
    return build(folder, "throwing", THROWING_CPP, "-L", folder, "-lvisit", f"-Wl,-rpath,{folder}", suffix=".cpp")


def unobserved(program):
    with Target(program) as alone:
        return alone.finish()


def modes_of(snapshot):
    return {o["name"]: o["exit_mode"] for c in snapshot["components"] for o in c["operations"]}


def test_exceptions_pass_c_functions_that_call_back_as_without():
    calling, closed = ["visit", "visit_below", "call_handler", "visit_handler"], ["checksum", "measured", "factorial", "set_handler"]
    with Folder() as folder:
        program = sorting_out(folder)
        expected = unobserved(program)
        out, status, snapshot = support.observe(support.spec(calling + closed, image="libvisit.so"), program)
    assert expected[1] == 7 and "visit_handler threw three" in expected[0]
    assert (out, status) == expected
    assert modes_of(snapshot) == {**dict.fromkeys(calling, RET_SITES), **dict.fromkeys(closed, RETURN_PROBE)}
    assert operation(snapshot, "visit")["reason"].startswith("ret-sites: throwing may throw through it: it calls through a pointer at +0x")
    assert operation(snapshot, "visit_handler")["reason"].startswith("ret-sites: throwing may throw through it: in call_handler it calls through a pointer")
    assert operation(snapshot, "visit")["calls"] == 3
    check_accounting(snapshot)


def test_a_return_probe_that_is_forced_there_ends_the_program():
    """That the hazard is one: otherwise the tests beside this one show nothing."""
    with Folder() as folder:
        program = sorting_out(folder)
        _, status, _ = support.observe(support.spec(["visit"], image="libvisit.so", exit_mode=RETURN_PROBE), program)
    assert status == -signal.SIGABRT


def test_what_is_called_closed_survives_forced_return_probes():
    closed = ["checksum", "measured", "factorial", "set_handler"]
    with Folder() as folder:
        program = sorting_out(folder)
        expected = unobserved(program)
        out, status, _ = support.observe(support.spec(closed, image="libvisit.so", exit_mode=RETURN_PROBE), program)
    assert (out, status) == expected


def test_a_plugin_in_cpp_throws_through_its_host_in_c_as_without(monkeypatch):
    with Folder() as folder:
        monkeypatch.chdir(folder)
        build(folder, "plugin.so", PLUGIN_CPP, "-shared", "-fPIC", suffix=".cpp")
        host = build(folder, "host", HOST_C, "-rdynamic", "-ldl")
        expected = unobserved(host)
        out, status, snapshot = support.observe(support.spec(["visit"]), host)
    assert expected == ("-3\n", 7)
    assert (out, status) == expected
    assert modes_of(snapshot) == {"visit": RET_SITES}
    assert "plugin.so may throw through it" in operation(snapshot, "visit")["reason"]


def late(folder, plugin=PLUGIN_CPP):
    build(folder, "plugin.so", plugin, "-shared", "-fPIC", suffix=".cpp")
    return [build(folder, "late_host", LATE_HOST_C, "-rdynamic", "-ldl"), folder / "plugin.so"]


def load(target):
    target.release()
    return support.read_line(target.process.stdout, "its first call") + support.read_line(target.process.stdout, "that it loaded its plugin")


def test_a_plugin_in_cpp_that_is_loaded_later_throws_through_its_host_as_without():
    with Folder() as folder:
        program = late(folder)
        with Target(*program) as alone:
            expected = (load(alone), *alone.finish())
        with Target(*program) as target, Profiler(support.spec(["visit", "twice"]), "--pid", target.pid) as profiler:
            before = load(target)
            support.wait_for(lambda: modes_of(profiler.snapshot_now())["visit"] == RET_SITES, "the change to ret-sites")
            assert (before, *target.finish()) == expected
            snapshot = profiler.finish()
    assert expected == ("before 3\nloaded\n", "-3\n4\n", 7)
    assert modes_of(snapshot) == {"visit": RET_SITES, "twice": RETURN_PROBE}
    visit = operation(snapshot, "visit")
    assert visit["reason"].startswith("ret-sites: plugin.so may throw through it: it calls through a pointer at +0x")
    assert visit["calls"] == 2
    assert visit["closed"]["returned"] == visit["closed"]["abandoned"] == 1
    assert visit["at_least"]  # its probes were away for the moment of the change
    assert operation(snapshot, "twice")["calls"] == 3
    assert any("plugin.so was loaded later" in note and "1 operation is observed at their return" in note for note in snapshot["health"]["notes"])
    check_accounting(snapshot)


@pytest.mark.parametrize("name,reason", [
    ("frames", "it walks the stack (backtrace)"), ("caller", "it looks at where it returns to"),
    ("passed_on", "it jumps to caller, which looks at where it returns to"), ("next", "it jumps to dlsym, which looks at where it returns to")])
def test_functions_that_look_at_their_return_address_see_it(name, reason):
    with Folder() as folder:
        program = build(folder, "looking", LOOKING_C, "-rdynamic", "-ldl")
        expected = unobserved(program)
        out, status, snapshot = support.observe(support.spec([name, "quiet"]), program)
    assert expected == ("1 frames\ncalled by main main\n1\n2\n", 7)
    assert (out, status) == expected
    assert modes_of(snapshot) == {name: RET_SITES, "quiet": RETURN_PROBE}
    assert operation(snapshot, name)["reason"].startswith("ret-sites: " + reason)
