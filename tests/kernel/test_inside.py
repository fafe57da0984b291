# SPDX-License-Identifier: Apache-2.0
"""compmond --inside: in which functions an operation's time goes, against the books of a program and of perf."""

import collections
import contextlib
import json
import pathlib
import re
import shutil
import subprocess

import pytest
import support
from support import BIN, Folder, Profiler, Target, component
from test_serve import connect

LOOKED_INTO = BIN / "looked_into"
SPEC = {"schema": "compmond.spec/1", "name": "looked into", "components": [{"name": "Worker", "in": ["handle"]}]}
SAMPLING = ("--engine", "sampling", "--samples", "499")
SECONDS, LONG = 4, 60
WAITING = ";(waiting)"


def read_books(text):
    """Function -> (CPU, wall) in seconds, own time."""
    return {name: (int(cpu) / 1e9, int(wall) / 1e9) for name, cpu, wall in map(str.split, text.splitlines())}


def read_folded(path):
    """(path of functions, waiting) -> seconds."""
    out = collections.Counter()
    for line in path.read_text().splitlines():
        stack, ns = line.rsplit(" ", 1)
        out[tuple(stack.removesuffix(WAITING).split(";")), stack.endswith(WAITING)] += int(ns) / 1e9
    return out


def inside_of(client, window=None, **part):
    within = {"window": window} if window else {}
    answer = client.view(snapshot=False, analysis={"report": "inside", **part}, **within)
    return answer["analysis"]["inside"]


def own_ns(function):
    return function["own"]["cpu_ns"][0] + function["own"]["waiting_ns"][0]


Looked = collections.namedtuple("Looked", "books folded speedscope stdout snapshot")


@pytest.fixture(scope="module")
def looked():
    """One run, with all that is told of the inside of Worker."""
    with Folder() as folder, Target(LOOKED_INTO, SECONDS) as target:
        files = ("--inside", "Worker", "--folded", folder / "folded", "--speedscope", folder / "speedscope")
        with Profiler(SPEC, "--pid", target.pid, options=SAMPLING + files) as profiler:
            out, status = target.finish()
            snapshot = profiler.finish()
            assert status == 0
            return Looked(read_books(out), read_folded(folder / "folded"), json.loads((folder / "speedscope").read_text()),
                          profiler.stdout.decode(), snapshot)


def own(folded, function, waiting=False):
    return sum(s for (path, waits), s in folded.items() if path[-1] == function and waits == waiting)


def within(folded, *begin):
    """CPU seconds of what begins so, whatever it calls; of handle, which calls all others, without them. The kernel's part is that
    of the function in which it came: interrupts and switches of others on the machine come in all of them."""
    called = begin != ("handle",)
    return sum(s for (path, waits), s in folded.items() if not waits and path[:len(begin)] == begin and (called or path[1:] in ((), ("[kernel]",))))


def test_time_of_functions_is_as_the_programs_own_books(looked):
    whole = sum(cpu for cpu, _ in looked.books.values())
    samples = whole * 499
    for name, *begin in ("scan", "handle", "parse", "scan"), ("hash", "handle", "parse", "hash"), ("read", "handle", "parse", "take"), ("handle", "handle"):
        booked, told = looked.books[name][0] / whole, within(looked.folded, *begin) / whole
        # Four standard errors of a share, and a point for what the books themselves cost.
        assert abs(told - booked) <= 4 * (booked * (1 - booked) / samples) ** 0.5 + 0.01, (name, booked, told)


def test_waiting_is_told_of_the_function_that_waits(looked):
    slept = looked.books["sleep"][1] - looked.books["sleep"][0]
    told = sum(s for (path, waits), s in looked.folded.items() if waits and len(path) > 1 and "nanosleep" in path[1])
    # Of some hundred waits a few dozen are looked at; where others on the machine switch often, only part of the time.
    share = looked.snapshot["health"]["samples"]["off_cpu_share"]
    assert told == pytest.approx(share * slept, abs=0.5 * slept), share


def test_paths_are_as_the_program_calls(looked):
    paths = {path for path, _ in looked.folded}
    assert {("handle",), ("handle", "parse", "scan"), ("handle", "parse", "hash")} <= paths
    assert all(path[0] == "handle" for path in paths)
    assert any(path[:3] == ("handle", "parse", "take") and path[-1] == "[kernel]" and "read" in path[3] for path in paths), paths


def test_all_forms_tell_the_same(looked):
    estimated = component(looked.snapshot, "Worker")["estimated"]
    assert sum(looked.folded.values()) == pytest.approx(estimated["raw_ns"][0] / 1e9, rel=0.02)
    on_cpu, waiting = looked.speedscope["profiles"]
    assert sum(on_cpu["weights"]) == on_cpu["endValue"]
    frames = [frame["name"] for frame in looked.speedscope["shared"]["frames"]]
    scanned = sum(w for s, w in zip(on_cpu["samples"], on_cpu["weights"]) if frames[s[-1]] == "scan")
    assert scanned / 1e9 == pytest.approx(own(looked.folded, "scan"), rel=1e-6)
    assert sum(waiting["weights"]) / 1e9 == pytest.approx(sum(s for (_, w), s in looked.folded.items() if w), rel=1e-6)
    text = looked.stdout[looked.stdout.index("Inside Worker"):]
    functions, callers = text.split("caller", 1)
    assert functions.index("scan") < functions.index("hash")
    assert "looked_into" in functions and "[kernel]" in functions
    assert "main" in callers


