# SPDX-License-Identifier: Apache-2.0
"""Every hazard program behaves the same observed and unobserved, and its figures are right or marked."""

import json

import pytest
import support
from support import TARGETS, Profiler, Target, check_accounting, operation

MANIFEST = json.loads((support.ROOT / "tests" / "targets" / "manifest.json").read_text())["programs"]
# The Rust program exists only where a Rust compiler was found when the build was configured.
FUNCTIONS = [e for e in MANIFEST if e["functions"] and ("rustc" not in e.get("needs", []) or (TARGETS / e["program"]).exists())]


def name_of(entry):
    return "-".join([entry["program"], *entry["args"]])


def spec_of(entry, **options):
    image = TARGETS / entry["image"] if "image" in entry else None
    components = [{"name": f"c{i}", "in": [pattern]} for i, pattern in enumerate(entry["functions"])]
    return support.spec(None, image=image, components=components, **options)


def observe(entry, spec, options=()):
    with Target(TARGETS / entry["program"], *entry["args"]) as target:
        with Profiler(spec, "--pid", target.pid, options=options) as profiler:
            out, status = target.finish()
            return out, status, profiler.finish()


def figures_of(snapshot, index):
    parts = [c for c in snapshot["components"] if c["name"] == f"c{index}"]
    assert len(parts) == 1
    return parts[0]


def check_figures(entry, snapshot):
    check_accounting(snapshot)
    for index, (pattern, expected) in enumerate(entry["functions"].items()):
        got = figures_of(snapshot, index)
        assert got["status"] == "attached", (pattern, got)
        assert got["calls"] == expected["calls"], (pattern, got)
        for reason, count in expected.get("closed", {}).items():
            assert got["closed"][reason] == count, (pattern, reason, got["closed"])
        assert got["open"] == 0, (pattern, got)
    check_callers(entry, snapshot)


def check_callers(entry, snapshot):
    parents = {f"c{i}": e["parent"] for i, (_, e) in enumerate(entry["functions"].items()) if "parent" in e}
    names = list(entry["functions"])
    for child, parent in parents.items():
        calls = [e["count"] for e in snapshot["edges"] if e["to"] == child and e["from"] == f"c{names.index(parent)}"]
        assert calls == [entry["functions"][names[int(child[1:])]]["calls"]], (child, snapshot["edges"])


@pytest.mark.parametrize("entry", FUNCTIONS, ids=name_of)
def test_same_behaviour_and_right_figures(entry):
    out, status, snapshot = observe(entry, spec_of(entry))
    assert (out, status) == (entry["stdout"], entry["exit"])
    check_figures(entry, snapshot)
    if "auto_exit_mode" in entry:
        modes = {o["exit_mode"] for c in snapshot["components"] for o in c["operations"]}
        assert modes == {entry["auto_exit_mode"]}, modes


# The only function of "overflow" is a lone ret: there is no place for two probes, and compmond says so.
HAS_ROOM = [e for e in FUNCTIONS if e.get("auto_exit_mode") == "return-probe" and e["program"] != "overflow"]


@pytest.mark.parametrize("entry", HAS_ROOM, ids=name_of)
def test_ret_sites_give_the_same(entry):
    """The mode without limit and without touching return addresses, on what auto observes by return probes."""
    out, status, snapshot = observe(entry, spec_of(entry, exit_mode="ret-sites"))
    assert (out, status) == (entry["stdout"], entry["exit"])
    check_accounting(snapshot)
    for index, (pattern, expected) in enumerate(entry["functions"].items()):
        got = figures_of(snapshot, index)
        if got["status"] == "refused":  # a function that cannot be decoded to its end says so
            assert got["operations"][0]["reason"], got
            continue
        assert got["calls"] == expected["calls"], (pattern, got)
        for reason, count in expected.get("closed", {}).items():
            assert got["closed"][reason] == count, (pattern, reason, got["closed"])


@pytest.mark.parametrize("entry", FUNCTIONS, ids=name_of)
def test_entry_only_counts_the_same(entry):
    out, status, snapshot = observe(entry, spec_of(entry, exit_mode="entry-only"))
    assert (out, status) == (entry["stdout"], entry["exit"])
    check_accounting(snapshot)
    for index, (pattern, expected) in enumerate(entry["functions"].items()):
        assert figures_of(snapshot, index)["calls"] == expected["calls"], pattern


SMALL = [e for e in FUNCTIONS if e["program"] in ("counted", "tail", "longjmp", "fork_inside", "exception", "exec_inside")]


@pytest.mark.parametrize("kind", ["multi", "per-symbol"])
@pytest.mark.parametrize("entry", SMALL, ids=name_of)
def test_older_ways_to_attach_give_the_same(entry, kind):
    out, status, snapshot = observe(entry, spec_of(entry), options=["--attach", kind])
    assert (out, status) == (entry["stdout"], entry["exit"])
    assert snapshot["health"]["attach"] == kind
    check_figures(entry, snapshot)


@pytest.mark.parametrize("entry", [e for e in MANIFEST if e.get("refused")], ids=name_of)
def test_what_cannot_be_observed_is_an_error_that_names_the_candidates(entry):
    for pattern, word in entry["refused"].items():
        with Target(TARGETS / entry["program"], *entry["args"]) as target:
            with Profiler(support.spec([pattern]), "--pid", target.pid, wait=False) as profiler:
                profiler.process.wait(timeout=support.DEADLINE)
                assert profiler.process.returncode == 65, profiler.stderr()
                assert word in profiler.stderr()
            assert target.finish() == (entry["stdout"], entry["exit"])


def test_deeper_than_64_return_probes_is_marked_truncated():
    """The kernel sees 64 returns per thread; the rest must not pass for normal returns."""
    spec = support.spec(["descend"], exit_mode="return-probe")
    out, status, snapshot = support.observe(spec, TARGETS / "deep", "100")
    assert (out, status) == ("depth 100\n", 0)
    got = operation(snapshot, "descend")
    assert got["calls"] == 100
    assert got["closed"]["returned"] == 64
    assert got["truncated"] == 36
    check_accounting(snapshot)
