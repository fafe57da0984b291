# SPDX-License-Identifier: Apache-2.0
"""Probes that go and come while a run is observed, by somebody's wish: they really go, nobody else's calls are lost, and all is told."""

import contextlib
import json
import re
import signal
import subprocess

import pytest
import support
from support import BIN, COMPMOND, ROOT, Profiler, Target, check_accounting, component, operation, wait_for

SERVER = BIN / "fooling"  # works by itself in its mode "silent", and prints how often it called what
CALLED = ("op_parse", "op_full", "op_shed", "op_leaf", "op_reply")  # in the order of its books
SPEC = support.spec([], components=[
    {"name": "Front", "in": ["op_parse", "op_reply"]},
    {"name": "Work", "in": ["op_full", {"symbol": "op_shed", "optional": True}],
     "components": [{"name": "Leaf", "in": ["op_leaf"]}]}])


def control(profiler, *words, code=0):
    """What compmond control prints."""
    done = subprocess.run([COMPMOND, "control", str(profiler.process.pid), *words], capture_output=True, text=True, timeout=support.DEADLINE)
    assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    return done.stdout if code == 0 else done.stderr


def breakpoints(pid, program):
    """How many of the program's bytes of code in memory are others than in its file."""
    different = 0
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb") as memory, open(program, "rb") as file:
        for line in maps:
            match = re.match(r"([0-9a-f]+)-([0-9a-f]+) r-xp ([0-9a-f]+) .*" + re.escape(str(program)), line)
            if not match:
                continue
            start, end, offset = (int(part, 16) for part in match.groups())
            memory.seek(start)
            file.seek(offset)
            there = memory.read(end - start)
            different += sum(one != other for one, other in zip(there, file.read(end - start)))
    return different


@contextlib.contextmanager
def observed(*options, spec=SPEC, mode="silent"):
    with Target(SERVER, mode, env=support.scaled(calls=support.PUSHED)) as target:
        with Profiler(spec, "--pid", target.pid, "--no-children", options=options) as profiler:
            target.release()
            yield target, profiler


def books_of(target):
    """Its own, at its end."""
    target.process.terminate()
    return dict(zip(CALLED, map(int, target.finish()[0].split())))


def called(snapshot, name):
    return operation(snapshot, name)["calls"]


def until_called(profiler, name, more_than):
    """A snapshot in which it was."""
    found = []
    wait_for(lambda: found.append(profiler.snapshot_now()) or called(found[-1], name) > more_than, f"calls of {name}")
    return found[-1]


def behind_the_switch(profiler):
    """A snapshot of all until after the newest one: where samples tell times, its window ends a little before now."""
    found = []
    wait_for(lambda: found.append(profiler.snapshot_now()) or found[-1]["window"]["end_ns"] > found[-1]["health"]["switches"][-1]["at_ns"] + 5 * 10**8,
             "a window that ends behind the switch")
    return found[-1]


def switches(snapshot):
    return [(one["on"], one["what"]) for one in snapshot["health"]["switches"]]


@pytest.mark.parametrize("what, gone", [("Work", {"op_full", "op_shed", "op_leaf"}), ("op_reply", {"op_reply"}), ("op_[fs]*", None), ("op_*l*", {"op_full", "op_leaf", "op_reply"})])
def test_what_is_switched_off_has_no_probes_and_the_others_miss_nothing(what, gone):
    with observed() as (target, profiler):
        until_called(profiler, "op_reply", 100)
        whole = breakpoints(target.pid, SERVER)
        assert whole > 0
        if gone is None:  # brackets are no wildcard here
            assert "no component or operation is called" in control(profiler, "disable", what, code=65)
            assert breakpoints(target.pid, SERVER) == whole
            return
        assert "switched off" in control(profiler, "disable", what)
        off = behind_the_switch(profiler)
        assert 0 < breakpoints(target.pid, SERVER) < whole
        assert set(off["health"]["disabled"]) == gone
        later = until_called(profiler, "op_parse", called(off, "op_parse") + 100)
        for name in gone:
            one = operation(later, name)
            assert one["state"] == "disabled" and one["since_ns"] and one["reason"].startswith("switched off since")
            assert called(later, name) == called(off, name)
            assert one["at_least"] and one["observed_share"] < 1 and "switched off" in one["not_extrapolated"]
        assert "switched on" in control(profiler, "enable", what)
        assert breakpoints(target.pid, SERVER) == whole
        on = profiler.snapshot_now()
        assert on["health"]["disabled"] == []
        for name in gone:
            assert operation(on, name)["state"] == "attached"
        until_called(profiler, sorted(gone)[0], called(off, sorted(gone)[0]) + 100)
        books = books_of(target)
        last = profiler.finish()
    assert switches(last) == [(False, what), (True, what)]
    assert last["health"]["lost"] == 0
    check_accounting(last)
    for name in CALLED:
        assert (called(last, name) == books[name]) == (name not in gone or books[name] == 0), (name, called(last, name), books[name])
        assert called(last, name) <= books[name]
        assert operation(last, name)["closed"]["lossy"] <= (1 if name in gone else 0)


