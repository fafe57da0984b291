# SPDX-License-Identifier: Apache-2.0
"""What a figure is of: processor, kernel, the program's version, and how busy the machine was."""

import datetime
import os
import pathlib
import platform
import re
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUSY = 0.1  # of all processors; above it wall times mean little
LOOK_S = 2


def first_line(*command):
    try:
        out = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""
    return out.splitlines()[0].strip() if out else ""


def busy():
    """The part of all processors' time that others take, over a look of some seconds."""
    def look():
        user, nice, system, idle, iowait, *rest = map(int, pathlib.Path("/proc/stat").read_text("ascii").split("\n", 1)[0].split()[1:])
        return idle + iowait, user + nice + system + idle + iowait + sum(rest[:3])  # guests' time is in user's

    idle, whole = look()
    time.sleep(LOOK_S)
    idle_after, whole_after = look()
    return 1 - (idle_after - idle) / max(1, whole_after - whole)


def describe():
    cpuinfo = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    model = re.search(r"^model name\s*: (.*)$", cpuinfo, re.MULTILINE)
    memory = re.search(r"^MemTotal:\s*(\d+)", pathlib.Path("/proc/meminfo").read_text(encoding="utf-8"), re.MULTILINE)
    flags = re.search(r"^flags\s*: (.*)$", cpuinfo, re.MULTILINE)
    commit = first_line("git", "-c", f"safe.directory={ROOT}", "-C", str(ROOT), "describe", "--always", "--dirty", "--tags")
    tools = {"bpftrace": first_line("bpftrace", "--version"), "perf": first_line("perf", "--version"),
             "uftrace": first_line("uftrace", "--version").split(" (")[0]}
    return {"cpu": model.group(1) if model else platform.machine(), "cpus": os.cpu_count(),
            "virtual": bool(flags) and "hypervisor" in flags.group(1).split(),
            "memory_gib": round(int(memory.group(1)) / 2**20, 1), "kernel": platform.release(), "commit": commit,
            "tools": {name: version for name, version in tools.items() if version},
            "began": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
            "busy_before": round(busy(), 3)}


def sentence(machine):
    kind = "virtual machine" if machine["virtual"] else "machine"
    return (f"{machine['cpu']}, {machine['cpus']} CPUs, {machine['memory_gib']} GiB ({kind}), Linux {machine['kernel']}; "
            f"compmond {machine['commit']}; " + ", ".join(machine["tools"].values()))


def warning(machine):
    if machine["busy_before"] <= BUSY:
        return []
    return [f"**The machine was busy ({machine['busy_before']:.0%} of its processors) before this began: the wall times, and "
            "whether a goal is met, mean little.**", ""]
