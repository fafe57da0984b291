# SPDX-License-Identifier: Apache-2.0
"""The observers of a target: each a context in which the target runs, with a check of what it saw."""

import pathlib
import re
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "kernel"))
import support  # noqa: E402  (the tests' way to run compmond and its targets)

CALLS = support.BIN / "bench" / "calls"
FLOOR = support.BIN / "bench" / "bench_floor"


class Wrong(Exception):
    """An observer saw something else than what happened: its time means nothing."""


class Nothing:
    """No observer at all."""

    def __init__(self, pid, function):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def check(self, calls):
        pass


class Floor(Nothing):
    """Empty programs where compmond would hang its own."""

    mode = "return-probe"

    def __init__(self, pid, function):
        self.process = subprocess.Popen([FLOOR, str(pid), CALLS, function, self.mode], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        support.read_line(self.process.stdout, "bench_floor")

    def __exit__(self, *_):
        self.process.communicate()


class FloorSites(Floor):
    """Empty programs at entry and at the instructions that leave the function."""

    mode = "ret-sites"


class Compmond(Nothing):
    """compmond, headless."""

    mode = "return-probe"

    def __init__(self, pid, function):
        self.function = function
        self.profiler = support.Profiler(support.spec([function]), "--pid", pid, options=["--exit-mode", self.mode])

    def __exit__(self, *error):
        self.profiler.__exit__(*error)

    def check(self, calls):
        snapshot = self.profiler.finish()
        operation = support.operation(snapshot, self.function)
        health = snapshot["health"]
        seen = (operation["calls"], operation["closed"]["returned"], health["lost"], health["balanced"])
        if seen != (calls, calls, 0, True) or operation["exit_mode"] != self.mode:
            raise Wrong(f"compmond: {calls} calls became (calls, returned, lost, balanced) = {seen}, "
                        f"exit mode {operation['exit_mode']}")


class CompmondSites(Compmond):
    """compmond without return probes."""

    mode = "ret-sites"


class Bpftrace(Nothing):
    """bpftrace with the usual histogram of durations."""

    def __init__(self, pid, function):
        place = f"{CALLS}:{function}"
        program = ('BEGIN { printf("begun\\n"); } '
                   f"uprobe:{place} {{ @start[tid] = nsecs; }} "
                   f"uretprobe:{place} /@start[tid]/ {{ @ns = hist(nsecs - @start[tid]); delete(@start[tid]); }}")
        self.process = subprocess.Popen(["bpftrace", "-p", str(pid), "-e", program], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        while "begun" not in support.read_line(self.process.stdout, "bpftrace"):
            pass

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def check(self, calls):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        out, _ = self.process.communicate(timeout=support.DEADLINE * 3)
        seen = sum(int(n) for n in re.findall(r"^[\[(].*?\s(\d+) \|", out.decode(), re.MULTILINE))
        if seen != calls:
            raise Wrong(f"bpftrace: {calls} calls became {seen}")


RETURN_PROBE = {"none": Nothing, "floor": Floor, "compmond": Compmond}
RET_SITES = {"none": Nothing, "floor": FloorSites, "compmond": CompmondSites}
if shutil.which("bpftrace"):
    RETURN_PROBE["bpftrace"] = Bpftrace


def measure(observer, function, calls, threads):
    """(wall, CPU) ns per call of one run under an observer whose figures were right."""
    with support.Target(CALLS, function, str(calls), str(threads)) as target:
        with observer(target.pid, function) as at_work:
            out, status = target.finish()
            if status != 0:
                raise Wrong(f"the target ended with {status}")
            _, wall_ns, _, cpu_ns, _, made = out.split()
            at_work.check(int(made))
            return float(wall_ns), float(cpu_ns)
