# SPDX-License-Identifier: Apache-2.0
"""The in-process engine: patched programs behave as before, and tell of every call; in the end they are as they were."""

import contextlib
import os
import pathlib
import signal
import subprocess

import pytest
import support
from support import BIN, TARGETS, Profiler, Target, check_accounting, component
from test_targets import FUNCTIONS, figures_of, name_of, observe, spec_of

IN_PROCESS = ("--engine", "in-process", "--allow-patching")
FILEHOST = support.ROOT / "specs" / "filehost.json"


def engines_of(snapshot):
    return {o["engine"] for c in snapshot["components"] for o in c["operations"]}


def code_of(pid):
    """Address range -> what is mapped executable, without the kernel's own."""
    out = {}
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for line in pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines():
            where, rights, *_, name = line.split(maxsplit=5) + [""] * (6 - len(line.split(maxsplit=5)))
            if "x" not in rights or name.startswith("["):
                continue
            start, end = (int(part, 16) for part in where.split("-"))
            memory.seek(start)
            out[where, name] = memory.read(end - start)
    return out


@pytest.mark.parametrize("entry", FUNCTIONS, ids=name_of)
def test_programs_behave_as_without_and_every_call_is_counted_or_known_to_be_lost(entry):
    out, status, snapshot = observe(entry, spec_of(entry), IN_PROCESS)
    assert (out, status) == (entry["stdout"], entry["exit"])
    check_accounting(snapshot)
    lost = snapshot["health"]["lost"]
    for index, (pattern, expected) in enumerate(entry["functions"].items()):
        got = figures_of(snapshot, index)
        assert got["status"] == "attached", (pattern, got)
        few = got["at_least"] and got["calls"] < expected["calls"]  # what came right after an exec is not seen
        assert got["calls"] == expected["calls"] or (few and (lost > 0 or "exec" in entry["program"])), (pattern, got)


@contextlib.contextmanager
def running(*command):
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        support.read_line(process.stdout, "its first words")  # all that it needs is loaded
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def filehost():
    with running(BIN / "filehost", "--rate", 400) as process:
        yield process


def test_afterwards_its_code_is_as_before(filehost):
    before = code_of(filehost.pid)
    for _ in range(3):
        with Profiler(FILEHOST, "--pid", filehost.pid, options=IN_PROCESS) as profiler:
            assert code_of(filehost.pid) != before
            support.wait_for(lambda: component(profiler.snapshot_now(), "HTTPServer")["calls"] > 50, "calls")
            snapshot = profiler.finish(end=True)
        check_accounting(snapshot)
        assert engines_of(snapshot) == {"in-process"}
        support.wait_for(lambda: code_of(filehost.pid) == before, "the code as before")


def test_a_profiler_that_is_killed_leaves_nothing(filehost):
    before = code_of(filehost.pid)
    with Profiler(FILEHOST, "--pid", filehost.pid, options=IN_PROCESS) as profiler:
        support.wait_for(lambda: code_of(filehost.pid) != before, "patches")
        profiler.process.send_signal(signal.SIGKILL)
        support.wait_for(lambda: code_of(filehost.pid) == before, "the code as before")
    assert filehost.poll() is None


def test_counts_are_those_of_probes():
    """Of the same calls: one begins and ends within the time of the other."""
    with Target(TARGETS / "tree", "200") as target:
        patterns = {"schema": "compmond.spec/1", "name": "tree", "components": [{"name": "all", "in": ["*::*"]}]}
        with Profiler(patterns, "--pid", target.pid) as probes, Profiler(patterns, "--pid", target.pid, options=IN_PROCESS) as patches:
            target.finish()
            told, other = patches.finish(), probes.finish()
    calls = [{o["symbol"]: o["calls"] for c in s["components"] for o in c["operations"]} for s in (told, other)]
    assert sum(calls[0].values()) > 0
    assert calls[0] == calls[1]


def test_what_has_arguments_to_be_read_goes_on_by_probes():
    functions = [("app::Left::go(int)", {"trace_id": {"argument": 2, "type": "integer"}}), ("app::Right::go", {})]
    components = [{"name": name, "in": [{"symbol": name, **context}]} for name, context in functions]
    with Target(TARGETS / "tree", "10") as target:
        with Profiler(support.spec(None, components=components), "--pid", target.pid, options=IN_PROCESS) as profiler:
            target.finish()
            snapshot = profiler.finish()
    told = {c["name"]: c["operations"][0] for c in snapshot["components"]}
    assert told["app::Left::go(int)"]["engine"] == "uprobe" and told["app::Right::go"]["engine"] == "in-process"
    assert (told["app::Left::go(int)"]["calls"], told["app::Right::go"]["calls"]) == (10, 20)


def test_it_wants_to_be_allowed_to():
    command = [support.COMPMOND, "--engine", "in-process", "--spec", FILEHOST, "--pid", str(os.getpid())]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 64
    assert "--allow-patching" in done.stderr
