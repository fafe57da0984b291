# SPDX-License-Identifier: Apache-2.0
"""Whoever reads what compmond writes may stop to: a terminal at Ctrl-S, a pager, a full pipe. Probes are looked after all the same."""

import contextlib
import fcntl
import json
import os
import pathlib
import pty
import signal
import subprocess
import termios

import pytest
import support
from support import COMPMOND, TARGETS, Folder, Target, operation, wait_for


def full_pipe():
    """Both ends of a pipe that takes no more."""
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETFL, os.O_NONBLOCK)
    with contextlib.suppress(BlockingIOError):
        while os.write(writer, b"x" * 4096):
            pass
    fcntl.fcntl(writer, fcntl.F_SETFL, 0)
    return reader, writer


def stopped_terminal():
    """Both ends of a terminal whose user pressed Ctrl-S."""
    outer, inner = pty.openpty()
    termios.tcflow(inner, termios.TCOOFF)
    return outer, inner


class Run:
    """compmond on a flooding program, with these as its standard streams."""

    def __init__(self, folder, stdout, stderr=None, begun=signal.SIG_DFL, snapshot=None):
        self.snapshot, self.messages = folder / "out.json", folder / "stderr"
        (folder / "spec.json").write_text(json.dumps(support.spec(["hot_path", "rare_path"])))
        self.target = Target(TARGETS / "hot", "20000", "2", "600")
        command = [COMPMOND, "--spec", folder / "spec.json", "--pid", self.target.pid, "--headless", "--refresh", "0.04",
                   "--snapshot", snapshot or self.snapshot]
        self.process = subprocess.Popen([str(c) for c in command], stdin=subprocess.DEVNULL, stdout=stdout,
                                        stderr=stderr or self.messages.open("wb"), env={**os.environ, "TERM": "xterm"},
                                        preexec_fn=lambda: signal.signal(signal.SIGINT, begun))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in (self.process, self.target.process):
            process.kill()
            process.wait()

    def ready(self):
        wait_for(lambda: "compmond: ready" in self.messages.read_text(), "compmond: ready")

    def snapshot_now(self):
        self.snapshot.unlink(missing_ok=True)
        self.process.send_signal(signal.SIGUSR1)
        wait_for(self.snapshot.exists, "a snapshot")
        return json.loads(self.snapshot.read_text())

    def throttled(self):
        return wait_for(lambda: self.snapshot_now()["health"]["throttled"], "the flood to be taken away")


def test_a_flood_is_taken_away_while_the_terminal_is_stopped():
    outer, inner = stopped_terminal()
    with Folder() as folder, Run(folder, inner) as run:
        run.ready()
        for _ in range(3):  # the table is due in between
            assert operation(run.snapshot_now(), "hot_path")["calls"] == 0
        run.target.release()
        assert run.throttled()
    os.close(outer)
    os.close(inner)


def test_a_flood_is_taken_away_though_nobody_reads_messages():
    reader, writer = full_pipe()
    with Folder() as folder, Run(folder, subprocess.DEVNULL, writer) as run:
        run.target.release()
        wait_for(lambda: pathlib.Path(f"/run/compmond/{run.process.pid}.sock").exists(), "compmond to take signals")
        assert run.throttled()
    os.close(reader)
    os.close(writer)


def test_a_key_does_not_suspend_it_while_probes_are_there():
    with Folder() as folder, Run(folder, subprocess.DEVNULL) as run:
        run.ready()
        run.process.send_signal(signal.SIGTSTP)
        wait_for(lambda: "Ctrl-C" in run.messages.read_text(), "the reason")
        run.target.release()
        assert run.throttled()


def state_of(pid):
    return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def test_a_key_suspends_it_only_together_with_the_command_that_it_started():
    with Folder() as folder, contextlib.ExitStack() as stack:
        spec, messages = folder / "spec.json", folder / "stderr"
        spec.write_text(json.dumps(support.spec(["hot_path"])))
        process = subprocess.Popen([COMPMOND, "--spec", spec, "--headless", "--", TARGETS / "hot", "--wait", "1", "1", "1"],
                                   stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=messages.open("wb"), process_group=0)
        stack.callback(process.wait)
        stack.callback(os.killpg, process.pid, signal.SIGKILL)
        wait_for(lambda: "compmond: ready" in messages.read_text(), "compmond: ready")
        process.send_signal(signal.SIGTSTP)  # and the command goes on
        wait_for(lambda: "Ctrl-C" in messages.read_text(), "the reason")
        assert state_of(process.pid) != "T"
        os.killpg(process.pid, signal.SIGTSTP)
        wait_for(lambda: state_of(process.pid) == "T", "both to stop")
        os.killpg(process.pid, signal.SIGCONT)
        wait_for(lambda: state_of(process.pid) != "T", "both to go on")


@pytest.mark.parametrize("begun", [signal.SIG_DFL, signal.SIG_IGN], ids=["", "in the background"])
def test_where_nobody_reads_the_summary_the_snapshot_is_there_and_a_signal_ends_it(begun):
    reader, writer = full_pipe()
    with Folder() as folder, Run(folder, writer, begun=begun) as run:
        run.ready()
        run.process.send_signal(signal.SIGINT)
        wait_for(run.snapshot.exists, "the snapshot at the end")
        assert json.loads(run.snapshot.read_text())["health"]["balanced"]
        wait_for(lambda: run.process.send_signal(signal.SIGINT) or run.process.poll() is not None, "its end")
        assert run.target.process.poll() is None
    os.close(reader)
    os.close(writer)


def test_a_snapshot_that_nobody_takes_does_not_keep_a_signal_from_ending_it():
    reader, writer = full_pipe()
    with Folder() as folder, Run(folder, writer, snapshot="-") as run:
        run.ready()
        run.process.send_signal(signal.SIGUSR1)
        wait_for(lambda: any("pipe_write" in thread.read_text() for thread in
                             pathlib.Path(f"/proc/{run.process.pid}/task").glob("*/wchan")), "the snapshot under way")
        run.process.send_signal(signal.SIGTERM)
        assert run.process.wait(timeout=support.DEADLINE) == -signal.SIGTERM
        assert "the probes are gone, and there is no summary" in run.messages.read_text()
        run.target.release()
        assert run.target.process.poll() is None
    os.close(reader)
    os.close(writer)
