# SPDX-License-Identifier: Apache-2.0
"""The in-process engine: patched programs behave as before, and tell of every call; in the end they are as they were."""

import contextlib
import json
import os
import pathlib
import random
import signal
import subprocess
import time

import pytest
import support
from support import BIN, TARGETS, Profiler, Target, check_accounting, component
from test_record import replay
from test_targets import FUNCTIONS, check_callers, figures_of, name_of, observe, spec_of

IN_PROCESS = ("--engine", "in-process", "--allow-patching")
FILEHOST = support.ROOT / "specs" / "filehost.json"
CYCLES = int(os.environ.get("COMPMOND_CYCLES", "6"))  # by hand: 1000


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
    if lost == 0 and "exec" not in entry["program"]:
        check_callers(entry, snapshot)


def libraries_of(program):
    told = subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout
    return [word for line in told.splitlines() for word in line.split() if word.startswith("/") and "ld-linux" not in word]


def everything_in(program):
    """Every function of it and of its libraries, as far as it has a name."""
    images = {"main": {}, **{pathlib.Path(path).name: {"image": path} for path in libraries_of(program)}}
    return support.spec(None, components=[{"name": name, **image, "in": [{"symbol": "*", "optional": True}]} for name, image in images.items()])


# Control flow of all kinds; the others as well by hand: COMPMOND_EVERYTHING=1.
SOME = ("cancel", "deep", "exception", "exec", "fiber", "fork", "longjmp", "panic", "signal", "siglongjmp", "tail", "throwing", "tree")
EVERYTHING = [entry for entry in FUNCTIONS if os.environ.get("COMPMOND_EVERYTHING") or entry["program"] in SOME]
ALL = (*IN_PROCESS, "--many", "--samples", "off")


@pytest.mark.parametrize("entry", EVERYTHING, ids=name_of)
def test_programs_behave_as_without_where_every_function_of_theirs_and_of_their_libraries_is_patched(entry):
    program = TARGETS / entry["program"]
    with Target(program, *entry["args"]) as target:
        with Profiler(everything_in(program), "--pid", target.pid, options=ALL) as profiler:
            out, status = target.finish()
            snapshot = profiler.finish()
    assert (out, status) == (entry["stdout"], entry["exit"])
    assert snapshot["health"]["balanced"]
    engines = [o["engine"] for c in snapshot["components"] for o in c["operations"]]
    startup = 6  # _start, _init and the like are not patched; a small program has little else
    assert engines.count("in-process") > 0.9 * len(engines) - startup, {engine: engines.count(engine) for engine in set(engines)}
    with Target(program, *entry["args"]) as target:  # left in the middle of it
        with Profiler(everything_in(program), "--pid", target.pid, options=ALL) as profiler:
            target.release()
            profiler.finish(end=True)
            out, status = target.finish()
    assert (out, status) == (entry["stdout"], entry["exit"])
    with Profiler(everything_in(program), "--", program, *entry["args"], options=ALL, wait=False) as profiler:
        out, _ = profiler.process.communicate(timeout=support.DEADLINE * 2)
    assert entry["stdout"] in out.decode()


