# SPDX-License-Identifier: Apache-2.0
"""The observers of a target: each a context in which the target runs, with a check of what it saw."""

import functools
import os
import pathlib
import re
import shutil
import signal
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


class FloorSites(Floor):
    mode = "ret-sites"


class Funclatency(Helper):
    """start time in a hash map by thread, histogram in a map (as bcc's funclatency)"""

    name = "funclatency"

    def __init__(self, pid, image, function, depth=1):
        self.begin(PROGRAMS / "bench_funclatency", pid, image, function)

    def check(self, calls):
        out, _ = self.process.communicate()
        if out.split() != [b"calls", str(calls).encode()]:
            raise Wrong(f"funclatency: {calls} calls became {out.decode()!r}")


class Compmond(Nothing):
    """compmond --headless"""

    name = "compmond"
    moves = True
    mode = "return-probe"

    def __init__(self, pid, image, function, depth=1):
        self.function, self.depth = function, depth
        options = ["--exit-mode", self.mode, *self.options()]
        # Nothing may be thinned out: what is measured is the cost of seeing everything.
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
    bytes_per_event = None

    @classmethod
    def require(cls):
        if "--record" not in help_text():
            raise Absent("this compmond has no --record")

    def options(self):
        self.folder = tempfile.TemporaryDirectory()
        self.log = pathlib.Path(self.folder.name) / "run.log"
        return ["--record", self.log]

    def check(self, calls):
        super().check(calls)
        files = [self.log] if self.log.is_file() else [f for f in self.log.rglob("*") if f.is_file()]
        type(self).bytes_per_event = sum(file.stat().st_size for file in files) / (2 * calls)

    def __exit__(self, *error):
        super().__exit__(*error)
        self.folder.cleanup()


class CompmondWindow(Compmond):
    """compmond with its window open, drawn by software under Xvfb"""

    name = "window"

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
        self.window = Window(self.socket)
        return self

    def __exit__(self, *error):
        self.window.close()
        super().__exit__(*error)
        self.folder.cleanup()


