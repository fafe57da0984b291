# SPDX-License-Identifier: Apache-2.0
"""Other tools as observers of a target."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile

import support
from observers import PROGRAMS, Absent, Helper, Nothing, Wrong


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


class Funclatency(Helper):
    """start time in a hash map by thread, histogram in a map (as bcc's funclatency)"""

    name = "funclatency"

    def __init__(self, pid, image, function, depth=1):
        self.begin(PROGRAMS / "bench_funclatency", pid, image, function)

    def check(self, calls):
        out, _ = self.process.communicate()
        if out.split() != [b"calls", str(calls).encode()]:
            raise Wrong(f"funclatency: {calls} calls became {out.decode()!r}")


class Perf(Nothing):
    """perf record of a uprobe and a uretprobe, to a file"""

    name = "perf"
    share_of_calls = 0.1  # its file grows by 170 bytes per call
    off_share = 0.0

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
        if not samples or seen > calls * 1.05:
            raise Wrong(f"perf: {calls} calls became {seen}")
        type(self).off_share = max(type(self).off_share, abs(1 - seen / calls))


class Uftrace(Nothing):
    """uftrace record -P: the target is started by it, with the function patched in memory"""

    name = "uftrace"
    traps = False

    @classmethod
    def require(cls):
        if not shutil.which("uftrace"):
            raise Absent("uftrace is not installed")

    @staticmethod
    def run(image, function, arguments, calls_of):
        """Runs the target from start to end: what it wrote. All calls_of that were seen, else this raises."""
        with support.Folder() as folder:
            record = subprocess.run(["uftrace", "record", "--no-pager", "--no-event", "--no-libcall", "-d", folder / "data",
                                     "-P", f"^{function}$", image, *arguments], stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, text=True, timeout=support.DEADLINE * 5, check=True)
            report = subprocess.run(["uftrace", "report", "--no-pager", "-d", folder / "data"], stdout=subprocess.PIPE,
                                    stderr=subprocess.DEVNULL, text=True, timeout=support.DEADLINE * 5, check=False).stdout
            seen = re.search(rf"(\d+)  {function}$", report, re.MULTILINE)
        if not seen:
            raise Absent(f"it could not patch {function}")
        if int(seen.group(1)) != (made := calls_of(record.stdout)):
            raise Wrong(f"uftrace: {made} calls became {seen.group(1)}")
        return record.stdout