LOADS = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
/* loads LIBRARY CALLS TIMES: each time after a line loads it, calls inside() so often, and unloads it; between, memory where it was. */
int main(int argc, char **argv)
{
    char line[8];
    long sum = 0;
    printf("pid %d\n", (int)getpid()); fflush(stdout);
    for (int i = 0; i < atoi(argv[3]) && fgets(line, sizeof line, stdin); i++) {
        void *library = dlopen(argv[1], RTLD_NOW);
        if (!library) return 1;
        for (int n = 0; n < atoi(argv[2]); n++, usleep(500)) sum += ((long (*)(long))dlsym(library, "inside"))(n);
        dlclose(library);
        if (sbrk(1 << 20), !malloc(1 << 20)) return 1;
        printf("sum %ld\n", sum); fflush(stdout);
    }
    return 0;
}
"""


@contextlib.contextmanager
def loading(calls, times):
    """A program that loads a library when it gets a line; and the library."""
    with support.Folder() as folder:
        library = folder / "liblate.so"
        for source, out, flags in ((LOADS, folder / "loads", ()), ("__attribute__((noipa)) long inside(long x) { return x + 1; }", library, ("-shared", "-fPIC"))):
            subprocess.run(["cc", "-O2", *flags, "-o", out, "-x", "c", "-"], input=source, text=True, check=True)
        process = subprocess.Popen([folder / "loads", library, str(calls), str(times)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            support.read_line(process.stdout, "its first words")
            yield process, library
        finally:
            process.kill()
            process.wait()


def load(process):
    process.stdin.write(b"\n")
    process.stdin.flush()
    return support.read_line(process.stdout, "that it called what it loaded")


def test_what_is_loaded_later_goes_from_probes_to_patches_then(tmp_path):
    calls = 6000
    with loading(calls, 2) as (process, library):
        with Profiler(support.spec(["inside"], image=str(library)), "--pid", process.pid, "--record", tmp_path / "log", options=IN_PROCESS) as profiler:
            def inside(more_than=-1):
                return support.wait_for(lambda: (o := support.operation(profiler.snapshot_now(), "inside"))["calls"] > more_than and o, "calls")

            assert inside()["engine"] == "uprobe" and "no process maps its code yet" in inside()["reason"]
            load(process)
            told = inside(0.8 * calls)  # all but those in the moment of the change
            assert told["engine"] == "in-process" and "as it is loaded" in told["reason"]
            assert told["calls"] <= calls and told["at_least"]
            process.stdin.write(b"\n")  # again, wherever it comes to be: the next look finds it
            process.stdin.flush()
            inside(calls + 10)
            assert process.wait() == 0 and process.stdout.read().split()[-1] == str(calls * (calls + 1)).encode()
            snapshot = profiler.finish()
    check_accounting(snapshot)
    assert support.operation(snapshot, "inside")["calls"] <= 2 * calls
    assert replay(tmp_path / "log")[0]["components"] == snapshot["components"]


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
    for _ in range(max(3, CYCLES // 2)):
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


def test_a_command_is_patched_from_its_first_instruction_on():
    with Profiler(support.spec(["work"]), "--", TARGETS / "counted", "10", "1", options=IN_PROCESS) as profiler:
        snapshot = profiler.finish()
    work = component(snapshot, "work")
    assert (work["calls"], work["at_least"]) == (10, False)
    assert engines_of(snapshot) == {"in-process"}


def test_patches_that_vanished_from_memory_are_noticed_and_made_again():
    with Target(BIN / "remapped", "dropped") as target, Profiler(support.spec(["work"]), "--pid", target.pid, options=IN_PROCESS) as profiler:
        target.release()
        assert support.read_line(target.process.stdout, "the change") == "done\n"
        support.wait_for(lambda: any("was gone from the memory of process" in note for note in profiler.snapshot_now()["health"]["notes"]), "the note")
        out, status = target.finish()
        snapshot = profiler.finish()
    work = component(snapshot, "work")
    assert (out, status) == ("29900\n", 0)
    assert engines_of(snapshot) == {"in-process"}
    assert (work["calls"], work["at_least"]) == (200, True)


def processes_of(profiler):
    """compmond's own, and all that it started."""
    tasks = pathlib.Path(f"/proc/{profiler.process.pid}/task")
    children = [int(pid) for task in tasks.iterdir() for pid in (task / "children").read_text().split()]
    return [profiler.process.pid, *children]


