# SPDX-License-Identifier: Apache-2.0
"""Monitoring logs of real runs: recorded, cut short, and replayed to the figures of the live run."""

import json
import pathlib
import signal
import subprocess

import pytest
import support
from support import BIN, COMPMOND, ROOT, TARGETS, Folder, Profiler, Target, check_accounting, component
from test_serve import connect


def replay(log, *options, status=0):
    """The replay's snapshot and what it said."""
    with Folder() as folder:
        out = folder / "replay.json"
        done = subprocess.run([str(c) for c in (COMPMOND, "replay", log, "--headless", "--snapshot", out, *options)],
                              capture_output=True, text=True, timeout=support.DEADLINE * 2)
        assert done.returncode == status, done.stderr
        return (json.loads(out.read_text()) if status == 0 else None), done.stderr


def same_figures(live, replayed):
    """Everything is equal but the moment at which the file was made."""
    live, replayed = dict(live), dict(replayed)
    live.pop("created"), replayed.pop("created")
    assert replayed == live


def calls(snapshot):
    return sum(c["calls"] for c in snapshot["components"])


def record(spec, *target, log, options=(), **kwargs):
    return Profiler(spec, *target, options=("--record", log, *options), **kwargs)


def filehost(log, requests, *options):
    command = [BIN / "filehost", "--requests", str(requests), "--seed", "7", "--rate", "400"]
    return record(ROOT / "specs" / "filehost.json", "--", *command, log=log, options=options)


def test_a_replay_has_the_figures_of_the_live_run():
    with Folder() as folder:
        with filehost(folder / "log", 200) as profiler:
            live = profiler.finish()
        replayed, said = replay(folder / "log")
        assert said == ""
        same_figures(live, replayed)
        assert calls(live) > 1000
        assert json.loads(json.dumps(live["health"]["notes"])) == replayed["health"]["notes"]
        # Paced, and slowed to fit: 5,000 times as fast.
        same_figures(live, replay(folder / "log", "--speed", "5000")[0])


def test_a_replayed_window_has_the_figures_of_the_live_one():
    with Folder() as folder:
        with filehost(folder / "log", 200, "--window", "0.1", "--metric", "mean") as profiler:
            live = profiler.finish()
        replayed, _ = replay(folder / "log", "--window", "0.1", "--metric", "mean")
        same_figures(live, replayed)
        # The same window by its place in the run, without the rest of the log.
        begin = (live["window"]["start_ns"] - live["start_ns"]) / 1e9
        end = (live["window"]["end_ns"] - live["start_ns"]) / 1e9
        placed, _ = replay(folder / "log", "--from", f"{begin:.9f}", "--to", f"{end:.9f}", "--metric", "mean")
        assert placed["window"] == live["window"]
        assert placed["components"] == live["components"]


def test_a_part_of_the_run_adds_up_with_the_rest():
    with Folder() as folder:
        with filehost(folder / "log", 200) as profiler:
            live = profiler.finish()
        middle = (live["window"]["end_ns"] - live["start_ns"]) / 2e9
        first, _ = replay(folder / "log", "--to", f"{middle:.9f}")
        second, _ = replay(folder / "log", "--from", f"{middle:.9f}")
        assert first["window"]["end_ns"] == second["window"]["start_ns"]
        for part in live["components"]:
            halves = [component(half, part["name"]) for half in (first, second)]
            for key in ("calls", "raw_ns", "real_ns"):
                assert sum(half[key] for half in halves) == part[key], (part["name"], key)


def test_threads_that_come_and_go_replay_exactly():
    spec = support.spec(["work"])
    with Folder() as folder, Target(TARGETS / "churn", "5000") as target:
        with record(spec, "--pid", target.pid, log=folder / "log") as profiler:
            target.finish()
            live = profiler.finish()
        assert component(live, "work")["calls"] == 5000
        same_figures(live, replay(folder / "log")[0])


def test_an_event_takes_at_most_eight_bytes():
    spec = support.spec(["hot_path", "cool_path"])
    with Folder() as folder, Target(TARGETS / "hot", "20000", "2", "1") as target:
        with record(spec, "--pid", target.pid, log=folder / "log") as profiler:
            target.finish()
            live = profiler.finish()
        size = (folder / "log").stat().st_size
        assert live["health"]["delivered"] > 50_000
        assert size <= 8 * live["health"]["delivered"], size


