# SPDX-License-Identifier: Apache-2.0
"""The ways to see exits, mixed in one thread, forced where they are not chosen, and used by two observers at once."""

import itertools
import subprocess

import pytest
import support
from support import TARGETS, Folder, Profiler, Target, check_accounting, component, operation

RETURN_PROBE, RET_SITES, ENTRY_ONLY = "return-probe", "ret-sites", "entry-only"


def spec_of(modes):
    return support.spec(None, components=[{"name": name, "in": [name], "exit": mode} for name, mode in modes.items()])


NESTED = r"""
#include <stdio.h>
#include <unistd.h>
#define PROBED __attribute__((noipa))
#define NOT_A_TAIL_CALL() __asm__ volatile("" ::: "memory")
PROBED long leaf(long n) { long s = 0; for (volatile long i = 0; i < 20000; i++) s += n; return s; }
PROBED long inner(long n) { long s = leaf(n) + leaf(n); NOT_A_TAIL_CALL(); return s + 1; }
PROBED long outer(long n);
PROBED long middle(long n) { long s = inner(n); if (n > 0) s += outer(n - 1); NOT_A_TAIL_CALL(); return s + 1; }
PROBED long outer(long n) { long s = middle(n); NOT_A_TAIL_CALL(); return s + 1; }
int main(void) {
    char c; long s = 0;
    printf("pid %d\n", (int)getpid()); fflush(stdout);
    if (read(0, &c, 1) < 0) return 1;
    for (int i = 0; i < 10; i++) s += outer(4);
    printf("sum %ld\n", s > 0);
    return 0;
}
"""


@pytest.mark.parametrize("first,second", [(RETURN_PROBE, RET_SITES), (RET_SITES, RETURN_PROBE)])
def test_components_of_two_exit_modes_nest_in_each_other(first, second):
    """outer > middle > inner > leaf, and middle > outer again, five deep: each call inside one of the other mode."""
    modes = {"outer": first, "middle": second, "inner": first, "leaf": second}
    with Folder() as folder:
        (folder / "nested.c").write_text(NESTED)
        subprocess.run(["cc", "-O2", "-o", str(folder / "nested"), str(folder / "nested.c")], check=True)
        out, status, snapshot = support.observe(spec_of(modes), folder / "nested")
    assert (out, status) == ("sum 1\n", 0)
    check_accounting(snapshot)
    calls = {"outer": 50, "middle": 50, "inner": 50, "leaf": 100}
    for name, mode in modes.items():
        got = operation(snapshot, name)
        assert got["exit_mode"] == mode
        assert (got["calls"], got["closed"]["returned"], got["open"]) == (calls[name], calls[name], 0)
    edges = {(e["from"], e["to"]): e["count"] for e in snapshot["edges"]}
    assert edges == {(None, "outer"): 10, ("outer", "middle"): 50, ("middle", "outer"): 40, ("middle", "inner"): 50, ("inner", "leaf"): 100}
    # Every nanosecond of the outermost calls is some component's own, once; and what is nested is not longer.
    raw = {name: component(snapshot, name)["raw_ns"] for name in modes}
    assert raw["outer"] > raw["middle"] > raw["inner"] > raw["leaf"] > 0
    assert sum(component(snapshot, name)["real_ns"] for name in modes) == raw["outer"]
    assert component(snapshot, "leaf")["real_ns"] == raw["leaf"]
    assert snapshot["health"]["orphan_exits"] == 0


TAIL_MIXES = [mix for mix in itertools.product((RETURN_PROBE, RET_SITES), repeat=3) if len(set(mix)) == 2][:4]


@pytest.mark.parametrize("mix", TAIL_MIXES, ids="/".join)
def test_tail_calls_between_exit_modes_are_all_seen_to_end(mix):
    out, status, snapshot = support.observe(spec_of(dict(zip(("first", "second", "third"), mix))), TARGETS / "tail", "100")
    assert (out, status) == ("sum 10600\n", 0)
    for name in ("first", "second", "third"):
        assert operation(snapshot, name)["closed"]["returned"] == 100
    assert snapshot["health"]["orphan_exits"] == 0
    check_accounting(snapshot)


