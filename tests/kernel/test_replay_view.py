# SPDX-License-Identifier: Apache-2.0
"""A replay that is looked at: its figures are those of its snapshot, and clients pause and move it."""

import json
import os
import pathlib
import signal
import subprocess

import pytest
import support
from support import COMPMOND, TARGETS, Folder, Profiler, Target, wait_for
from test_record import filehost, replay
from test_screen import Desk
from test_serve import Client, connect, figures


HANDED_OVER_LATER = 64  # calls; a drain of some ms holds a few


class Replay:
    """compmond replay at work, stopped at the end."""

    def __init__(self, log, *options, program=COMPMOND, environment=()):
        self.folder = Folder()
        self.stderr_path = pathlib.Path(self.folder.name) / "stderr"
        self.stderr_file = open(self.stderr_path, "wb")
        self.process = subprocess.Popen([str(c) for c in (program, "replay", log, *options)], stdout=subprocess.PIPE,
                                        stderr=self.stderr_file, stdin=subprocess.DEVNULL,
                                        env={**os.environ, **dict(environment)})

    def stderr(self):
        return self.stderr_path.read_text()

    def client(self):
        path = f"/run/compmond/{self.process.pid}.sock"
        wait_for(lambda: f"--connect {path}\n" in self.stderr() or self.process.poll() is not None, "the socket")
        return connect(self)

    def finish(self):
        out, _ = self.process.communicate(timeout=support.DEADLINE)
        assert self.process.returncode == 0, self.stderr()
        return out.decode()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()
        self.stderr_file.close()
        self.folder.cleanup()


@pytest.fixture(name="log", scope="module")
def _log():
    with Folder() as folder:
        with filehost(folder / "log", 200) as profiler:
            profiler.finish()
        yield folder / "log"


def control(client, action, **value):
    answer = client.ask(request="control", action=action, **value)
    assert answer["error"] == "", answer
    return answer["done"]


def refused(client, action, **value):
    answer = client.ask(request="control", action=action, **value)
    assert answer["done"] == "", answer
    return answer["error"]


def standing(client, **request):
    """A view of a replay that has arrived."""
    return wait_for(lambda: (v := client.view(**request))["run"]["paused"] and v, "the replay to stand still")


def test_a_clients_figures_are_those_of_the_replays_snapshot(log):
    whole, _ = replay(log)
    with Replay(log, "--headless", "--keep", "--speed", "max") as run, run.client() as client:
        view = wait_for(lambda: not (v := client.view())["run"]["live"] and v, "the end")
        assert view["run"]["replay"] is True
        assert view["run"]["now_ns"] == view["run"]["end_ns"] == whole["window"]["end_ns"]
        assert figures(view["snapshot"]) == figures(whole)
        assert view["snapshot"]["health"] == whole["health"] and view["snapshot"]["host"] == whole["host"]
        middle = (whole["window"]["end_ns"] - whole["start_ns"]) // 2
        part, _ = replay(log, "--from", f"{middle / 1e9:.9f}")
        window = {"start_ns": part["window"]["start_ns"], "end_ns": part["window"]["end_ns"]}
        assert figures(client.view(window=window)["snapshot"]) == figures(part)
        assert control(client, "stop")
        assert "operations" in run.finish()


def test_clients_pause_step_seek_and_play(log):
    with Replay(log, "--headless", "--keep", "--speed", "0.01") as run, run.client() as client:
        assert client.view()["run"]["speed"] == 0.01
        assert control(client, "pause").startswith("paused at ")
        held = standing(client)
        assert standing(client)["run"]["now_ns"] == held["run"]["now_ns"]
        delivered = held["snapshot"]["health"]["delivered"]
        control(client, "step")
        assert standing(client)["snapshot"]["health"]["delivered"] == delivered + 1
        control(client, "step", value=10)
        assert standing(client)["snapshot"]["health"]["delivered"] == delivered + 11

        start, end = held["run"]["start_ns"], held["run"]["end_ns"]
        for share in (0.75, 0.25):  # forwards, and back
            seconds = round((end - start) * share / 1e9, 3)
            control(client, "seek", value=seconds)
            there = standing(client)
            assert there["run"]["now_ns"] == start + round(seconds * 1e9)
            part, _ = replay(log, "--to", f"{seconds:.9f}")
            window = there["snapshot"]["window"]
            assert window["start_ns"] == part["window"]["start_ns"]
            assert abs(window["end_ns"] - part["window"]["end_ns"]) <= 1  # seconds are rounded on their way
            # What some threads had not handed over yet at that moment is missing here.
            for mine, other in zip(there["snapshot"]["components"], part["components"]):
                assert other["calls"] - HANDED_OVER_LATER <= mine["calls"] <= other["calls"] + 1, mine["name"]

        control(client, "play", value=0)
        wait_for(lambda: not client.view()["run"]["live"], "the end")
        assert "at its end" in refused(client, "step")
        control(client, "pause")  # else it plays on from there
        control(client, "seek", value=0)
        assert standing(client)["run"]["now_ns"] == start
        assert "missing" in refused(client, "seek")
        assert "whole number" in refused(client, "step", value=0.5)
        assert "takes no value" in refused(client, "stop", value=1)
        run.process.send_signal(signal.SIGINT)
        run.finish()


