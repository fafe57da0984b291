# SPDX-License-Identifier: Apache-2.0
"""Programs with musl for a C library, which has no call frame information: static and dynamic, with samples and with probes."""

import collections

import pytest
import support
from support import BIN, Folder, Profiler, Target, component
from test_inside import SAMPLING, SECONDS, SPEC, own, read_books, read_folded

LINKED = ("static", "dynamic")


def program(name, linked):
    path = BIN / "musl" / linked / name
    assert path.exists(), f"{path} was not built: install musl-tools (scripts/setup) and configure again"
    return path


Looked = collections.namedtuple("Looked", "books folded snapshot")


@pytest.fixture(scope="module", params=LINKED)
def looked(request):
    with Folder() as folder, Target(program("looked_into", request.param), SECONDS) as target:
        options = (*SAMPLING, "--inside", "Worker", "--folded", folder / "folded")
        with Profiler(SPEC, "--pid", target.pid, options=options) as profiler:
            out, status = target.finish()
            snapshot = profiler.finish()
            assert status == 0
            return Looked(read_books(out), read_folded(folder / "folded"), snapshot)


def test_stacks_are_whole(looked):
    health = looked.snapshot["health"]["samples"]
    assert health["taken"] > 500
    assert health["broken"] + health["truncated"] <= 0.01 * health["taken"], health


def test_own_time_of_functions_is_as_the_programs_own_books(looked):
    computes = ("scan", "hash", "handle")  # the kernel takes its part of each
    booked = {name: looked.books[name][0] for name in computes}
    told = {name: own(looked.folded, name) for name in computes}
    for name in computes:
        share, seen = booked[name] / sum(booked.values()), told[name] / sum(told.values())
        # Four standard errors of a share, and two points for what the books themselves cost.
        assert abs(seen - share) <= 4 * (share * (1 - share) / (sum(booked.values()) * 499)) ** 0.5 + 0.02, (name, share, seen)


def test_what_the_c_library_waits_for_belongs_to_who_called_it(looked):
    waited = sum(wall - cpu for cpu, wall in looked.books.values())  # for a CPU, too
    worker = component(looked.snapshot, "Worker")["estimated"]
    assert worker["waiting_ns"][0] / 1e9 == pytest.approx(waited, rel=0.5)  # of some hundred waits a few dozen are looked at
    asleep = sum(s for (path, waits), s in looked.folded.items() if waits and path[-1] not in ("scan", "hash", "handle", "parse"))
    assert asleep >= 0.5 * (looked.books["sleep"][1] - looked.books["sleep"][0])


@pytest.mark.parametrize("linked", LINKED)
@pytest.mark.parametrize("exit_mode", ("return-probe", "ret-sites"))
def test_probes_count_exactly(linked, exit_mode):
    out, status, snapshot = support.observe(support.spec(["work"], exit_mode=exit_mode), program("counted", linked), "1000", "4")
    assert (out, status) == ("calls 1000 sum 374500\n", 0)
    assert component(snapshot, "work")["calls"] == 1000
    support.check_accounting(snapshot)