class Window:
    """compmond-ui on a display of its own, connected to a socket."""

    def __init__(self, socket):
        read, write = os.pipe()
        self.display = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x800x24", "-nolisten", "tcp"],
                                        pass_fds=[write], stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read, "rb") as stream:
            number = support.read_line(stream, "Xvfb").strip()
        env = {**os.environ, "DISPLAY": f":{number}", "XDG_SESSION_TYPE": "x11"}
        env.pop("WAYLAND_DISPLAY", None)
        self.process = subprocess.Popen([support.BIN / "compmond-ui", "--connect", str(socket)], env=env,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        support.wait_for(lambda: self.process.poll() is not None or subprocess.run(
            ["xdotool", "search", "--onlyvisible", "--name", "."], env=env, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, check=False).returncode == 0, "the window")
        if self.process.poll() is not None:
            self.close()
            raise Absent(f"compmond-ui ended with {self.process.returncode}")

    def close(self):
        for process in (self.process, self.display):
            if process.poll() is None:
                process.terminate()
            process.wait()


class Bpftrace(Nothing):
    """bpftrace: start time by thread, histogram of durations"""

    name = "bpftrace"

    def __init__(self, pid, image, function, depth=1):
        self.begin(image, [function], ["-p", str(pid)])

    @classmethod
    def require(cls):
        if not shutil.which("bpftrace"):
            raise Absent("bpftrace is not installed")

    @classmethod
    def everywhere(cls, image, functions):
        """Of all processes that map the image."""
        observer = cls.__new__(cls)
        observer.begin(image, functions, [])
        return observer

    def begin(self, image, functions, options):
        program = 'BEGIN { printf("begun\\n"); } ' + " ".join(
            f"uprobe:{image}:{function} {{ @start{i}[tid] = nsecs; }} "
            f"uretprobe:{image}:{function} /@start{i}[tid]/ {{ @ns{i} = hist(nsecs - @start{i}[tid]); "
            f"delete(@start{i}[tid]); }}" for i, function in enumerate(functions))
        self.process = subprocess.Popen(["bpftrace", *options, "-e", program], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        while "begun" not in support.read_line(self.process.stdout, "bpftrace"):
            pass

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def end(self):
        """How many calls its histograms hold, together."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        out, _ = self.process.communicate(timeout=support.DEADLINE * 3)
        return sum(int(n) for n in re.findall(r"^[\[(].*?\s(\d+) \|", out.decode(), re.MULTILINE))

    def check(self, calls):
        seen = self.end()
        if seen != calls:
            raise Wrong(f"bpftrace: {calls} calls became {seen}")


class Perf(Nothing):
    """perf record of a uprobe and a uretprobe, to a file"""

    name = "perf"
    share_of_calls = 0.1  # its file grows by 170 bytes per call
    lost_share = 0.0

    # In a mount namespace of its own: tracefs need not be mounted, and nothing stays mounted.
    SCRIPT = r"""
set -e
mountpoint -q /sys/kernel/tracing || mount -t tracefs nodev /sys/kernel/tracing
trap 'perf probe -q -d "$group:*"' EXIT
perf probe -q -x "$image" -a "$group:entry=$function"
perf probe -q -x "$image" -a "$group:leave=$function%return"
perf record -q -o "$folder/data" --control "fifo:$folder/do,$folder/done" -D -1 -e "$group:entry" -e "$group:leave__return" -p "$pid"
"""

    def __init__(self, pid, image, function, depth=1):
        self.folder = tempfile.TemporaryDirectory()
        folder = pathlib.Path(self.folder.name)
        for name in ("do", "done"):
            os.mkfifo(folder / name)
        env = {**os.environ, "group": f"compmondbench{os.getpid()}", "image": str(image), "function": function,
               "folder": str(folder), "pid": str(pid)}
        self.process = subprocess.Popen(["unshare", "--mount", "--propagation", "private", "bash", "-c", self.SCRIPT],
                                        env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
        # Opened both ways, neither end waits for the other.
        with open(folder / "do", "r+b", buffering=0) as order, open(folder / "done", "r+b", buffering=0) as answer:
            order.write(b"enable\n")
            try:
                support.read_line(answer, "perf record")
            except AssertionError as error:
                self.process.kill()
                raise Absent(f"perf record did not begin: {self.process.stderr.read().decode()[-200:]}") from error
        self.data = folder / "data"

    @classmethod
    def require(cls):
        if not shutil.which("perf"):
            raise Absent("perf is not installed")
        mounted = subprocess.run(["unshare", "--mount", "--propagation", "private", "sh", "-c",
                                  "mountpoint -q /sys/kernel/tracing || mount -t tracefs nodev /sys/kernel/tracing"],
                                 stderr=subprocess.PIPE, text=True, check=False)
        if mounted.returncode != 0:
            raise Absent(f"tracefs cannot be mounted: {mounted.stderr.strip()}")

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.communicate(timeout=support.DEADLINE)
        self.folder.cleanup()

    def check(self, calls):
        self.process.communicate(timeout=support.DEADLINE)  # it ends with its target
        stats = subprocess.run(["perf", "report", "-i", str(self.data), "--stats"], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True, check=True).stdout
        samples = re.search(r"SAMPLE events:\s*(\d+)", stats)
        seen = int(samples.group(1)) / 2 if samples else 0
        if seen > calls * 1.001:
            raise Wrong(f"perf: {calls} calls became {seen}")
        type(self).lost_share = max(type(self).lost_share, 1 - seen / calls)


class Uftrace(Nothing):
    """uftrace record -P: the target is started by it, with the function patched in memory"""

    name = "uftrace"
    traps = False

    @classmethod
    def require(cls):
        if not shutil.which("uftrace"):
            raise Absent("uftrace is not installed")

    @staticmethod
    def run(image, function, arguments):
        """Runs the target from start to end: (its output, calls seen)."""
        with support.Folder() as folder:
            record = subprocess.run(["uftrace", "record", "--no-pager", "--no-event", "--no-libcall", "-d", folder / "data",
                                     "-P", f"^{function}$", image, *arguments], stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, text=True, timeout=support.DEADLINE * 5, check=True)
            report = subprocess.run(["uftrace", "report", "--no-pager", "-d", folder / "data"], stdout=subprocess.PIPE,
                                    stderr=subprocess.DEVNULL, text=True, timeout=support.DEADLINE * 5, check=False).stdout
            seen = re.search(rf"(\d+)  {function}$", report, re.MULTILINE)
            return record.stdout, int(seen.group(1)) if seen else 0


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