def test_all_probes_are_paused_by_a_signal_and_each_comes_back_as_it_was_wished():
    with observed() as (target, profiler):
        whole = breakpoints(target.pid, SERVER)
        control(profiler, "disable", "Leaf")
        profiler.process.send_signal(signal.SIGRTMIN + 1)
        wait_for(lambda: breakpoints(target.pid, SERVER) == 0, "probes to go")
        paused = profiler.snapshot_now()
        assert paused["health"]["probes_paused"] and set(paused["health"]["disabled"]) == set(CALLED)
        assert all(part["status"] == "disabled" for part in paused["components"])
        assert "already" in control(profiler, "pause-probes")
        assert "when probes are resumed" in control(profiler, "enable", "Leaf")
        control(profiler, "disable", "op_reply")
        assert breakpoints(target.pid, SERVER) == 0
        profiler.process.send_signal(signal.SIGRTMIN + 1)
        wait_for(lambda: breakpoints(target.pid, SERVER) > 0, "probes to come back")
        resumed = profiler.snapshot_now()
        assert not resumed["health"]["probes_paused"] and resumed["health"]["disabled"] == ["op_reply"]
        until_called(profiler, "op_leaf", called(resumed, "op_leaf"))
        control(profiler, "enable", "*")
        wait_for(lambda: breakpoints(target.pid, SERVER) == whole, "all probes to be back")
        books_of(target)
        last = profiler.finish()
    assert switches(last) == [(False, "Leaf"), (False, ""), (True, "Leaf"), (False, "op_reply"), (True, ""), (True, "*")]
    check_accounting(last)


def test_what_cannot_be_done_says_why(tmp_path):
    with observed() as (target, profiler):
        assert "Did you mean 'Leaf'?" in control(profiler, "disable", "Laef", code=65)
        assert "only a replay" in control(profiler, "seek", "3", code=65)
        assert "is to follow" in control(profiler, "disable", code=64)
        assert "nothing is to follow" in control(profiler, "pause-probes", "Leaf", code=64)
        assert switches(profiler.snapshot_now()) == []
        other = subprocess.run([COMPMOND, "control", str(target.pid), "stop"], capture_output=True, text=True)
        assert other.returncode == 66 and str(profiler.process.pid) in other.stderr, other.stderr
        assert control(profiler, "stop") == "compmond ends\n"
        assert profiler.process.wait(timeout=support.DEADLINE) == 0


def test_a_log_tells_the_same(tmp_path):
    log = tmp_path / "run.log"
    with observed("--record", log) as (target, profiler):
        control(profiler, "disable", "Leaf")
        until_called(profiler, "op_parse", called(profiler.snapshot_now(), "op_parse") + 100)
        control(profiler, "enable", "Leaf")
        control(profiler, "disable", "Front")
        books_of(target)
        live = profiler.finish()
    replayed = tmp_path / "replayed.json"
    subprocess.run([COMPMOND, "replay", log, "--headless", "--snapshot", replayed], check=True, capture_output=True, timeout=support.DEADLINE)
    again = json.loads(replayed.read_text())
    for key in ("switches", "disabled"):
        assert again["health"][key] == live["health"][key]
    for part in live["components"]:
        other = component(again, part["name"])
        assert (other["status"], other["calls"], other.get("observed_share")) == (part["status"], part["calls"], part.get("observed_share"))
        for one in part["operations"]:
            assert {key: operation(again, one["name"]).get(key) for key in ("state", "since_ns", "reason", "not_extrapolated")} \
                == {key: one.get(key) for key in ("state", "since_ns", "reason", "not_extrapolated")}