def test_record_goes_with_duration():
    with Folder() as folder, Target(TARGETS / "hot", "1000", "1", "60") as target:
        target.release()
        spec = support.spec(["hot_path", "cool_path"])
        with record(spec, "--pid", target.pid, log=folder / "log", options=("--duration", "1")) as profiler:
            live = profiler.finish()
        assert component(live, "hot_path")["calls"] > 0
        same_figures(live, replay(folder / "log")[0])


def test_a_killed_recorder_leaves_a_readable_log():
    with Folder() as folder, Target(TARGETS / "hot", "5000", "1", "60") as target:
        spec = support.spec(["hot_path", "cool_path"])
        with record(spec, "--pid", target.pid, log=folder / "log") as profiler:
            target.release()
            support.wait_for(lambda: (folder / "log").stat().st_size > 20_000, "a log that grows")
            seen = component(profiler.snapshot_now(), "hot_path")["calls"]
            size = (folder / "log").stat().st_size
            support.wait_for(lambda: (folder / "log").stat().st_size > size + 10_000, "more of it")
            profiler.process.kill()
            profiler.process.wait()
        replayed, _ = replay(folder / "log")
        check_accounting(replayed)
        assert component(replayed, "hot_path")["calls"] >= seen
        assert replayed["targets"][0]["pid"] == target.pid
        assert any("no end" in note for note in replayed["health"]["notes"])


