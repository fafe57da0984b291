# SPDX-License-Identifier: Apache-2.0
"""perf's stacks of the same time: recorded on the whole machine by the same clock, and attributed to operations by the same rule.

perf unwinds by itself and says where in which file each frame is. Names it is not asked for: stripped programs have few. What is
an operation is looked up in the ranges of these functions' symbols."""

import bisect
import collections
import pathlib
import random
import re
import socket
import subprocess
import threading
import time

from support import DEADLINE

HZ = 199
# A timer of a fixed period is no random choice of moments: of pgbench -S, whose processes take turns by the scheduler's clock, periods of
# 5.03 and 4.94 ms made 16 and 26 % of the same operation. So the timer stops for a random part of its period, again and again.
SHIFT_EVERY_S = 0.025
STACK_BYTES = 16384

Sample = collections.namedtuple("Sample", "time_ns pid key lost")
Key = collections.namedtuple("Key", "image offset")  # of an operation: where its symbol begins in the file

HEAD = re.compile(r"^\s*(\d+)\s+(\d+)\.(\d{9}): *$")
FORK = re.compile(r"PERF_RECORD_FORK\((\d+):\d+\):\((\d+):\d+\)")
FRAME = re.compile(r"^\s+([0-9a-f]+) \((.*)\)$")


class Unreadable(Exception):
    """perf cannot read what it wrote: seen (6.1) where another perf came or went meanwhile."""


class Perf:
    """perf record on all processors, from entering until stop(): events per CPU, as those per task slow each switch."""

    def __init__(self, folder):
        self.file = pathlib.Path(folder) / "perf.data"

    def __enter__(self):
        theirs, self.control = socket.socketpair()
        self.control.settimeout(DEADLINE)
        fd = theirs.fileno()
        command = ["perf", "record", "-q", "-a", "-e", "cpu-clock", "-c", 10**9 // HZ, "--call-graph", f"dwarf,{STACK_BYTES}",
                   "-k", "CLOCK_MONOTONIC", "-m", 4096, "-D", -1, "--control", f"fd:{fd},{fd}", "-o", self.file]
        with theirs:
            self.process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                            stderr=subprocess.DEVNULL, pass_fds=[fd])
        self.tell("enable")
        self.stopping = threading.Event()
        self.shifting = threading.Thread(target=self.shift)
        self.shifting.start()
        return self

    def __exit__(self, *_):
        self.stopping.set()
        self.shifting.join()
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.control.close()

    def tell(self, word):
        self.control.sendall(f"{word}\n".encode())
        assert self.control.recv(8).startswith(b"ack"), f"perf record does not {word}"

    def shift(self):
        """The timer goes on with what is left of its period, and its phase is another one."""
        while not self.stopping.wait(random.uniform(0.5, 1.5) * SHIFT_EVERY_S):
            self.tell("disable cpu-clock")
            time.sleep(random.uniform(0, 1 / HZ))
            self.tell("enable cpu-clock")

    def stop(self):
        self.stopping.set()
        self.shifting.join()
        self.tell("stop")
        assert self.process.wait(timeout=DEADLINE) == 0

    def script(self, *options):
        """What perf script says, line by line."""
        command = ["perf", "script", "-i", self.file, "--ns", "--no-inline", *options]
        said = self.file.with_suffix(".said")
        with open(said, "wb") as errors, subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                                          stderr=errors, text=True, errors="replace") as process:
            yield from process.stdout
        if process.returncode != 0:
            raise Unreadable(said.read_text()[-500:])

    def descendants(self, root):
        """The process and all that it forked, and these in turn."""
        children = collections.defaultdict(set)
        for line in self.script("-F", "pid,time", "--show-task-events"):
            if found := FORK.search(line):
                pid, parent = map(int, found.groups())
                children[parent].add(pid)
        out, todo = set(), [root]
        while todo:
            pid = todo.pop()
            if pid not in out:
                out.add(pid)
                todo += children[pid]
        return out

    def samples(self, root, operations, begin_ns, end_ns):
        """Those of the process and its descendants, in this part of the time, each with the operation that it belongs to."""
        pids = self.descendants(root)
        lines = self.script("-F", "pid,time,ip,dso", "--pid", ",".join(map(str, sorted(pids))))
        return [sample for sample in read(lines, operations) if begin_ns <= sample.time_ns < end_ns]


