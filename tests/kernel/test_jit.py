# SPDX-License-Identifier: Apache-2.0
"""Code that a program makes while it runs, in samples: named by its perf map, unwound, and kept in logs."""

import collections
import contextlib
import os
import pathlib
import sys

import pytest
import support
from support import BIN, Folder, Profiler, Target
from test_inside import own, read_folded
from test_record import replay

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from program import run  # noqa: E402

JITTED = BIN / "jitted"
SPEC = {"schema": "compmond.spec/1", "name": "jitted", "components": [{"name": "Work", "in": ["work"]}]}
SAMPLING = ("--engine", "sampling", "--samples", "499")
SECONDS = 6
MADE = ("jit_first", "jit_second (a, b)", "jit_third")

Seen = collections.namedtuple("Seen", "books folded stdout replayed snapshot")


@contextlib.contextmanager
def perf_map_of(target):
    path = pathlib.Path(f"/tmp/perf-{target.pid}.map")
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


def observe(*arguments, before=lambda path: None, log=True):
    with Folder() as folder, Target(JITTED, SECONDS, *arguments) as target, perf_map_of(target) as path:
        before(path)
        options = ("--inside", "Work", "--folded", folder / "folded")
        if log:
            options += ("--record", folder / "log")
        with Profiler(SPEC, "--pid", target.pid, options=SAMPLING + options) as profiler:
            out, status = target.finish()
            snapshot = profiler.finish()
            assert status == 0
        if log:
            replay(folder / "log", "--inside", "Work", "--folded", folder / "replayed")
            exported = run("export", "--format", "folded", "--component", "Work", folder / "log")[0]
            (folder / "exported").write_text(exported)
            assert read_folded(folder / "exported") == read_folded(folder / "replayed")
        books = {name: int(ns) / 1e9 for name, ns in (line.rsplit(" ", 1) for line in out.splitlines())}
        return Seen(books, read_folded(folder / "folded"), profiler.stdout.decode(),
                    read_folded(folder / "replayed") if log else None, snapshot)


@pytest.fixture(scope="module")
def seen():
    return observe()


def check_own_times(seen):
    """Shares of the functions that were made, within four standard errors and what is named late: under a second each."""
    whole = sum(seen.books.values())
    # Also of each the kernel has its part, the more the busier the machine is.
    in_program = sum(seconds for (path, waits), seconds in seen.folded.items() if not waits and path[-1] != "[kernel]")
    for name in MADE:
        booked, told = seen.books[name] / whole, own(seen.folded, name) / in_program
        error = 4 * (booked * (1 - booked) / (whole * 199)) ** 0.5
        assert booked - error - 0.12 <= told <= booked + error + 0.06, (name, booked, told)
    assert sum(own(seen.folded, name) for name in MADE) >= 0.85 * in_program


def test_functions_that_were_made_are_named_by_the_time_that_they_took(seen):
    check_own_times(seen)


def test_stacks_go_through_them_to_those_who_called(seen):
    told = collections.Counter()
    for (path, waits), seconds in seen.folded.items():
        if path[-1] in MADE and not waits:
            told[path[:-1]] += seconds
    whole = sum(told.values())
    assert told["work", "jit_caller", "between"] >= 0.95 * whole, told
    health = seen.snapshot["health"]["samples"]
    assert health["broken"] + health["truncated"] <= 0.02 * health["taken"], health


def test_they_belong_to_an_image_of_their_own(seen):
    lines = [line for line in seen.stdout.splitlines() if "jit_first" in line]
    assert any("[jit]" in line for line in lines), seen.stdout


def test_a_log_has_their_names(seen):
    for name in MADE:
        assert own(seen.replayed, name) == pytest.approx(own(seen.folded, name), rel=0.02)


def test_a_perf_map_of_somebody_else_names_nothing_and_that_is_said():
    def make(path):
        path.touch()
        os.chown(path, 65534, 65534)
    seen = observe(before=make, log=False)
    assert any("belongs to user 65534" in note for note in seen.snapshot["health"]["notes"]), seen.snapshot["health"]
    assert not any(own(seen.folded, name) for name in MADE)
    assert sum(seconds for (path, _), seconds in seen.folded.items() if "between" in path) > 0


def test_a_perf_map_in_a_tmp_of_its_own_is_found():
    seen = observe("own_tmp", log=False)
    check_own_times(seen)


def test_a_perf_map_that_only_its_owner_may_read_is_read_all_the_same():
    def make(path):
        path.touch(mode=0o600)
        path.chmod(0o600)
    seen = observe(before=make, log=False)
    check_own_times(seen)