def test_a_damaged_log_is_replayed_around_the_damage():
    with Folder() as folder:
        with filehost(folder / "log", 400) as profiler:
            live = profiler.finish()
        log = folder / "log"
        whole = bytearray(log.read_bytes())
        heads = [i for i in range(len(whole)) if whole.startswith(b"\x89CMLOG\x01\n", i)]
        events = [i for i in heads if whole[i + 8] == 2]  # chunks of events
        middle = events[len(events) // 2]
        whole[middle + 100] ^= 0xFF
        log.write_bytes(whole)
        replayed, said = replay(log)
        assert "bytes unreadable at" in said and "missing" in said
        check_accounting(replayed)
        health = replayed["health"]
        assert health["lost_causes"]["log"] > 0
        assert health["lost"] == health["lost_causes"]["log"]
        assert health["hits"] == live["health"]["hits"]
        assert 0 < calls(replayed) < calls(live)
        assert any("damaged" in note for note in health["notes"])
        for part in live["components"]:
            assert component(replayed, part["name"])["calls"] <= part["calls"]


def test_what_is_no_log_is_refused():
    with Folder() as folder:
        (folder / "text").write_text("no log\n")
        assert "nothing of a monitoring log" in replay(folder / "text", status=65)[1]
        assert "Check the path" in replay(folder / "none", status=66)[1]


@pytest.fixture
def small_disk():
    with Folder() as folder:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", folder], check=True)
        try:
            yield pathlib.Path(folder)
        finally:
            subprocess.run(["umount", folder], check=True)


def test_a_full_disk_is_told_once_and_the_run_goes_on(small_disk):
    spec = support.spec(["hot_path", "cool_path"])
    log = small_disk / "log"
    with Target(TARGETS / "hot", "60000", "2", "2") as target:
        with record(spec, "--pid", target.pid, log=log) as profiler:
            _, status = target.finish()
            live = profiler.finish(code=73)
            said = profiler.stderr()
        assert status == 0
    assert said.count("No space left on device") == 1, said
    assert f"the log '{log}' is not whole: it has " in said and " events" in said, said
    check_accounting(live)
    assert live["health"]["lost"] == 0
    assert any("misses" in note for note in live["health"]["notes"])
    replayed, _ = replay(log)
    check_accounting(replayed)
    assert 0 < component(replayed, "hot_path")["calls"] < component(live, "hot_path")["calls"]


def test_a_limit_holds_and_the_newest_is_kept():
    spec = support.spec(["hot_path", "cool_path"])
    limit = 1 << 20
    with Folder() as folder, Target(TARGETS / "hot", "60000", "2", "6") as target:
        log = folder / "log"
        most = 0
        with record(spec, "--pid", target.pid, log=log, options=("--record-limit", "1")) as profiler:
            target.release()
            while profiler.process.poll() is None:
                sizes = [p.stat().st_size for p in folder.glob("log*")]
                most = max(most, sum(sizes))
                support.time.sleep(0.02)
            live = profiler.finish()
        assert (folder / "log.1").exists(), live["health"]["hits"]
        assert most <= limit * 1.1
        replayed, said = replay(log)
        assert said == ""
        check_accounting(replayed)
        assert 0 < component(replayed, "hot_path")["calls"] < component(live, "hot_path")["calls"]
        assert replayed["window"]["end_ns"] == live["window"]["end_ns"]
        assert any("begins" in note for note in replayed["health"]["notes"])
        assert replayed["health"]["lost"] == 0


def test_the_flight_recorder_writes_the_last_seconds_on_sigusr2():
    spec = support.spec(["hot_path", "cool_path"])
    with Folder() as folder, Target(TARGETS / "hot", "2000", "1", "60") as target:
        log = folder / "log"
        with record(spec, "--pid", target.pid, log=log, options=("--record-last", "1")) as profiler:
            target.release()
            begin = profiler.snapshot_now()
            support.wait_for(lambda: profiler.snapshot_now()["window"]["end_ns"] > begin["window"]["end_ns"] + 3e9,
                             "three seconds of run")
            assert not log.exists()
            profiler.process.send_signal(signal.SIGUSR2)
            support.wait_for(lambda: "the last 1 s are in" in profiler.stderr(), "the log")
            live = profiler.finish(end=True)
        replayed, _ = replay(log)
        check_accounting(replayed)
        length = replayed["window"]["end_ns"] - replayed["window"]["start_ns"]
        assert 1e9 <= length < live["window"]["end_ns"] - live["window"]["start_ns"]
        assert 0 < component(replayed, "hot_path")["calls"] < component(live, "hot_path")["calls"]


def test_a_client_may_ask_for_the_last_seconds():
    spec = support.spec(["hot_path", "cool_path"])
    with Folder() as folder, Target(TARGETS / "hot", "2000", "1", "60") as target:
        log = folder / "log"
        with record(spec, "--pid", target.pid, log=log, options=("--record-last", "5")) as profiler:
            target.release()
            support.wait_for(lambda: calls(profiler.snapshot_now()) > 0, "calls")
            with connect(profiler) as client:
                assert "the last 5 s" in client.ask(request="control", id=1, action="record")["done"]
            profiler.finish(end=True)
        replayed, _ = replay(log)
        assert calls(replayed) > 0
        with record(spec, "--pid", target.pid, log=folder / "whole") as profiler, connect(profiler) as client:
            assert "no flight recorder" in client.ask(request="control", id=1, action="record")["error"]


def test_a_recorder_starts_only_where_it_can_write():
    with Folder() as folder, Target(TARGETS / "hot", "1", "1", "1") as target:
        spec = support.spec(["hot_path"])
        with record(spec, "--pid", target.pid, log=folder / "no" / "log", wait=False) as profiler:
            assert profiler.process.wait(timeout=support.DEADLINE) == 73
            assert "cannot write" in profiler.stderr()
        for options, message in ((("--record-last", "1"), "need a file"),
                                 (("--record", "x", "--record-last", "1", "--record-limit", "9"), "does not go")):
            with Profiler(spec, "--pid", target.pid, options=options, wait=False) as profiler:
                assert profiler.process.wait(timeout=support.DEADLINE) == 64
                assert message in profiler.stderr()


def test_a_run_that_cannot_begin_leaves_an_older_log():
    with Folder() as folder, Target(TARGETS / "hot", "1", "1", "1") as target:
        log = folder / "log"
        log.write_bytes(b"of yesterday")
        with record(support.spec(["hot_path"]), "--pid", target.pid, log=log, wait=False, options=("--exit-on-slo",)) as profiler:
            assert profiler.process.wait(timeout=support.DEADLINE) == 65
            assert "would never end the run" in profiler.stderr()
        assert log.read_bytes() == b"of yesterday"
