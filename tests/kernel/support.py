# SPDX-License-Identifier: Apache-2.0
"""Runs compmond on real processes: what every kernel test needs. Everything waits for a condition, never for a time."""

import functools
import json
import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from waiting import BUILD, DEADLINE, ROOT, wait_for  # noqa: E402, F401  (also for the tests)
from own_copy import own_programs  # noqa: E402

BIN = own_programs(BUILD)
COMPMOND = BIN / "compmond"
TARGETS = BIN / "targets"


def attach_kinds():
    """The ways to attach that this kernel has, best first."""
    return re.findall(r"^ok +attach: (\S+) +works", subprocess.run([COMPMOND, "doctor"], capture_output=True, text=True).stdout, re.M)


def read_line(stream, what):
    """One line of a pipe, within the deadline."""
    line = b""
    end = time.monotonic() + DEADLINE
    while not line.endswith(b"\n"):
        ready, _, _ = select.select([stream], [], [], max(0, end - time.monotonic()))
        if not ready:
            raise AssertionError(f"waited in vain for {what}; got {line!r}")
        byte = os.read(stream.fileno(), 1)
        if not byte:
            raise AssertionError(f"the stream ended while waiting for {what}; got {line!r}")
        line += byte
    return line.decode()


def spec(functions, image=None, exit_mode=None, components=None):
    """A spec with one component per function, named like it, or the components given."""
    if components is None:
        components = [{"name": name.replace("/", "|"), "in": [name]} for name in functions]
    for component in components:
        if image:
            component["image"] = str(image)
        if exit_mode:
            component["exit"] = exit_mode
    return {"schema": "compmond.spec/1", "name": "test", "components": components}


class Folder(tempfile.TemporaryDirectory):
    """A temporary folder as a path."""

    def __enter__(self):
        return pathlib.Path(super().__enter__())


