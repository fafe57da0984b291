# SPDX-License-Identifier: Apache-2.0
"""What a figure is of: processor, kernel, the program's version, and how busy the machine was."""

import datetime
import os
import pathlib
import platform
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUSY = 0.5  # load average above which wall times mean little


def first_line(*command):
    try:
        out = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""
    return out.splitlines()[0].strip() if out else ""


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
            "load_before": os.getloadavg()[0]}


def sentence(machine):
    kind = "virtual machine" if machine["virtual"] else "machine"
    return (f"{machine['cpu']}, {machine['cpus']} CPUs, {machine['memory_gib']} GiB ({kind}), Linux {machine['kernel']}; "
            f"compmond {machine['commit']}; " + ", ".join(machine["tools"].values()))


def warning(machine):
    if machine["load_before"] <= BUSY:
        return []
    return [f"**The machine was busy (load {machine['load_before']:.1f}) before this began: the wall times, and whether a goal "
            "is met, mean little.**", ""]