def test_a_live_run_cannot_be_moved():
    with Target(TARGETS / "counted") as target, Profiler(support.spec(["work"]), "--pid", target.pid) as profiler:
        with connect(profiler) as client:
            for action in ("pause", "play", "step", "seek"):
                assert "this is a live run" in refused(client, action, value=1)
            assert "takes no value" in refused(client, "stop", value=1)
        target.finish()
        assert support.operation(profiler.finish(), "work")["calls"] == 1000


def test_who_may_only_look_moves_nothing(log):
    with Replay(log, "--headless", "--speed", "0.001", "--listen", ":0") as run, run.client():
        wait_for(lambda: run.stderr().count("--connect ") == 2, "the port")
        port = int(run.stderr().split("--connect 127.0.0.1:")[1].split()[0])
        with Client(("127.0.0.1", port)) as client:
            assert client.line()["control"] is False
            before = client.view()["run"]["now_ns"]
            assert "not control" in refused(client, "seek", value=0)
            assert client.view()["run"]["now_ns"] >= before


def test_a_headless_replay_ends_and_opens_no_socket(log):
    with Replay(log, "--headless") as run:
        assert "operations" in run.finish()
        assert run.stderr() == ""


def user_desk(folder, log):
    desk = Desk(folder)
    environment = {"SUDO_UID": "1", "SUDO_GID": "1", "DISPLAY": ":77", "WAYLAND_DISPLAY": ""}
    return desk, lambda *options: Replay(log, *options, program=desk.program, environment=environment)


def test_a_window_opens_and_stays_at_the_end_until_it_is_closed(log):
    with Folder() as folder:
        desk, start = user_desk(folder, log)
        with start("--speed", "max", "--snapshot", folder / "snapshot.json") as run:
            told = desk.told()
            assert told["uids"] == [1] * 3 and told["hello"]["control"] is True
            with run.client() as client:
                wait_for(lambda: not client.view()["run"]["live"], "the end")
                assert run.process.poll() is None
            desk.order("close")
            assert "operations" in run.finish()
        whole, _ = replay(log)
        assert figures(json.loads((folder / "snapshot.json").read_text())) == figures(whole)


def test_closing_the_window_ends_a_replay_under_way(log):
    with Folder() as folder:
        desk, start = user_desk(folder, log)
        with start("--speed", "0.0001") as run:
            desk.told()
            desk.order("close")
            run.finish()


def test_with_keep_a_replay_outlives_its_window_and_its_log(log):
    with Folder() as folder:
        desk, start = user_desk(folder, log)
        with start("--keep", "--speed", "max") as run:
            pid = desk.told()["pid"]
            desk.order("close")
            wait_for(lambda: not pathlib.Path(f"/proc/{pid}").exists(), "the window's end")
            with run.client() as client:
                wait_for(lambda: not client.view()["run"]["live"], "the end")
                control(client, "seek", value=0)
                assert standing(client)["run"]["live"] is True
                control(client, "stop")
            run.finish()


def test_a_window_that_is_demanded_and_impossible_is_an_error(log):
    done = subprocess.run([COMPMOND, "replay", log, "--ui"], check=False, capture_output=True,
                          timeout=support.DEADLINE, env={**os.environ, "DISPLAY": "", "WAYLAND_DISPLAY": ""})
    assert done.returncode == 69 and b"there is no display" in done.stderr
