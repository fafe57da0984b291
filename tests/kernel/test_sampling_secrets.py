# SPDX-License-Identifier: Apache-2.0
"""What is copied of stacks may be users' secrets: it reaches nobody, and does not stay where it was looked at."""

import os
import pathlib
import re
import signal
import subprocess

import support
from support import COMPMOND, DEADLINE, Folder, Profiler, Target, wait_for
from test_privileges import NOBODY, children, status
from test_sampling_run import SAMPLED, SAMPLING, samples
from test_serve import connect

SEED = 31_337_771
SECRET = f"<{SEED * 7919}-{SEED * 104729}>".encode()


def mappings(pid):
    """(start, end, name, flags) of each that can be read."""
    out = []
    for line in pathlib.Path(f"/proc/{pid}/smaps").read_text().splitlines():
        if head := re.match(r"([0-9a-f]+)-([0-9a-f]+) (r\S+) \S+ \S+ \S+ *(.*)", line):
            out.append([int(head[1], 16), int(head[2], 16), head[4], []])
        elif re.match(r"[0-9a-f]+-", line):
            out.append(None)
        elif line.startswith("VmFlags:") and out[-1]:
            out[-1][3] = line.split()[1:]
    return [one for one in out if one]


def holders(pid):
    """Of its mappings, those that hold the secret."""
    out = []
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for start, end, name, flags in mappings(pid):
            try:
                memory.seek(start)
                if SECRET in memory.read(end - start):
                    out.append((name, flags))
            except (OSError, OverflowError, ValueError):
                continue  # the kernel's own, such as [vvar]
    return out


def family(pid):
    return [pid, *(one for child in children(pid) for one in family(child))]


def is_ring(name):
    return "bpf" in name  # the kernel's, that it copies stacks to


def test_bytes_of_stacks_reach_nobody_and_do_not_stay():
    with Folder() as folder, Target(SAMPLED, "secret", SEED, 60_000) as target:
        log, folded = folder / "log", folder / "folded"
        options = (*SAMPLING, "--record", log, "--inside", "spin", "--folded", folded)
        with Profiler(support.spec(["main", "spin"]), "--pid", target.pid, options=options) as profiler, connect(profiler) as client:
            target.release()
            wait_for(lambda: samples(profiler.snapshot_now())["taken"] > 100, "samples")
            seen = []
            inside = {"report": "inside", "component": "spin", "limit": 2000}
            for more in ({}, {"details": "spin"}, {"snapshot": False, "analysis": inside}):
                client.send(request="view", **more)
                seen.append(client.stream.readline())
            target.process.send_signal(signal.SIGSTOP)
            processes = family(profiler.process.pid)
            assert len(processes) >= 3  # it, who makes those who unwind, and one of these
            rings = {name: flags for name, flags in holders(profiler.process.pid) if is_ring(name)}
            assert rings and holders(target.pid)  # what is looked for is there
            assert all("dd" in flags for flags in rings.values())  # in no core dump
            # A look may come while a stack is unwound: what stays is there at each.
            wait_for(lambda: all(is_ring(name) for pid in processes for name, _ in holders(pid)), "memory without the secret")
            target.process.kill()
            profiler.finish()
            seen += [profiler.stdout, profiler.stderr().encode(), profiler.snapshot_path.read_bytes(), log.read_bytes(), folded.read_bytes()]
        assert all(seen)
        assert not any(SECRET in text for text in seen)
        replayed = subprocess.run([str(COMPMOND), "replay", log, "--headless", "--snapshot", "-"], capture_output=True, check=True, timeout=DEADLINE)
        assert SECRET not in replayed.stdout


def test_those_who_unwind_can_not_be_looked_into_and_dump_no_core():
    with Target(SAMPLED, "spin", 10) as target, Profiler(support.spec(["spin"]), "--pid", target.pid, options=SAMPLING) as profiler:
        unwinders = [pid for pid in family(profiler.process.pid) if status(pid)["Name"].strip() == "compmond-unwind"]
        assert len(unwinders) == 2  # one makes the next
        for pid in unwinders:
            assert int(status(pid)["Uid"].split()[0]) == NOBODY
            assert os.stat(f"/proc/{pid}/mem").st_uid == 0  # that of nobody, were it dumpable
            limits = pathlib.Path(f"/proc/{pid}/limits").read_text()
            assert re.search(r"^Max core file size +0 +0 ", limits, re.MULTILINE), limits
        profiler.finish(end=True)
