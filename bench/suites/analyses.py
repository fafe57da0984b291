# SPDX-License-Identifier: Apache-2.0
"""What the analyses of a recorded log take, beside merely reading it."""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

import observers
import stats
import support
from suites import goal, grid

TITLE = "Analyses of a recorded log"
TREE = observers.PROGRAMS / "tree"
FUNCTIONS = ["app::Root::run", "app::Left::go", "app::Right::go", "app::Leaf<*>::tick"]
PER_ROOT = 12  # executions of one call of app::Root::run
REPORTS = ["traces", "message-traces", "equivalence-classes", "dependency-graph", "matrix", "call-tree",
           "aggregated-call-tree", "flame-graph", "sequence", "trace-timing", "markov"]
FLOOR = "read the log"
MOST_SECONDS = 10
MOST_BYTES = 8


def spec():
    components = [{"name": name.split("::")[1].split("<")[0], "image": str(TREE), "in": [name]} for name in FUNCTIONS]
    return {"schema": "compmond.spec/1", "name": "bench", "components": components}


def record(log, roots):
    """Executions in a log of a real run."""
    with support.Target(TREE, roots) as target:
        with support.Profiler(spec(), "--pid", target.pid, options=["--record", log]) as profiler:
            target.finish()
            snapshot = profiler.finish()
    if snapshot["health"]["lost"] > 0:
        raise observers.Wrong("the recorded run lost events")
    return sum(component["calls"] for component in snapshot["components"])


def command(name, log):
    if name == FLOOR:
        return [observers.PROGRAMS / "bench_read_log", log]
    # Of all traces these would write more than anybody reads: one trace, as a person asks for it.
    of_one = ["--trace", "1"] if name in ("sequence", "trace-timing", "call-tree") else []
    return [support.COMPMOND, "analyze", log, "--report", name, "--format", "json", *of_one]


def run(name, log):
    """(wall, CPU) seconds and the peak of memory in MiB."""
    began = time.monotonic()
    process = subprocess.Popen([str(part) for part in command(name, log)], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise observers.Wrong(f"{name} ended with {process.returncode}")
    return time.monotonic() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def measure(options):
    roots = 83_334 if not options.quick else 8_334
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "log"
        executions = record(log, roots)
        if executions != roots * PER_ROOT:
            raise observers.Wrong(f"{roots * PER_ROOT} executions became {executions}")
        size = observers.size_of(log)
        names = [FLOOR, *REPORTS]
        measured = {name: [] for name in names}
        for number in range(options.rounds):
            for name in names if number % 2 == 0 else reversed(names):
                measured[name].append(run(name, log))
            print(f"  round {number + 1} of {options.rounds}", file=sys.stderr)
    floor = [cpu for _, cpu, _ in measured[FLOOR]]
    rows = [{"report": name, "wall": stats.spread([wall for wall, _, _ in values]),
             "cpu": {**stats.spread([cpu for _, cpu, _ in values]),
                     "to_floor": stats.ratio([cpu for _, cpu, _ in values], floor)},
             "mib": max(mib for _, _, mib in values)} for name, values in measured.items()]
    return {"rows": rows, "absent": {}, "executions": executions, "bytes_per_event": size / executions / 2}


def table(suite):
    rows = [[row["report"], f"{row['wall']['median']:.2f}", f"{row['cpu']['median'] / suite['executions'] * 1e9:,.0f}",
             stats.show(row["cpu"]["to_floor"]), f"{row['mib']:.0f}"] for row in suite["rows"]]
    return [f"`compmond analyze --format json` of one log of {suite['executions']:,} executions ({suite['bytes_per_event']:.2f} bytes per event "
            "on disk, two events per execution), the output thrown away; the floor reads the log and does nothing with it. Sequence, trace "
            "timing and call tree are of one trace.", "",
            *grid(["report", "wall, s", "CPU ns per execution", "× floor", "peak MiB"], rows)]


def goals(suite):
    slowest = max(suite["rows"], key=lambda row: row["wall"]["median"])
    return [
        goal("analyses", f"a log of a million executions: every analysis within {MOST_SECONDS} s",
             f"{slowest['wall']['median']:.1f} s ({slowest['report']}, {suite['executions']:,} executions)",
             slowest["wall"]["median"] <= MOST_SECONDS if suite["executions"] >= 1_000_000 else None),
        goal("log-size", f"log: ≤ {MOST_BYTES} bytes per event on disk", f"{suite['bytes_per_event']:.2f}",
             suite["bytes_per_event"] <= MOST_BYTES),
    ]
