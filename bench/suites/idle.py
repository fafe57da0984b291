# SPDX-License-Identifier: Apache-2.0
"""What compmond takes while nothing happens."""

import pathlib
import time

import observers
import stats
from suites import absences, goal, grid
from support import Folder, Profiler, Target, spec

TITLE = "What it takes while nothing happens"
CALLS = observers.PROGRAMS / "calls"
SETTLE_S = 2  # what a start leaves to be done


def cpu_and_wakeups(pid):
    """(ns of CPU time, voluntary context switches) of all threads so far."""
    ns = wakeups = 0
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        ns += int((task / "schedstat").read_text().split()[0])
        for line in (task / "status").read_text().splitlines():
            if line.startswith("voluntary_ctxt_switches:"):
                wakeups += int(line.split()[1])
    return ns, wakeups


def watch(pids, seconds):
    """Of each process: (% of a core, wake-ups per second)."""
    time.sleep(SETTLE_S)
    before, began = [cpu_and_wakeups(pid) for pid in pids], time.monotonic()
    time.sleep(seconds)
    took = time.monotonic() - began
    return [((after[0] - was[0]) / took / 1e9 * 100, (after[1] - was[1]) / took)
            for was, after in zip(before, (cpu_and_wakeups(pid) for pid in pids))]


def measure(options):
    seconds = 5 if options.quick else 20
    chosen, absent = observers.available([observers.CompmondScreen])
    measured = {}
    with Target(CALLS, "push", 1, 1) as target, Folder() as folder:
        for screen in [None, *chosen]:
            more = ["--listen", folder / "socket"] if screen else []
            for _ in range(3):
                with Profiler(spec(["push", "nop", "mov", "sub"], CALLS), "--pid", target.pid, options=more) as profiler:
                    shown = observers.Screen(folder / "socket") if screen else None
                    try:
                        pids = [profiler.process.pid, *([shown.process.pid] if shown else [])]
                        names = ["daemon with a screen", "screen"] if screen else ["daemon"]
                        for name, figures in zip(names, watch(pids, seconds)):
                            measured.setdefault(name, []).append(figures)
                    finally:
                        if shown:
                            shown.close()
                    profiler.finish(end=True)
    return {"rows": [{"who": who, "cpu_pct": stats.spread([cpu for cpu, _ in of]),
                      "wakeups_per_s": stats.spread([wakeups for _, wakeups in of])} for who, of in measured.items()],
            "absent": absent, "seconds": seconds}


def table(suite):
    rows = [[row["who"], f"{row['cpu_pct']['median']:.2f} ({row['cpu_pct']['min']:.2f}–{row['cpu_pct']['max']:.2f})",
             f"{row['wakeups_per_s']['median']:.0f}"] for row in suite["rows"]]
    return [f"Attached to a program that sleeps, {suite['seconds']} s long, after the start: % of one core, median (min–max).", ""] + grid(
        ["process", "% of a core", "wake-ups per second"], rows) + absences(suite)


def goals(suite):
    found = {row["who"]: row["cpu_pct"]["median"] for row in suite["rows"]}
    out = []
    for who, limit in (("daemon", 0.3), ("screen", 1.0)):
        text = f"idle: {who} ≤ {limit:g} % of a core"
        if who in found:
            out.append(goal(f"idle-{who}", text, f"{found[who]:.2f} %", found[who] <= limit))
        else:
            out.append(goal(f"idle-{who}", text, "not measured", None))
    return out
