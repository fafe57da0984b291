# SPDX-License-Identifier: Apache-2.0
"""The real screen on a real replay: its buttons move the log."""

import json
import pathlib
import socket
import subprocess

import desktop
from desktop import BUILD, ROOT, Screen, temporary_folder, wait_for

LOG = ROOT / "tests" / "replay" / "logs" / "exception.log"
STEP, PLACE = (65, 784), (282, 784)  # in 1280x800; the latter near the log's end


def run_of(path):
    """Where the replay stands, asked by a client of our own; nothing before it listens."""
    with socket.socket(socket.AF_UNIX) as connection:
        try:
            connection.connect(str(path))
        except (FileNotFoundError, ConnectionRefusedError):
            return None
        stream = connection.makefile("rw")
        stream.readline()
        stream.write('{"request":"view"}\n')
        stream.flush()
        view = json.loads(stream.readline())
        return {**view["run"], "delivered": view["snapshot"]["health"]["delivered"]}


def test_the_buttons_of_the_screen_move_the_replay(display):
    with temporary_folder() as name:
        folder = pathlib.Path(name)
        path = folder / "replay.sock"
        command = [BUILD / "bin" / "compmond", "replay", LOG, "--headless", "--keep", "--speed", "1e-6", "--listen", path]
        replay = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            begin = wait_for(lambda: run_of(path), "the replay")
            assert begin["live"] and not begin["paused"]
            with Screen(display, "--connect", path, folder=folder) as screen:
                screen.ready()

                def after(place, condition, what):
                    def clicked():
                        screen.click(*place)
                        return condition(run := run_of(path)) and run
                    return wait_for(clicked, what)

                stepped = after(STEP, lambda run: run["paused"] and run["delivered"] > begin["delivered"], "a step")
                assert stepped["now_ns"] < stepped["end_ns"]
                after(PLACE, lambda run: run["now_ns"] > (run["start_ns"] + 9 * run["end_ns"]) // 10, "the jump")
                screen.key("ctrl+q")
                assert screen.process.wait(timeout=desktop.DEADLINE) == 0
            assert run_of(path)
        finally:
            replay.terminate()
            assert replay.wait(timeout=desktop.DEADLINE) == 0
