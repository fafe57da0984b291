# SPDX-License-Identifier: Apache-2.0
"""What observing is said to have cost processes that end before anybody looks at them a second time."""

import pytest
import support
from support import TARGETS, Profiler, Target

BRIEF = TARGETS / "brief"
pytestmark = pytest.mark.measured
ROUNDS = 3  # costs are measured at start, and the machine's speed changes


def shown_and_true(run):
    """Overhead as a share of CPU time, of the run in which one is the median number of times the other."""
    def once():
        out, snapshot = run()
        observed, twins = map(int, out.split())
        return snapshot["health"]["overhead_pct"] / 100, (observed - twins) / (observed + twins)
    return sorted((once() for _ in range(ROUNDS)), key=lambda pair: pair[0] / pair[1])[ROUNDS // 2]


def attached(*arguments):
    with Target(BRIEF, *arguments) as target:
        with Profiler(support.spec(["work"], BRIEF, "ret-sites"), "--pid", target.pid,
                      options=("--samples", "off")) as profiler:
            out, status = target.finish()
            assert status == 0
            return out, profiler.finish()


def started(*arguments):
    with Profiler(support.spec(["work"], BRIEF, "ret-sites"), "--", BRIEF, *arguments,
                  options=("--samples", "off"), wait=False) as profiler:
        snapshot = profiler.finish()
        return profiler.stdout.decode().splitlines()[0], snapshot


def check(run, *arguments):
    shown, true = shown_and_true(lambda: run(*arguments))
    assert true / 1.3 < shown < true * 1.3, (shown, true)


def test_a_process_that_ends_at_once_is_charged_by_all_of_its_time():
    check(attached, 0, 10_000)


def test_a_command_that_ends_at_once_is_charged_by_all_of_its_time():
    check(started, 0, 3_000)


def test_children_that_end_at_once_are_charged_by_all_of_their_time():
    check(attached, 20, 2_000)


def test_what_a_process_executes_in_its_place_is_no_time_of_the_program():
    check(attached, 5, 2_000, "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done")