def read(lines, operations):
    """The samples of perf script -F pid,time,ip,dso: a head, then a frame a line, innermost first, as its place in a file.

    `lost`: perf lost its way before it met any operation, so what the sample belongs to is not known: it knows the function that was
    interrupted and none of its callers, or came to a place that is in no file."""
    head, frames = None, []
    for line in lines:
        if found := HEAD.match(line):
            pid, seconds, ns = map(int, found.groups())
            head, frames = (seconds * 10**9 + ns, pid), []
        elif head and (found := FRAME.match(line)):
            frames.append((found[2], int(found[1], 16)))
        elif head and not line.strip():
            user = [frame for frame in frames if "kernel" not in frame[0]]
            key = next((key for frame in user if (key := operations.find(*frame))), None)
            yield Sample(*head, key, key is None and bool(user) and (len(user) == 1 or not user[-1][0].startswith("/")))
            head = None


class Operations:
    """Where in their files the functions are that a snapshot's operations name."""

    def __init__(self, snapshot):
        self.starts, self.ranges, self.of_symbol = {}, {}, {}
        wanted = collections.defaultdict(set)
        for component in snapshot["components"]:
            for operation in component["operations"]:
                wanted[operation["image"]].add(operation["symbol"].split("@")[0])
        for image, symbols in wanted.items():
            self.ranges[image] = sorted(self.ranges_in(image, symbols))
            self.starts[image] = [start for start, _, _ in self.ranges[image]]

    def ranges_in(self, image, symbols):
        """Several names of one function are one operation, and so are several functions of one name."""
        segments = code_segments(image)
        parts, of_offset = [], {}
        for name, address, size in functions(image):
            whole, _, cold = name.partition(".cold")
            if whole not in symbols or not size:
                continue
            offset = next((address - vaddr + start for vaddr, start, length in segments if vaddr <= address < vaddr + length), None)
            if offset is None:
                continue
            if not cold and name == whole:
                key = of_offset.get(offset) or self.of_symbol.get((image, name)) or Key(image, offset)
                of_offset[offset] = self.of_symbol[image, name] = key
            parts.append((offset, offset + size, whole))
        return {(start, end, self.of_symbol[image, whole]) for start, end, whole in parts if (image, whole) in self.of_symbol}

    def find(self, image, offset):
        if image not in self.starts:
            return None
        at = bisect.bisect_right(self.starts[image], offset) - 1
        return self.ranges[image][at][2] if at >= 0 and offset < self.ranges[image][at][1] else None

    def key(self, operation):
        """Of an operation of the snapshot."""
        return self.of_symbol.get((operation["image"], operation["symbol"].split("@")[0]))


def functions(image):
    """(name, address, size) of the functions of both symbol tables."""
    out = subprocess.run(["readelf", "--wide", "--syms", image], capture_output=True, text=True, check=True).stdout
    rows = {}
    for words in map(str.split, out.splitlines()):
        if len(words) >= 8 and words[3] in ("FUNC", "IFUNC") and words[6] != "UND":
            rows[words[7].split("@")[0], int(words[1], 16)] = int(words[2], 0)
    return [(name, address, size) for (name, address), size in rows.items()]


def code_segments(image):
    """(address, offset in the file, length) of what is loaded to be executed."""
    out = subprocess.run(["readelf", "--wide", "--program-headers", image], capture_output=True, text=True, check=True).stdout
    rows = re.findall(r"^\s*LOAD\s+(\w+)\s+(\w+)\s+\w+\s+(\w+)\s+\w+\s+[R ][W ]E", out, re.MULTILINE)
    return [(int(vaddr, 16), int(offset, 16), int(length, 16)) for offset, vaddr, length in rows]