def test_frames_that_a_longjmp_left_are_abandoned_in_either_mode():
    modes = {"outer": RET_SITES, "middle": RETURN_PROBE, "inner": RET_SITES}
    out, status, snapshot = support.observe(spec_of(modes), TARGETS / "longjmp", "100")
    assert (out, status) == ("jumps 50\n", 0)
    closed = {name: operation(snapshot, name)["closed"] for name in modes}
    assert (closed["outer"]["returned"], closed["outer"]["abandoned"]) == (100, 0)
    for name in ("middle", "inner"):
        assert (closed[name]["returned"], closed[name]["abandoned"]) == (50, 50)
    check_accounting(snapshot)


def test_a_signal_stack_below_the_threads_survives_forced_return_probes():
    """Above it, they would end the program: there, nothing chooses them."""
    spec = support.spec(["interrupted", "handle"], exit_mode=RETURN_PROBE)
    out, status, snapshot = support.observe(spec, TARGETS / "altstack", "below")
    assert (out, status) == ("interrupted 50 handled 50\n", 0)
    for name in ("interrupted", "handle"):
        assert operation(snapshot, name)["closed"]["returned"] == 50
    check_accounting(snapshot)


def test_recursion_of_five_thousand_is_whole_at_ret_sites():
    with Target(TARGETS / "deep", "5000") as target:
        with Profiler(spec_of({"descend": RET_SITES}), "--pid", target.pid) as profiler:
            assert target.finish() == ("depth 5000\n", 0)
            snapshot = profiler.finish()
    got = operation(snapshot, "descend")
    assert (got["closed"]["returned"], got["truncated"], got["open"]) == (5000, 0, 0)
    assert got["raw_ns"] == got["real_ns"]  # its own calls are inside it, counted once
    assert snapshot["health"]["trace"]["evicted"] == 0
    check_accounting(snapshot)


def test_two_observers_of_different_modes_at_the_same_functions():
    """The first one leaves while the other goes on."""
    functions = ["outer", "middle", "inner"]
    with Target(TARGETS / "longjmp", "200") as target:
        with Profiler(spec_of({f: RET_SITES for f in functions}), "--pid", target.pid) as stays:
            with Profiler(spec_of({f: ENTRY_ONLY for f in functions}), "--pid", target.pid) as counts:
                with Profiler(spec_of({f: RETURN_PROBE for f in functions}), "--pid", target.pid) as leaves:
                    leaves.finish(end=True)
                assert target.finish() == ("jumps 100\n", 0)
                counted = counts.finish()
            snapshot = stays.finish()
    for name in functions:
        assert operation(counted, name)["calls"] == operation(snapshot, name)["calls"] == 200
    assert operation(snapshot, "outer")["closed"]["returned"] == 200
    assert operation(snapshot, "inner")["closed"]["abandoned"] == 100
    check_accounting(snapshot)


def test_conditional_tail_jumps_are_exits_exactly_when_they_are_taken():
    """All sixteen conditions of the processor, over numbers that set every flag; ends of calls are seen nowhere else."""
    conditions = "o no b ae e ne be a s ns p np l ge le g".split()
    spec = support.spec([*(f"pick_{condition}" for condition in conditions), "leaf"], exit_mode="ret-sites")
    _, status, snapshot = support.observe(spec, TARGETS / "conditional")
    assert status == 0
    support.check_accounting(snapshot)
    for condition in conditions:
        got = operation(snapshot, f"pick_{condition}")
        assert (got["exit_mode"], got["calls"], got["closed"]["returned"]) == ("ret-sites", 64, 64), got
    assert operation(snapshot, "leaf")["closed"]["returned"] == 512
    assert (snapshot["health"]["orphan_exits"], snapshot["health"]["abandoned"]) == (0, 0)
    # Who jumped to leaf() goes on until that returns.
    jumps = {edge["from"]: edge["count"] for edge in snapshot["edges"] if edge["to"] == "leaf"}
    assert jumps.keys() == {f"pick_{condition}" for condition in conditions}
    assert sum(jumps.values()) == 512
