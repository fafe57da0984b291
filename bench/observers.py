# SPDX-License-Identifier: Apache-2.0
"""The observers of a target: each a context in which the target runs, with a check of what it saw."""

import functools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "kernel"))
import support  # noqa: E402  (the tests' way to run compmond and its targets)

PROGRAMS = support.BIN / "bench"
RETURN_PROBES_DEEP = 64  # the kernel's limit of nested return probes in a thread


class Wrong(Exception):
    """An observer saw something else than what happened: its time means nothing."""


class Absent(Exception):
    """An observer cannot run here; the text says why."""


@functools.cache
def help_text():
    return subprocess.run([support.COMPMOND, "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout


class Nothing:
    """no observer"""

    name = "none"
    moves = False  # its probe goes to a cheap instruction when the first one is dear
    traps = True  # it uses the kernel's probes
    share_of_calls = 1

    def __init__(self, pid, image, function, depth=1):
        pass

    @classmethod
    def require(cls):
        """Raises Absent with the reason when it cannot run here."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def check(self, calls):
        """After the target's end: raises Wrong unless it saw so many calls."""


class Helper(Nothing):
    """A program of bench/ that attaches, says so, and detaches at the end of its stdin."""

    def begin(self, *command):
        self.process = subprocess.Popen([str(part) for part in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        support.read_line(self.process.stdout, command[0].name)

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.communicate()


class Floor(Helper):
    """empty BPF programs where compmond would hang its own"""

    name = "floor"
    moves = True
    mode = "return-probe"

    def __init__(self, pid, image, function, depth=1):
        self.begin(PROGRAMS / "bench_floor", pid, image, function, self.mode)


class Clock(Floor):
    """BPF programs at the same places that read the clock and nothing else: what whoever tells times must pay"""

    name = "clock"
    mode = "clock"


class FloorSites(Floor):
    mode = "ret-sites"


class Compmond(Nothing):
    """compmond --headless"""

    name = "compmond"
    moves = True
    mode = "return-probe"

    def __init__(self, pid, image, function, depth=1):
        self.function, self.depth = function, depth
        options = ["--exit-mode", self.mode, *self.options()]
        # Nothing may be detached: what is measured is the cost of seeing everything.
        if "--max-overhead" in help_text():
            options += ["--max-overhead", "off"]
        self.profiler = support.Profiler(support.spec([function], image), "--pid", pid, options=options)

    def options(self):
        return []

    def __exit__(self, *error):
        self.profiler.__exit__(*error)

    def check(self, calls):
        snapshot = self.profiler.finish()
        operation = support.operation(snapshot, self.function)
        health = snapshot["health"]
        seen = (operation["calls"], operation["closed"]["returned"], health["lost"], health["balanced"])
        deep = self.mode == "return-probe" and self.depth > RETURN_PROBES_DEEP
        returned = calls * RETURN_PROBES_DEEP // self.depth if deep else calls
        if seen != (calls, returned, 0, True) or operation["exit_mode"] != self.mode:
            raise Wrong(f"compmond: {calls} calls became (calls, returned, lost, balanced) = {seen}, "
                        f"exit mode {operation['exit_mode']}")


class CompmondSites(Compmond):
    mode = "ret-sites"


class CompmondRecord(Compmond):
    """compmond --headless --record FILE"""

    name = "record"

    @classmethod
    def require(cls):
        if "--record" not in help_text():
            raise Absent("this compmond has no --record")

    def options(self):
        self.folder = tempfile.TemporaryDirectory()
        return ["--record", pathlib.Path(self.folder.name) / "log"]

    def __exit__(self, *error):
        super().__exit__(*error)
        self.folder.cleanup()


class Patched(Compmond):
    """compmond --headless --engine in-process --allow-patching"""

    name = "patched"
    mode = "ret-sites"
    OPTIONS = ("--engine", "in-process", "--allow-patching")

    @classmethod
    def require(cls):
        if "--allow-patching" not in help_text():
            raise Absent("this compmond has no --allow-patching")

    def options(self):
        return list(self.OPTIONS)


def size_of(log):
    """Bytes of a file, or of all files in a folder."""
    files = [log] if log.is_file() else [file for file in log.rglob("*") if file.is_file()]
    return sum(file.stat().st_size for file in files)


class CompmondScreen(Compmond):
    """compmond with its screen open, drawn by software under Xvfb"""

    name = "screen"

    @classmethod
    def require(cls):
        if not (support.BIN / "compmond-ui").exists():
            raise Absent("compmond-ui is not built")
        if "--listen" not in help_text():
            raise Absent("this compmond has no --listen")
        for tool in ("Xvfb", "xdotool"):
            if not shutil.which(tool):
                raise Absent(f"{tool} is not installed")

    def options(self):
        self.folder = tempfile.TemporaryDirectory()
        self.socket = pathlib.Path(self.folder.name) / "socket"
        return ["--listen", self.socket]

    def __enter__(self):
        self.screen = Screen(self.socket)
        return self

    def __exit__(self, *error):
        self.screen.close()
        super().__exit__(*error)
        self.folder.cleanup()


class Screen:
    """compmond-ui on a display of its own, connected to a socket."""

    def __init__(self, socket):
        read, write = os.pipe()
        self.display = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", "1300x820x24", "-nolisten", "tcp", "-noreset"],
                                        pass_fds=[write], stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(write)
        with os.fdopen(read, "rb") as stream:
            number = support.read_line(stream, "Xvfb").strip()
        env = {**os.environ, "DISPLAY": f":{number}", "XDG_SESSION_TYPE": "x11"}
        env.pop("WAYLAND_DISPLAY", None)
        self.process = subprocess.Popen([support.BIN / "compmond-ui", "--connect", str(socket)], env=env,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True)
        support.wait_for(lambda: self.process.poll() is not None or subprocess.run(
            ["xdotool", "search", "--onlyvisible", "--name", "."], env=env, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, check=False).returncode == 0, "the screen")
        # Out of the screen, as a mouse at work elsewhere: nothing is hovered.
        subprocess.run(["xdotool", "mousemove", "1299", "819"], env=env, check=False)
        if self.process.poll() is not None:
            why = self.process.stderr.read().strip()
            self.close()
            raise Absent(f"compmond-ui ended with {self.process.returncode}: {why}")

    def close(self):
        for process in (self.process, self.display):
            if process.poll() is None:
                process.terminate()
            process.wait()
        self.process.stderr.close()


def available(observers):
    """Those that can run here, and for the others why not."""
    usable, absent = [], {}
    for observer in observers:
        try:
            observer.require()
            usable.append(observer)
        except Absent as reason:
            absent[observer.name] = str(reason)
    return usable, absent