class Target:
    """A program of tests/targets (or any that knows --wait), held until released."""

    def __init__(self, *command, env=None):
        self.process = subprocess.Popen(
            [str(c) for c in (command[0], "--wait", *command[1:])], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, env=env)
        self.pid = int(read_line(self.process.stdout, "the target's pid").split()[1])

    def release(self):
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()

    def finish(self):
        """Releases it and returns (stdout, exit status; negative: signal)."""
        try:
            out, _ = self.process.communicate(b"\n", timeout=DEADLINE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        return out.decode(), self.process.returncode

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


class Profiler:
    """compmond at work. `target` is --pid/--exe arguments or a command after --."""

    def __init__(self, spec_value, *target, options=(), wait=True, env=None, program=COMPMOND, show=("--headless",)):
        self.folder = tempfile.TemporaryDirectory()
        folder = pathlib.Path(self.folder.name)
        if isinstance(spec_value, dict):
            self.spec_path = folder / "spec.json"
            self.spec_path.write_text(json.dumps(spec_value))
        else:
            self.spec_path = spec_value
        self.snapshot_path = folder / "snapshot.json"
        self.stderr_path = folder / "stderr"
        if "--max-overhead" not in options:  # a test counts exactly, however dear that is
            options = [*options, "--max-overhead", "off"]
        command = [program, "--spec", self.spec_path, *show, "--snapshot", self.snapshot_path, *options, *target]
        self.stderr_file = open(self.stderr_path, "wb")
        self.process = subprocess.Popen([str(c) for c in command], stdout=subprocess.PIPE, stderr=self.stderr_file,
                                        stdin=subprocess.DEVNULL, env=env)
        if wait:
            self.ready()

    def stderr(self):
        return self.stderr_path.read_text()

    def ready(self):
        wait_for(lambda: "compmond: ready\n" in self.stderr() or self.process.poll() is not None, "compmond: ready")
        assert self.process.poll() is None or "compmond: ready\n" in self.stderr(), self.stderr()

    def snapshot_now(self):
        """A snapshot by SIGUSR1."""
        before = self.snapshot_path.stat().st_ino if self.snapshot_path.exists() else None
        self.process.send_signal(signal.SIGUSR1)
        wait_for(lambda: self.snapshot_path.exists() and self.snapshot_path.stat().st_ino != before, "the snapshot")
        return json.loads(self.snapshot_path.read_text())

    def finish(self, end=False, code=0):
        """Waits for its own end (or ends it), with this exit code, and returns its last snapshot."""
        if end and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        self.stdout, _ = self.process.communicate(timeout=DEADLINE * 2)
        assert self.process.returncode == code, (self.process.returncode, self.stderr())
        return json.loads(self.snapshot_path.read_text())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.stderr_file.close()
        self.folder.cleanup()


USUAL_CALL_NS = 1500  # what a call costs at most on most machines
STEPPED = ("hot_path", TARGETS / "hot", "1", "1", "1")  # begins with what the kernel has to step: by machine 1 to 10 times as dear as
PUSHED = ("op_parse", BIN / "fooling", "silent")  # one that begins with a push


@functools.cache
def scaled(usual_ns=USUAL_CALL_NS, calls=STEPPED):
    """The environment of a target whose calls and work are to be as far apart as on most machines (targets/wait.h), however much a call
    of this kind costs here."""
    function, *command = calls
    with Target(*command) as target:
        with Profiler(spec([function]), "--pid", target.pid) as profiler:
            target.release()
            target.process.terminate()
            costs = profiler.finish()["health"]["probe_cost"]
    cost_ns = max(one["inside_ns"] + one["outside_ns"] for one in costs)
    return {**os.environ, "COMPMOND_WORK_SCALE": f"{max(1, cost_ns / usual_ns):.2f}"}


class OnTerminal:
    """compmond, writing to a terminal."""

    def __init__(self, *options):
        self.terminal, inner = pty.openpty()
        self.process = subprocess.Popen([str(word) for word in (COMPMOND, *options)], stdin=subprocess.DEVNULL, stdout=inner, stderr=inner,
                                        env={**os.environ, "TERM": "xterm-256color"})
        os.close(inner)
        self.shown = b""

    def wait_for(self, words):
        end = time.monotonic() + DEADLINE
        while words not in self.shown:
            assert select.select([self.terminal], [], [], max(0, end - time.monotonic()))[0], self.shown
            self.shown += os.read(self.terminal, 65536)

    def finish(self):
        """All that it wrote, to its end."""
        try:
            while data := os.read(self.terminal, 65536):
                self.shown += data
        except OSError:  # the last user of the terminal has ended
            pass
        os.close(self.terminal)
        assert self.process.wait(timeout=DEADLINE) == 0, self.shown
        return self.shown


def observe(spec_value, *command, options=(), env=None):
    """Runs a waiting target under compmond: (stdout, exit status, snapshot)."""
    with Target(*command, env=env) as target, Profiler(spec_value, "--pid", target.pid, options=options) as profiler:
        out, status = target.finish()
        return out, status, profiler.finish()


def component(snapshot, name):
    found = [c for c in snapshot["components"] if c["name"] == name]
    assert len(found) == 1, [c["name"] for c in snapshot["components"]]
    return found[0]


def operation(snapshot, symbol):
    found = [o for c in snapshot["components"] for o in c["operations"] if symbol in (o["symbol"], o["name"])]
    assert len(found) == 1, (symbol, [o["symbol"] for c in snapshot["components"] for o in c["operations"]])
    return found[0]


def check_accounting(snapshot):
    """The equations that hold in every snapshot (promise 3)."""
    health = snapshot["health"]
    assert health["balanced"] is True, health
    assert health["hits"] == health["delivered"] + health["lost"] + health["pending"], health
    if health["trace"]["stack_switches"] > 0:
        return  # one thread, several stacks: calls of one function may overlap in time
    for part in snapshot["components"]:
        for figures in [part, *part["operations"]]:
            if figures["raw_ns"] is None:
                continue  # no probe sees it
            assert figures["real_ns"] <= figures["raw_ns"] or figures["raw_ns"] == 0, figures
            assert figures["net_real_ns"] <= figures["real_ns"], figures