def test_clients_are_told_while_it_runs_and_without_samples_why_not():
    with Target(LOOKED_INTO, LONG) as target:
        with Profiler(SPEC, "--pid", target.pid, options=SAMPLING) as profiler, connect(profiler) as client:
            target.release()
            support.wait_for(lambda: inside_of(client, component="Worker")["total"]["samples"] > 100, "samples")
            inside = inside_of(client, operation="handle")
            names = {f["name"]: f for f in inside["functions"]}
            assert names["scan"]["whose"] == "own" and names["scan"]["image"] == str(LOOKED_INTO.resolve())
            assert names["scan"]["own"]["cpu_ns"][0] > names["hash"]["own"]["cpu_ns"][0]
            assert names["main"]["total"]["samples"] == 0
            # Of one window, as while it goes on either scan or its wait may be ahead by a sample.
            window = {"start_ns": 0, "end_ns": client.view()["snapshot"]["window"]["end_ns"]}
            all_of_it, few = (inside_of(client, window, component="Worker", limit=limit) for limit in (100, 1))
            assert len(few["callees"]) == 1 < len(all_of_it["callees"])
            assert few["functions"] == [max(all_of_it["functions"], key=own_ns)]
            wrong = client.ask(request="view", analysis={"report": "inside", "component": "Workers"})
            assert "Did you mean 'Worker'?" in json.dumps(wrong)
            profiler.finish(end=True)
    with Target(LOOKED_INTO, 0) as target:
        with Profiler(SPEC, "--pid", target.pid, options=("--samples", "off")) as profiler, connect(profiler) as client:
            assert "no samples" in json.dumps(client.ask(request="view", analysis={"report": "inside", "component": "Worker"}))
            target.finish()
            profiler.finish()


def test_a_name_that_is_none_ends_the_run_before_it_begins():
    with Target(LOOKED_INTO, 0) as target:
        with Profiler(SPEC, "--pid", target.pid, options=(*SAMPLING, "--inside", "Wroker"), wait=False) as profiler:
            assert profiler.process.wait(timeout=support.DEADLINE) == 65
            assert "Did you mean 'Worker'?" in profiler.stderr()
            assert "ready" not in profiler.stderr()
        target.finish()


def addresses_of(program):
    lines = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout.splitlines()
    return {words[2]: int(words[0], 16) for words in map(str.split, lines) if len(words) == 3}


@contextlib.contextmanager
def debug_file_of(program):
    """Its separate debug file, where debuggers look for it."""
    notes = subprocess.run(["readelf", "-n", program], capture_output=True, text=True, check=True).stdout
    build_id = re.search(r"Build ID: ([0-9a-f]+)", notes).group(1)
    path = pathlib.Path("/usr/lib/debug/.build-id", build_id[:2], build_id[2:] + ".debug")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        subprocess.run(["objcopy", "--only-keep-debug", program, path], check=True)
        yield
    finally:
        path.unlink(missing_ok=True)


def keep_packed(program, whole):
    """What distributions leave of the symbols of a stripped program."""
    kept = program.with_name("kept")
    subprocess.run(["objcopy", "--strip-all", *(f"--keep-symbol={name}" for name in NAMED), whole, kept], check=True)
    subprocess.run(["xz", kept], check=True)
    subprocess.run(["objcopy", "--add-section", f".gnu_debugdata={kept}.xz", program], check=True)


NAMED = ("parse", "handle", "main")


@pytest.mark.parametrize("symbols", ["nowhere", "debug-file", "packed"])
def test_of_a_stripped_program_extents_are_known_and_names_where_symbols_are_kept(symbols):
    in_libc = {**SPEC, "components": [{"name": "Worker", "in": ["read"], "image": "libc.so.6"}]}
    with Folder() as folder, debug_file_of(LOOKED_INTO) if symbols == "debug-file" else contextlib.nullcontext():
        program = shutil.copy(LOOKED_INTO, folder / "program")
        subprocess.run(["strip", "--strip-all", program], check=True)
        if symbols == "packed":
            keep_packed(program, LOOKED_INTO)
        with Target(program, LONG) as target:
            with Profiler(in_libc, "--pid", target.pid, options=SAMPLING) as profiler, connect(profiler) as client:
                target.release()
                support.wait_for(lambda: inside_of(client, component="Worker")["total"]["samples"] > 5, "samples")
                inside = inside_of(client, component="Worker")
                profiler.finish(end=True)
    found = {f["start"]: f["name"] for f in inside["functions"] if f["image"].endswith("/program")}
    vaddr = addresses_of(LOOKED_INTO)
    for name in NAMED:
        assert found.get(vaddr[name]) == ("" if symbols == "nowhere" else name), found
    assert any("read" in f["name"] and f["whose"] == "own" for f in inside["functions"])
