# SPDX-License-Identifier: Apache-2.0
"""Monitoring logs of runs with --engine sampling: recorded, saved, cut short, and replayed to the estimates of the live run."""

import json
import pathlib
import signal
import subprocess
import sys

import jsonschema
import pytest
import support
import truth
from support import COMPMOND, TARGETS, Folder, Profiler, Target, wait_for
from test_record import replay, same_figures
from test_replay_view import Replay, control, standing
from test_serve import figures

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from program import ROOT, analyze, run  # noqa: E402

ANALYSIS = json.loads((ROOT / "specs" / "compmond.analysis-1.schema.json").read_text())
SAMPLING = ("--engine", "sampling", "--samples", "199")


def taken(snapshot):
    return snapshot["health"]["samples"]["taken"]


def record_truth(log, seconds=5, options=()):
    return truth.run_once(truth.truth_spec(), seconds, (*SAMPLING, "--record", log, *options))[1]


@pytest.fixture(scope="module")
def recorded():
    """A log of five seconds of the truth, and the live run's last snapshot."""
    with Folder() as folder:
        yield folder / "log", record_truth(folder / "log")


def test_a_replay_has_the_estimates_of_the_live_run(recorded):
    log, live = recorded
    assert taken(live) > 500
    replayed, said = replay(log)
    assert said == ""
    same_figures(live, replayed)
    paced, _ = replay(log, "--speed", "20")
    assert paced["components"] == replayed["components"]


def test_a_sample_takes_few_bytes(recorded):
    log, live = recorded
    assert log.stat().st_size < 30 * taken(live)


def test_a_replayed_window_has_its_own_estimates(recorded):
    log, live = recorded
    half, _ = replay(log, "--window", "2")
    assert 0 < taken(half) < taken(live)
    assert 0 < half["health"]["samples"]["cpu_ns"] < live["health"]["samples"]["cpu_ns"]


def test_what_needs_calls_refuses_a_log_of_samples_and_says_why(recorded):
    log, _ = recorded
    for command in (["analyze", log, "--report", "traces"], ["export", log, "--format", "csv"]):
        done = subprocess.run([str(c) for c in (COMPMOND, *command)], capture_output=True, text=True, timeout=support.DEADLINE)
        assert done.returncode == 65, done.stderr
        assert "it holds samples, which know no calls" in done.stderr
        assert "compmond replay" in done.stderr and "--report inside" in done.stderr


def folded_ns(text):
    return {stack: int(ns) for stack, ns in (line.rsplit(" ", 1) for line in text.splitlines())}


def test_the_inside_of_a_log_is_that_of_its_replay(recorded):
    log, live = recorded
    busy = max(live["components"], key=lambda c: c["estimated"]["own_samples"])["name"]
    with Folder() as folder:
        replay(log, "--inside", busy, "--folded", folder / "folded")
        assert folded_ns(run("export", "--format", "folded", "--component", busy, log)[0]) == folded_ns(
            (folder / "folded").read_text())
    document = analyze("inside", "--component", busy, log)
    jsonschema.validate(document, ANALYSIS)
    assert document["part"] == busy and document["inside"]["taken"] == taken(live)
    assert document["inside"]["total"]["samples"] > 50
    assert f"Inside {busy}" in run("analyze", "--report", "inside", "--format", "text", "--component", busy, log)[0]


def test_stacks_of_a_log_are_exported_whole_and_of_a_part_of_its_time(recorded):
    log, live = recorded
    whole = folded_ns(run("export", "--format", "folded", log)[0])
    assert any(stack.startswith(("_start;", "0x")) or ";main" in stack for stack in whole), list(whole)[:5]
    on_cpu = sum(ns for stack, ns in whole.items() if not stack.endswith(";(waiting)"))
    assert on_cpu == pytest.approx(live["health"]["samples"]["cpu_ns"], rel=0.02)
    profiles = json.loads(run("export", "--format", "speedscope", "--samples", log)[0])["profiles"]
    assert sum(p["endValue"] for p in profiles) == sum(whole.values())
    first, rest = (analyze("inside", *part, log)["inside"]["total"] for part in (("--to", 2), ("--from", 2)))
    assert first["samples"] > 0 and rest["samples"] > 0
    assert first["all_ns"][0] + rest["all_ns"][0] == pytest.approx(sum(whole.values()), rel=0.02)
    run("export", "--format", "chrome", "--samples", log, code=64)
    assert "Did you mean" in run("analyze", "--report", "inside", "--component", "op_mutexx", log, code=65)[1]


