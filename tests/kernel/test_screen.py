# SPDX-License-Identifier: Apache-2.0
"""The screen that compmond opens by itself: whose process it is, what it is given, and what its end means. A script plays
compmond-ui."""

import json
import os
import pathlib
import shutil
import signal

import pytest
import support
from support import TARGETS, Profiler, Target, wait_for

USER = 1  # daemon

# Tells what it was given, asks for a view, then does as `orders` says: "close", "crash", "ask" until
# nothing is live any more; "stay" until told otherwise.
SCREEN = """#!/usr/bin/python3
import json, os, pathlib, signal, socket, sys, time
folder = pathlib.Path(sys.argv[0]).parent
def order():
    return (folder / "orders").read_text()
connection = socket.socket(fileno=int(sys.argv[sys.argv.index("--fd") + 1]))
fds = {}
for fd in os.listdir("/proc/self/fd"):
    try:
        fds[int(fd)] = os.readlink("/proc/self/fd/" + fd)
    except OSError:
        pass  # of the listing itself
status = dict(line.split(":\\t", 1) for line in open("/proc/self/status").read().splitlines() if ":\\t" in line)
stream = connection.makefile("rwb")
def ask():
    stream.write(b'{"request":"view"}\\n')
    stream.flush()
    return json.loads(stream.readline())
told = {"pid": os.getpid(), "uids": os.getresuid(), "gids": os.getresgid(), "groups": os.getgroups(), "argv": sys.argv,
        "environment": dict(os.environ), "fds": fds, "status": status, "session": os.getsid(0),
        "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])), "hello": json.loads(stream.readline()),
        "calls": ask()["snapshot"]["components"][0]["calls"]}
(folder / "out" / "told.new").write_text(json.dumps(told))
(folder / "out" / "told.new").rename(folder / "out" / "told")
connection.settimeout(0.01)
while order() == "stay":
    try:
        if not connection.recv(1):
            (folder / "out" / "eof").write_text("")
            sys.exit(0)
    except TimeoutError:
        pass
if order() == "ask":
    connection.settimeout(60)
    while (run := ask()["run"])["live"]:
        pass
    (folder / "out" / "run").write_text(json.dumps(run))
sys.exit(3 if order() == "crash" else 0)
"""