FIGURES = ("calls", "closed", "max_ns", "raw_ns", "real_ns", "at_least")


def test_calls_that_begin_without_probes_and_return_with_them_are_of_nobody(tmp_path):
    """Its uploads throw at the same places again and again, and are switched off and on meanwhile."""
    log, replayed = tmp_path / "run.log", tmp_path / "replayed.json"
    with subprocess.Popen([BIN / "filehost", "--rate", "60"], stdout=subprocess.DEVNULL) as target, contextlib.ExitStack() as after:
        after.callback(target.kill)
        with Profiler(ROOT / "specs" / "filehost.json", "--pid", target.pid, options=["--record", log]) as profiler:
            for _ in range(4):
                for word, name in (("disable", "HTTPServer"), ("enable", "UploadManager")):
                    control(profiler, word, "UploadManager")
                    before = component(profiler.snapshot_now(), name)["calls"]
                    wait_for(lambda: component(profiler.snapshot_now(), name)["calls"] > before + 60, f"calls of {name}")
            live = profiler.finish(end=True)
    check_accounting(live)
    assert not [note for note in live["health"]["notes"] if "change stacks" in note]
    for part in live["components"]:
        assert part["closed"]["abandoned"] == part["closed"]["failed"], part["name"]
        assert part["name"] == "UploadManager" or part["closed"]["lossy"] == 0, part["name"]
    assert component(live, "UploadManager")["max_ns"] <= component(live, "HTTPServer")["max_ns"]  # their only caller
    subprocess.run([COMPMOND, "replay", log, "--headless", "--snapshot", replayed], check=True, capture_output=True, timeout=support.DEADLINE)
    again = json.loads(replayed.read_text())
    assert again["health"]["orphan_exits"] == live["health"]["orphan_exits"]
    for part in live["components"]:
        assert {key: component(again, part["name"])[key] for key in FIGURES} == {key: part[key] for key in FIGURES}


def slices(snapshot):
    return snapshot["health"].get("sliced", {}).get("taken", 0)


def until_sliced(profiler, begun):
    """A snapshot with some more slices."""
    found = []
    wait_for(lambda: found.append(profiler.snapshot_now()) or slices(found[-1]) > slices(begun) + 3, "slices")
    return found[-1]


def test_of_a_busy_run_slices_leave_out_what_is_off():
    with observed("--max-overhead", "5", mode="age") as (target, profiler):
        wait_for(lambda: "throttled" in {one["state"] for part in profiler.snapshot_now()["components"] for one in part["operations"]}, "a busy run")
        control(profiler, "disable", "Leaf")
        begun = behind_the_switch(profiler)
        assert operation(begun, "op_leaf")["state"] == "disabled"
        later = until_sliced(profiler, begun)
        assert called(later, "op_leaf") == called(begun, "op_leaf")
        assert "switched off" in operation(later, "op_leaf")["not_extrapolated"]
        assert "calls" not in operation(later, "op_leaf").get("estimated", {})
        assert operation(later, "op_parse")["state"] != "disabled"
        control(profiler, "enable", "Leaf")
        assert operation(profiler.snapshot_now(), "op_leaf")["state"] in ("throttled", "attached")
        control(profiler, "pause-probes")
        wait_for(lambda: breakpoints(target.pid, SERVER) == 0, "probes to go")
        paused = profiler.snapshot_now()
        control(profiler, "resume-probes")
        until_sliced(profiler, paused)
        books_of(target)
        check_accounting(profiler.finish())
