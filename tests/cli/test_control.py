# SPDX-License-Identifier: Apache-2.0
"""compmond control: a run is asked to do something from a shell; of a live run see kernel/test_switching.py."""

import contextlib
import re
import socket
import subprocess
import threading

import logs
import pytest
from program import COMPMOND, run


@contextlib.contextmanager
def replayed(tmp_path):
    """A replay that stays, and where it answers."""
    log = logs.write(tmp_path / "log", logs.executions(logs.order(), 1))
    with subprocess.Popen([COMPMOND, "replay", log, "--keep", "--headless"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True) as process:
        try:
            address = next(found[1] for line in process.stderr if (found := re.search(r"--connect (\S+)", line)))
            threading.Thread(target=process.stderr.read, daemon=True).start()
            yield process, address
        finally:
            process.kill()


def test_a_replay_is_moved_and_ended(tmp_path):
    with replayed(tmp_path) as (process, address):
        assert run("control", address, "pause")[0].startswith("paused")
        assert run("control", str(process.pid), "seek", "0")[0]
        assert "stands at" in run("control", address, "step", "1")[0]
        assert "fast as it goes" in run("control", address, "play", "max")[0]
        assert run("control", address, "stop")[0] == "compmond ends\n"
        assert process.wait(timeout=60) == 0


def test_what_a_replay_cannot_do_is_refused(tmp_path):
    with replayed(tmp_path) as (_, address):
        assert "this is a replay" in run("control", address, "disable", "web", code=65)[1]
        assert "this is a replay" in run("control", address, "pause-probes", code=65)[1]
        assert "cannot save" in run("control", address, "record", code=65)[1]


@pytest.mark.parametrize("words, why", [
    (("1", "explode"), "See compmond control --help"),
    (("1", "disabel"), "Did you mean 'disable'?"),
    (("1", "seek"), "seconds"),
    (("1", "step", "many"), "a number"),
    (("1", "snapshot", "file"), "nothing is to follow"),
    (("1", "disable"), "is to follow"),
    (("1",), "ACTION"),
])
def test_what_is_misspelt_says_how_it_is_spelt(words, why):
    assert why in run("control", *words, code=64)[1]


def test_where_no_run_is_it_says_so(tmp_path):
    assert "process 1" in run("control", "1", "stop", code=66)[1]
    assert "cannot connect" in run("control", tmp_path / "none.sock", "stop", code=66)[1]


def test_who_is_no_compmond_is_told_apart(tmp_path):
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "other.sock"))
        listener.listen()

        def answer():
            connection, _ = listener.accept()
            connection.sendall(b"220 mail ready\n")
            connection.close()
        threading.Thread(target=answer, daemon=True).start()
        run("control", tmp_path / "other.sock", "stop", code=65)
