# SPDX-License-Identifier: Apache-2.0
"""The real screen on a real replay: from a component to its traces, to the sequence of one, to the timeline."""

import json
import pathlib
import socket
import subprocess
import threading
import time

import desktop
from desktop import BUILD, ROOT, Screen, temporary_folder, wait_for

LOG = ROOT / "tests" / "replay" / "logs" / "exception.log"
FIRST_COMPONENT, FIRST_TRACE, FIRST_CALL = (90, 112), (100, 127), (150, 146)  # in 1280x800: Table, Traces, Sequence


class Relay:
    """Between a screen and a daemon: keeps what is said."""

    def __init__(self, path, daemon):
        self.asked, self.answered, self.daemon = [], [], daemon
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        client, _ = self.listener.accept()
        daemon = socket.socket(socket.AF_UNIX)
        daemon.connect(str(self.daemon))
        for source, target, lines in ((client, daemon, self.asked), (daemon, client, self.answered)):
            threading.Thread(target=self.carry, args=(source, target, lines), daemon=True).start()

    @staticmethod
    def carry(source, target, lines):
        for line in source.makefile("rb"):
            lines.append(json.loads(line))
            target.sendall(line)
        target.shutdown(socket.SHUT_WR)

    def heard(self, condition):
        """The newest analysis that fulfils condition()."""
        return newest([a["analysis"] for a in list(self.answered) if a.get("analysis")], condition)


def newest(values, condition):
    return next((value for value in reversed(values) if condition(value)), None)


def test_clicks_lead_from_a_component_to_its_traces_to_a_sequence_to_the_timeline(display):
    with temporary_folder() as name:
        folder = pathlib.Path(name)
        command = [BUILD / "bin" / "compmond", "replay", LOG, "--headless", "--keep", "--speed", "max", "--listen",
                   folder / "replay.sock"]
        replay = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_for((folder / "replay.sock").exists, "the replay")
            relay = Relay(folder / "relay.sock", folder / "replay.sock")
            with Screen(display, "--connect", folder / "relay.sock", "--view", "Table", folder=folder) as screen:
                screen.ready()

                def after(act, condition, what):
                    """Acts until condition() holds, patiently: clicks before something is drawn are lost."""
                    def acted():
                        act()
                        end = time.monotonic() + 2
                        while not condition() and time.monotonic() < end:
                            time.sleep(0.02)
                        return condition()
                    return wait_for(acted, what)

                def asked(condition):
                    return newest(list(relay.asked), condition)

                request = after(lambda: screen.click(*FIRST_COMPONENT), lambda: asked(lambda r: r.get("details")), "details")
                after(lambda: screen.key("r"),
                      lambda: asked(lambda r: (r.get("analysis") or {}).get("component") == request["details"]), "its traces")
                traces = wait_for(lambda: relay.heard(lambda a: a["traces"] == 100), "all traces")
                assert traces["broken"] == 0

                def double_click(x, y):
                    screen.move(x, y)
                    screen.xdotool("click", "--repeat", 2, "--delay", 60, 1)

                one = after(lambda: double_click(*FIRST_TRACE), lambda: relay.heard(lambda a: a["steps"]), "its sequence")
                assert one["trace"] == traces["rows"][0]
                begin, end = one["steps"][0]["start_ns"], one["steps"][0]["end_ns"]

                def timeline():
                    return asked(lambda r: r.get("executions") and begin - (end - begin) < r["window"]["start_ns"] < begin
                                 and end < r["window"]["end_ns"] < end + (end - begin))

                after(lambda: double_click(*FIRST_CALL), timeline, "its place on the timeline")
                screen.key("ctrl+q")
                assert screen.process.wait(timeout=desktop.DEADLINE) == 0
        finally:
            replay.terminate()
            assert replay.wait(timeout=desktop.DEADLINE) == 0
