# SPDX-License-Identifier: Apache-2.0
"""Calls that are left without a return cost whom they should: against the books of the programs themselves."""

import os

import pytest
import support
from support import TARGETS, Profiler, Target, check_accounting, operation

CALLS = 100
TRIES = 4  # whoever is interrupted for long between two looks at the clock is in no book


def books_of(out):
    """Own time by function, as the program printed it behind its result."""
    rows = [line.split() for line in out.splitlines()[1:]]
    return {name: (int(calls), int(own)) for name, calls, own in rows}


def watch(program, *args, functions, exit_mode, options=()):
    with Target(TARGETS / program, *args, env={**os.environ, "BOOKS": "1"}) as target:
        spec = support.spec(functions, exit_mode=exit_mode)
        # The cost of probes is not looked at here, and no probe may go for it on a busy machine.
        with Profiler(spec, "--pid", target.pid, options=("--max-overhead", "off", *options)) as profiler:
            out, status = target.finish()
            snapshot = profiler.finish()
    assert status == 0
    check_accounting(snapshot)
    return books_of(out), snapshot


def differences(books, snapshot, names):
    """Net real times that are not within 2 % and 40 µs a call of the books."""
    out = []
    for book, name in names.items():
        calls, own = books[book]
        figures = operation(snapshot, name)
        assert figures["calls"] == calls
        off = abs(figures["net_real_ns"] - own)
        if off > 0.02 * own + 40_000 * calls:
            out.append(f"{name}: {figures['net_real_ns']} ns, by its book {own}, {off / calls:.0f} ns a call apart")
    return out


def agrees(program, *args, names, exit_mode, check):
    said = []
    for _ in range(TRIES):
        books, snapshot = watch(program, *args, functions=list(names.values()), exit_mode=exit_mode)
        check(snapshot)
        said = differences(books, snapshot, names)
        if not said:
            return
    assert not said, said


def closed(snapshot, name):
    return operation(snapshot, name)["closed"]


def check_sure(snapshot, *names):
    for name in names:
        assert operation(snapshot, name)["unsure_ns"] == 0, operation(snapshot, name)


@pytest.mark.parametrize("program", ["throwing", "throwing_static"])  # the library's code, a copy in the program
def test_an_exception_ends_who_threw_and_the_catcher_keeps_its_work(program):
    def check(snapshot):
        for name in ("middle", "thrower"):
            assert closed(snapshot, name)["failed"] == CALLS // 2
            assert closed(snapshot, name)["abandoned"] == CALLS // 2
            assert closed(snapshot, name)["returned"] == CALLS // 2
        assert closed(snapshot, "outer")["returned"] == CALLS
        check_sure(snapshot, "outer", "middle", "thrower")
        assert snapshot["health"]["failed"] == CALLS
        assert snapshot["health"]["transfers"] >= 3 * CALLS // 2  # each: a throw, a destructor behind, a catch

    names = {"outer": "outer", "middle": "middle", "thrower": "thrower"}
    agrees(program, str(CALLS), names=names, exit_mode="ret-sites", check=check)


@pytest.mark.parametrize("exit_mode", ["ret-sites", "return-probe"])
def test_a_longjmp_ends_what_it_leaves_and_its_target_keeps_its_work(exit_mode):
    def check(snapshot):
        for name in ("middle", "inner"):
            assert closed(snapshot, name)["jumped"] == CALLS
            assert closed(snapshot, name)["failed"] == 0
        assert closed(snapshot, "outer")["returned"] == CALLS
        check_sure(snapshot, "outer", "middle", "inner")
        assert snapshot["health"]["transfers"] == CALLS

    names = {"outer": "outer", "middle": "middle", "inner": "inner"}
    agrees("left", "jump", str(CALLS), names=names, exit_mode=exit_mode, check=check)


@pytest.mark.parametrize("exit_mode", ["ret-sites", "return-probe"])
@pytest.mark.parametrize("program, functions, calls", [
    ("cancel", ["holder", "blocked"], 1), ("thread_exit_raii", ["outer", "inner", "leave"], 5), ("thread_exit", ["leaver", "inner"], 5)])
def test_a_thread_that_is_ended_inside_calls_fails_none(program, functions, calls, exit_mode):
    """By pthread_cancel and pthread_exit, with destructors on the way and without."""
    args = [str(calls)] if program == "thread_exit" else []
    _, status, snapshot = support.observe(support.spec(functions, exit_mode=exit_mode), TARGETS / program, *args)
    assert status == 0
    check_accounting(snapshot)
    for name in functions:
        ends = closed(snapshot, name)
        assert operation(snapshot, name)["calls"] == calls
        assert ends["failed"] == 0
        assert ends["jumped"] + ends["thread_exit"] == calls, ends
    assert snapshot["health"]["failed"] == 0


@pytest.mark.parametrize("exit_mode", ["ret-sites", "return-probe"])
def test_functions_that_jump_to_the_next_have_their_own_times(exit_mode):
    def check(snapshot):
        for name in ("first", "second", "third"):
            assert closed(snapshot, name)["returned"] == CALLS
        check_sure(snapshot, "first", "second", "third")

    names = {"first": "first", "second": "second", "third": "third"}
    agrees("left", "tail", str(CALLS), names=names, exit_mode=exit_mode, check=check)


def test_what_nobody_sees_is_marked_and_lies_within_its_bounds():
    names = {"outer": "outer_unseen", "middle": "middle", "inner": "inner"}
    books, snapshot = watch("left", "unseen", str(CALLS), functions=list(names.values()), exit_mode="ret-sites")
    for name in ("middle", "inner"):
        assert closed(snapshot, name)["abandoned"] == CALLS
        assert closed(snapshot, name)["failed"] == closed(snapshot, name)["jumped"] == 0
    for name in names.values():
        assert support.component(snapshot, name)["unsure_ns"] > 0
    # The work of `outer` behind the jump went to `inner`, and the bounds of both say so.
    inner, outer = operation(snapshot, "inner"), operation(snapshot, "outer_unseen")
    assert inner["real_ns"] - inner["unsure_ns"] <= books["inner"][1] <= inner["real_ns"]
    assert outer["real_ns"] <= books["outer"][1] + 40_000 * CALLS
    assert books["outer"][1] <= outer["real_ns"] + outer["unsure_ns"]