def test_two_files_that_take_turns_keep_the_newest_samples():
    with Folder() as folder:
        live = record_truth(folder / "log", 8, ("--record-limit", "1"))
        replayed, _ = replay(folder / "log")
        assert 0 < taken(replayed) <= taken(live)


def age(snapshot):
    return snapshot["now_ns"] - snapshot["start_ns"]


def test_a_flight_recorder_saves_the_newest_samples():
    with Folder() as folder, Target(TARGETS / "truth", "60") as target:
        options = (*SAMPLING, "--record", folder / "log", "--record-last", "4")
        with Profiler(truth.truth_spec(), "--pid", target.pid, options=options) as profiler:
            target.release()
            wait_for(lambda: age(profiler.snapshot_now()) > 11e9, "a run much longer than the recorder is")
            assert not (folder / "log").exists() or (folder / "log").stat().st_size == 0
            profiler.process.send_signal(signal.SIGUSR2)
            wait_for(lambda: (folder / "log").exists() and (folder / "log").stat().st_size > 0, "the log")
            live = profiler.snapshot_now()
            replayed, said = replay(folder / "log")
            profiler.finish(end=True)
        assert said == ""
        assert 400 < taken(replayed) < taken(live)
        assert 3e9 < replayed["window"]["end_ns"] - replayed["window"]["start_ns"] < 9e9
        assert {c["name"] for c in replayed["components"] if c["estimated"]["samples"]} != set()


def test_a_killed_recorder_leaves_a_readable_log():
    with Folder() as folder, Target(TARGETS / "truth", "60") as target:
        options = (*SAMPLING, "--record", folder / "log")
        with Profiler(truth.truth_spec(), "--pid", target.pid, options=options) as profiler:
            target.release()
            wait_for(lambda: taken(profiler.snapshot_now()) > 1500, "some seconds of samples")
            seen = taken(profiler.snapshot_now())
            profiler.process.kill()
            profiler.process.wait()
        replayed, said = replay(folder / "log")
        assert said == ""
        assert taken(replayed) > seen / 4
        assert any("no end" in note for note in replayed["health"]["notes"])
        assert replayed["components"][0]["status"] == "sampled"


def test_a_log_cut_in_its_middle_tells_what_is_missing(recorded):
    log, live = recorded
    with Folder() as folder:
        whole = bytearray(log.read_bytes())
        middle = len(whole) * 2 // 3
        whole[middle:middle + 16] = bytes(16)
        (folder / "damaged").write_bytes(whole)
        replayed, said = replay(folder / "damaged")
        assert "the log is damaged" in said
        assert 0 < taken(replayed) <= taken(live)


def test_a_window_on_a_replay_is_told_the_same_estimates_and_moves_it(recorded):
    log, live = recorded
    with Replay(log, "--headless", "--keep", "--speed", "max") as run, run.client() as client:
        view = wait_for(lambda: not (v := client.view())["run"]["live"] and v, "the end")
        assert figures(view["snapshot"]) == figures(live)
        assert view["snapshot"]["health"]["samples"] == live["health"]["samples"]
        control(client, "pause")  # else it plays on from there
        control(client, "seek", value=2.5)
        there = standing(client)["snapshot"]
        assert 0 < taken(there) < taken(live)
        strip = client.view(strip={"columns": 50})["strip"]
        assert sum(map(sum, strip["real_ns"])) > 0


def test_a_replay_names_the_functions_inside_a_component(recorded):
    log, live = recorded
    busy = max(live["components"], key=lambda c: c["estimated"]["own_samples"])["name"]
    with Replay(log, "--headless", "--keep", "--speed", "max") as run, run.client() as client:
        wait_for(lambda: not client.view(snapshot=False)["run"]["live"], "the end")
        inside = client.view(snapshot=False, analysis={"report": "inside", "component": busy})["analysis"]["inside"]
        functions = {f["name"] for f in inside["functions"] if f["total"]["samples"] > 0}
        assert any(name.startswith(busy) for name in functions), functions
        assert inside["without_stack"] == 0