def name_of_process(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def states_of(pid):
    return {task.name: (task / "stat").read_text().rpartition(")")[2].split()[0] for task in pathlib.Path(f"/proc/{pid}/task").iterdir()}


def is_there(pid):
    """And not only to be collected."""
    try:
        return "State:\tZ" not in pathlib.Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def test_of_one_that_was_killed_with_all_its_processes_restore_takes_away_what_is_left(filehost):
    before = code_of(filehost.pid)
    with Profiler(FILEHOST, "--pid", filehost.pid, options=IN_PROCESS) as profiler:
        refused = subprocess.run([support.COMPMOND, "restore", str(filehost.pid)], capture_output=True, text=True, check=False)
        assert refused.returncode == 69 and "at work" in refused.stderr, refused
        pids = processes_of(profiler)
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)  # so that none sees another one's end
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        profiler.process.wait()
    assert code_of(filehost.pid) != before
    assert filehost.poll() is None
    told = subprocess.run([support.COMPMOND, "doctor"], capture_output=True, text=True, check=False).stdout
    assert f"left its code in process {filehost.pid}" in told and "compmond restore" in told
    done = subprocess.run([support.COMPMOND, "restore"], capture_output=True, text=True, check=True)
    assert f"process {filehost.pid}: " in done.stdout and "put back" in done.stdout
    assert code_of(filehost.pid) == before
    with Profiler(FILEHOST, "--pid", filehost.pid, options=IN_PROCESS) as profiler:
        support.wait_for(lambda: component(profiler.snapshot_now(), "HTTPServer")["calls"] > 50, "calls")
    assert filehost.poll() is None


def test_whoever_is_killed_whenever_the_code_is_as_before_in_the_end(filehost):
    """compmond, the process of it that patches, or both at once."""
    before, dice = code_of(filehost.pid), random.Random(28)
    for cycle in range(CYCLES):
        with Profiler(FILEHOST, "--pid", filehost.pid, options=IN_PROCESS, wait=False) as profiler:
            time.sleep(dice.uniform(0, 1))  # at any moment: it starts, patches, observes
            os.kill(profiler.process.pid, signal.SIGSTOP)  # so that it starts nobody meanwhile
            daemon = profiler.process.pid
            support.wait_for(lambda: set(states_of(daemon).values()) == {"T"}, f"its stop: {states_of(daemon)}, {profiler.process.poll()}")
            others = processes_of(profiler)[1:]
            surgeons = [pid for pid in others if name_of_process(pid) == "compmond-surgeon"]
            victims = dice.choice([[*surgeons, profiler.process.pid], [profiler.process.pid], surgeons])
            for pid in victims:
                os.kill(pid, signal.SIGSTOP)
            for pid in victims:
                os.kill(pid, signal.SIGKILL)
            os.kill(profiler.process.pid, signal.SIGCONT)
            profiler.process.send_signal(signal.SIGTERM)
            profiler.process.wait()
        support.wait_for(lambda: not any(is_there(pid) for pid in others), "the end of who puts back")
        restored = subprocess.run([support.COMPMOND, "restore", str(filehost.pid)], capture_output=True, text=True, check=False)
        assert restored.returncode == 0, (cycle, victims, others, restored)
        now = code_of(filehost.pid)
        assert [where for where in before if now.get(where) != before[where]] == [], (cycle, victims, others)
        assert filehost.poll() is None


def test_two_at_once_keep_apart(filehost):
    """The second one neither patches, nor places a probe where the first one wrote, and says why."""
    with Profiler(FILEHOST, "--pid", filehost.pid, options=IN_PROCESS) as first, Profiler(FILEHOST, "--pid", filehost.pid, options=IN_PROCESS) as second:
        support.wait_for(lambda: component(first.snapshot_now(), "HTTPServer")["calls"] > 50, "calls")
        other, patched = second.finish(end=True), first.finish(end=True)
    assert engines_of(patched) == {"in-process"} and engines_of(other) <= {"sampling", "uprobe"}
    reasons = {o["reason"] for c in other["components"] for o in c["operations"]}
    assert all("another compmond" in reason for reason in reasons), reasons
    notes = [note for note in other["health"]["notes"] if "cannot be patched: another compmond (process" in note]
    assert len(notes) == 1 and f"process {filehost.pid} " in notes[0] and " instead" in notes[0], other["health"]["notes"]


def allowing(**options):
    return {**support.spec(["work"], **options), "allow_patching": True}