class Desk:
    """A copy of compmond with a stand-in for compmond-ui beside it."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.chmod(0o755)
        self.program = self.folder / "compmond"
        shutil.copy(support.COMPMOND, self.program)
        screen = self.folder / "compmond-ui"
        screen.write_text(SCREEN)
        screen.chmod(0o755)
        (self.folder / "out").mkdir()
        (self.folder / "out").chmod(0o777)
        self.order("stay")

    def order(self, text):
        new = self.folder / "orders.new"
        new.write_text(text)
        new.rename(self.folder / "orders")

    def told(self):
        path = self.folder / "out" / "told"
        wait_for(path.exists, "the screen")
        return json.loads(path.read_text())

    def profiler(self, target, *options, environment=(), show=(), wait=True):
        env = {**os.environ, "SUDO_UID": str(USER), "SUDO_GID": str(USER), "DISPLAY": ":77", "SECRET": "root's",
               "LD_LIBRARY_PATH": "/root"}
        env.pop("WAYLAND_DISPLAY", None)
        env.update(environment)
        return Profiler(support.spec(["work"]), "--pid", target.pid, options=options, env=env, program=self.program,
                        show=show, wait=wait)


@pytest.fixture(name="desk")
def _desk():
    with support.Folder() as folder:
        yield Desk(folder)


@pytest.fixture(name="target")
def _target():
    with Target(TARGETS / "counted") as target:
        yield target


def ended(profiler):
    out, _ = profiler.process.communicate(timeout=support.DEADLINE)
    return profiler.process.returncode, out.decode(), profiler.stderr()


def test_the_screen_is_the_users_and_gets_nothing_of_root(desk, target):
    with desk.profiler(target) as profiler:
        told = desk.told()
        assert told["uids"] == [USER] * 3 and told["gids"] == [USER] * 3
        assert set(told["groups"]) == {USER}
        for capabilities in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
            assert int(told["status"][capabilities], 16) == 0, capabilities
        assert told["status"]["NoNewPrivs"] == "1"
        assert told["argv"] == [str(desk.folder / "compmond-ui"), "--fd", "3"]
        assert set(told["fds"]) == {"0", "1", "2", "3"}, told["fds"]
        assert told["fds"]["0"] == "/dev/null" and told["fds"]["3"].startswith("socket:")
        environment = told["environment"]
        assert environment["DISPLAY"] == ":77" and environment["USER"] == "daemon" and "HOME" in environment
        assert not {"SECRET", "LD_LIBRARY_PATH", "SUDO_UID", "SUDO_GID"} & set(environment)
        assert told["blocked"] == []
        assert told["session"] == told["pid"]  # Ctrl-C in the terminal is not for it
        assert told["hello"]["control"] is True
        assert os.getsid(profiler.process.pid) != told["session"]


def test_closing_the_screen_ends_the_run_with_its_summary(desk, target):
    with desk.profiler(target) as profiler:
        desk.told()
        assert profiler.process.poll() is None
        desk.order("close")
        status, out, err = ended(profiler)
        assert status == 0, err
        assert "all 1 operations attached" in out
        assert target.process.poll() is None
        assert json.loads(profiler.snapshot_path.read_text())["health"]["balanced"] is True


def test_closing_it_ends_the_run_though_ends_of_children_were_ignored(desk, target):
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        profiler = desk.profiler(target)
    finally:
        signal.signal(signal.SIGCHLD, before)
    with profiler:
        desk.told()
        desk.order("close")
        status, out, err = ended(profiler)
        assert (status, "all 1 operations attached" in out) == (0, True), err


def test_with_keep_the_run_outlives_its_screen(desk, target):
    with desk.profiler(target, "--keep") as profiler:
        pid = desk.told()["pid"]
        desk.order("close")
        wait_for(lambda: not pathlib.Path(f"/proc/{pid}").exists(), "the screen's end")
        assert target.finish()[1] == 0
        status, _, err = ended(profiler)
        assert status == 0, err
        assert support.operation(json.loads(profiler.snapshot_path.read_text()), "work")["calls"] == 1000


@pytest.mark.parametrize("kill, text", [(False, "exited with status 3"), (True, "killed by SIGKILL")])
def test_a_screen_that_fails_does_not_end_the_run(desk, target, kill, text):
    with desk.profiler(target) as profiler:
        pid = desk.told()["pid"]
        if kill:
            os.kill(pid, signal.SIGKILL)
        desk.order("crash")
        wait_for(lambda: "the run goes on" in profiler.stderr(), "the message")
        assert "compmond: the window" in profiler.stderr() and text in profiler.stderr()
        assert target.finish()[1] == 0
        assert support.operation(profiler.finish(), "work")["calls"] == 1000


def test_what_the_targets_left_can_be_looked_at_until_the_screen_closes(desk, target):
    with desk.profiler(target) as profiler:
        desk.told()
        assert target.finish()[1] == 0
        wait_for(lambda: not pathlib.Path(f"/proc/{target.pid}").exists(), "the target's end")
        desk.order("ask")
        status, _, err = ended(profiler)
        assert status == 0, err
        run = json.loads((desk.folder / "out" / "run").read_text())
        assert run["live"] is False and run["now_ns"] > run["start_ns"]
        assert support.operation(json.loads(profiler.snapshot_path.read_text()), "work")["calls"] == 1000


def test_the_screen_sees_the_daemons_end(desk, target):
    with desk.profiler(target) as profiler:
        desk.told()
        profiler.process.kill()
        wait_for((desk.folder / "out" / "eof").exists, "the screen's notice")


def test_headless_opens_no_screen(desk, target):
    with desk.profiler(target, show=["--headless"]) as profiler:
        target.finish()
        profiler.finish()
    assert not (desk.folder / "out" / "told").exists()


@pytest.mark.parametrize("environment, text", [
    ({"DISPLAY": ""}, "there is no display"),
    ({"SUDO_UID": ""}, "a window never runs as root"),
])
def test_without_a_screen_the_figures_are_shown_here_and_it_is_said_once(desk, target, environment, text):
    with desk.profiler(target, environment=environment) as profiler:
        target.finish()
        profiler.finish()
        assert profiler.stderr().count(text) == 1 and "the figures are shown here" in profiler.stderr()
    assert not (desk.folder / "out" / "told").exists()


@pytest.mark.parametrize("environment, status, text", [
    ({"DISPLAY": ""}, 69, "there is no display"),
    ({"SUDO_UID": ""}, 69, "a window never runs as root"),
    ({"PATH": "/nowhere"}, 66, "neither beside compmond nor in PATH"),
])
def test_a_screen_that_is_demanded_and_impossible_is_an_error_beforehand(desk, target, environment, status, text):
    if "PATH" in environment:
        (desk.folder / "compmond-ui").unlink()
    with desk.profiler(target, environment=environment, show=["--ui"], wait=False) as profiler:
        got, _, err = ended(profiler)
        assert got == status, err
        assert text in err and "ready" not in err
