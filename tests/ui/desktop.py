# SPDX-License-Identifier: Apache-2.0
"""A display of its own, a played daemon and the real screen: what tests of the screen need. Everything waits for a
condition, never for a time: what the screen does shows in what it asks the daemon."""

import json
import os
import pathlib
import select
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from waiting import BIN, BUILD, DEADLINE, ROOT, wait_for  # noqa: E402, F401  (also for the tests)

UI = BIN / "compmond-ui"
FAKE_DAEMON = pathlib.Path(__file__).with_name("fake_daemon.py")


class Display:
    """An X server without a screen."""

    def __init__(self, size="2600x1500"):
        self.size = size

    def __enter__(self):
        read, write = os.pipe()
        self.process = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{self.size}x24", "-nolisten", "tcp", "-noreset"], pass_fds=[write],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(write)
        assert select.select([read], [], [], DEADLINE)[0], "Xvfb does not start"
        with os.fdopen(read) as number:
            self.name = ":" + number.readline().strip()
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


class Daemon:
    """The played daemon, and what it was asked."""

    def __init__(self, folder, *options):
        self.folder = pathlib.Path(folder)
        self.path = self.folder / "daemon.sock"
        self.log = self.folder / "requests"
        self.log.touch()
        self.start(*options)

    def start(self, *options):
        self.process = subprocess.Popen(
            [sys.executable, str(FAKE_DAEMON), "--listen", str(self.path), "--log", str(self.log), *options],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert b"listening" in self.process.stdout.readline()

    def stop(self):
        self.process.kill()
        self.process.wait()

    def requests(self):
        lines = self.log.read_text().split("\n")
        return [json.loads(line) for line in lines[:-1]]  # the last may be half of one

    def asked(self, condition, what):
        """The newest request, once it fulfils condition()."""
        def newest():
            all_requests = self.requests()
            return all_requests[-1] if all_requests and condition(all_requests[-1]) else None
        return wait_for(newest, what)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


class Screen:
    """compmond-ui, with a home of its own."""

    def __init__(self, display, *arguments, folder, size="1280x800", pass_fds=()):
        self.folder = pathlib.Path(folder)
        self.environment = dict(os.environ, DISPLAY=display.name, XDG_CONFIG_HOME=str(self.folder / "config"),
                                HOME=str(self.folder), LIBGL_ALWAYS_SOFTWARE="1")
        self.environment.pop("WAYLAND_DISPLAY", None)
        self.stderr_path = self.folder / "stderr"
        with open(self.stderr_path, "wb") as stderr:
            self.process = subprocess.Popen([str(UI), *map(str, arguments), *(["--size", size] if size else [])], env=self.environment,
                                            cwd=self.folder, stderr=stderr, stdin=subprocess.DEVNULL, pass_fds=pass_fds)

    def xdotool(self, *arguments, check=True):
        return subprocess.run(["xdotool", *map(str, arguments)], env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=check, timeout=DEADLINE, text=True).stdout.strip()

    def ready(self):
        def found():
            assert self.process.poll() is None, self.stderr_path.read_text()
            return self.xdotool("search", "--pid", self.process.pid, "--class", "compmond", check=False).split()
        self.id = wait_for(found, "the screen")[0]
        def focused():  # fails until it is shown
            self.xdotool("windowfocus", self.id, check=False)
            return self.xdotool("getwindowfocus", check=False) == self.id
        wait_for(focused, "the screen's focus")
        return self

    def key(self, *keys):
        self.xdotool("key", "--window", "0", *keys)

    def move(self, x, y):
        self.xdotool("mousemove", "--window", self.id, x, y)

    def click(self, x, y):
        self.move(x, y)
        self.xdotool("click", 1)

    def cpu_ticks_in(self, seconds):
        """CPU time that it uses in so long."""
        def ticks():
            return sum(map(int, pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]))
        before = ticks()
        time.sleep(seconds)
        return ticks() - before

    def alive(self):
        return self.process.poll() is None

    def close(self):
        """Ends it as SIGTERM does; its exit status."""
        self.process.terminate()
        return self.process.wait(timeout=DEADLINE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.alive():
            self.process.kill()
        self.process.wait()


def temporary_folder():
    return tempfile.TemporaryDirectory(prefix="compmond-ui-")


def picture_size(path):
    """(width, height, number of colours) of a PNG."""
    text = subprocess.run(["identify", "-format", "%w %h %k", str(path)], stdout=subprocess.PIPE, check=True, text=True).stdout
    return tuple(int(number) for number in text.split())