def test_a_spec_of_root_allows_it_and_one_of_a_user_does_not(tmp_path):
    spec = tmp_path / "spec.json"
    spec.write_text(json.dumps(allowing()))
    with Profiler(spec, "--", TARGETS / "counted", "10", "1", options=["--engine", "in-process"]) as profiler:
        snapshot = profiler.finish()
    assert engines_of(snapshot) == {"in-process"}
    os.chown(spec, 1000, 1000)
    command = [support.COMPMOND, "--spec", spec, "--pid", str(os.getpid())]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "SUDO_UID": "1000", "SUDO_GID": "1000"}, check=False)
    assert done.returncode == 77 and "root owns the spec" in done.stderr, done


def test_an_operation_may_ask_for_its_engine():
    functions = [("app::Left::go(int)", "uprobe"), ("app::Right::go", "in-process")]
    components = [{"name": name, "in": [{"symbol": name, "engine": engine}]} for name, engine in functions]
    with Target(TARGETS / "tree", "10") as target:
        with Profiler(support.spec(None, components=components), "--pid", target.pid, options=["--allow-patching"]) as profiler:
            target.finish()
            snapshot = profiler.finish()
    told = {c["name"]: c["operations"][0] for c in snapshot["components"]}
    assert {name: told[name]["engine"] for name, _ in functions} == dict(functions)
    assert [told[name]["calls"] for name, _ in functions] == [10, 20]


BUSY = support.spec([], components=[{"name": "Turn", "in": ["turn"]}, {"name": "Dear", "in": ["dear"]}, {"name": "Calm", "in": ["calm"]}])


@pytest.mark.alone
def test_stacks_are_unwound_through_patched_code():
    """One call in 60 ns or so: a third of the time is in code that was laid into the program."""
    with Target(TARGETS / "busy", "2") as target:
        with Profiler(BUSY, "--pid", target.pid, options=[*IN_PROCESS, "--samples", "997"]) as profiler:
            target.finish()
            snapshot = profiler.finish()
    samples = snapshot["health"]["samples"]
    assert samples["taken"] > 500
    assert samples["broken"] + samples["truncated"] <= 0.01 * samples["taken"], samples
    # Whose the time is, by samples alone, is what the program's books say: three parts and one.
    dear, calm = (component(snapshot, name)["estimated"]["cpu_ns"][0] for name in ("Dear", "Calm"))
    assert 2.4 < dear / calm < 3.8, (dear, calm)


@pytest.mark.alone
def test_what_is_too_dear_for_probes_is_patched_where_that_is_allowed():
    env = {**support.scaled()}  # the others have it as it is
    env["COMPMOND_WORK_SCALE"] = str(20 * float(env["COMPMOND_WORK_SCALE"]))
    with Target(TARGETS / "busy", "4", env=env) as target:
        with Profiler(BUSY, "--pid", target.pid, options=["--allow-patching", "--max-overhead", "5"]) as profiler:
            dear_ns, calm_ns = (int(ns) for ns in target.finish()[0].split())
            snapshot = profiler.finish()
    dear, calm = component(snapshot, "Dear"), component(snapshot, "Calm")
    assert dear["operations"][0]["engine"] == "in-process", dear
    assert "by in-process since" in dear["operations"][0]["reason"]
    assert dear["observed_share"] > 0.9 and not snapshot["health"]["throttled"]
    notes = snapshot["health"]["notes"]
    assert any("observed by in-process since" in note for note in notes), notes
    turns = component(snapshot, "Turn")["calls"]
    assert 0.9 < dear["calls"] / (5000 * turns) < 1.1
    assert 0.8 < (dear["real_ns"] / calm["real_ns"]) / (dear_ns / calm_ns) < 1.2


def test_it_wants_to_be_allowed_to():
    command = [support.COMPMOND, "--engine", "in-process", "--spec", FILEHOST, "--pid", str(os.getpid())]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 64
    assert "--allow-patching" in done.stderr
