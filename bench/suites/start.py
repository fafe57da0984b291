# SPDX-License-Identifier: Apache-2.0
"""How long it takes until everything is attached, and until nothing is any more."""

import hashlib
import json
import signal
import subprocess
import sys
import time

import observers
import stats
from postgres import SPEC, Server
from suites import absences, goal, grid
from support import BUILD, Profiler

TITLE = "Start and end"
FUNCTIONS = 50_000
OPERATIONS = 10_000
COMPONENTS = 50


def source():
    """A C program of many small functions, none of which the compiler can leave out."""
    yield "#include <stdio.h>\n#include <unistd.h>\nvolatile int x;\n"
    for i in range(FUNCTIONS):
        yield f"int f{i}(int a) {{ if (a > {i % 97}) x += a; return a * {i} + x; }}\n"
    yield "int (*const all[])(int) = {" + ", ".join(f"f{i}" for i in range(FUNCTIONS)) + "};\n"
    yield "int main(int argc, char **argv) { char c; (void)argv; puts(\"there\"); fflush(stdout);\n"
    yield "return read(0, &c, 1) > 0 && all[argc](argc); }\n"


def program():
    """Built once: compiling it takes longer than all measurements."""
    text = "".join(source())
    made = BUILD / "bench" / f"many-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
    if not made.exists():
        made.parent.mkdir(parents=True, exist_ok=True)
        part = made.with_suffix(".part")
        subprocess.run(["cc", "-O1", "-x", "c", "-o", part, "-"], input=text, text=True, check=True)
        part.rename(made)
    return made


def spec():
    each = OPERATIONS // COMPONENTS
    step = FUNCTIONS // OPERATIONS
    components = [{"name": f"component {c}", "in": [f"f{step * (c * each + i)}" for i in range(each)]}
                  for c in range(COMPONENTS)]
    return {"schema": "compmond.spec/1", "name": "many", "components": components}


def run(spec_value, pid, expected):
    """(seconds to ready, seconds from SIGINT to the end)."""
    began = time.monotonic()
    with Profiler(spec_value, "--pid", pid, options=["--many"]) as profiler:
        ready = time.monotonic() - began
        ended = time.monotonic()
        profiler.process.send_signal(signal.SIGINT)
        profiler.process.communicate(timeout=observers.support.DEADLINE)
        end = time.monotonic() - ended
        attached = json.loads(profiler.snapshot_path.read_text())["health"]["attached"]
        if attached < expected:
            raise observers.Wrong(f"{attached} of {expected} operations were attached")
        return ready, end


def measure(options):
    absent, rows = {}, {}

    def add(what, times):
        ready, end = times
        rows.setdefault(what, {"ready": [], "end": []})
        rows[what]["ready"].append(ready)
        rows[what]["end"].append(end)

    many = program()
    try:
        server = Server()
    except observers.Absent as reason:
        server, absent["PostgreSQL"] = None, str(reason)
    try:
        for number in range(options.rounds):
            with subprocess.Popen([many], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
                observers.support.read_line(process.stdout, "the program")
                add("many", run(spec(), process.pid, OPERATIONS * 0.99))
                process.stdin.close()
            if server:
                add("postgres", run(SPEC, server.pid, 1))
            print(f"  round {number + 1} of {options.rounds}", file=sys.stderr)
    finally:
        if server:
            server.__exit__()
    return {"rows": [{"what": what, "ready_s": stats.spread(of["ready"]), "end_s": stats.spread(of["end"])}
                     for what, of in rows.items()], "absent": absent}


NAMES = {"many": f"{OPERATIONS:,} operations of a program of {FUNCTIONS:,} functions", "postgres": "`specs/postgresql.json`"}


def table(suite):
    def seconds(of):
        return f"{of['median']:.2f} ({of['min']:.2f}–{of['max']:.2f})"

    rows = [[NAMES[row["what"]], seconds(row["ready_s"]), seconds(row["end_s"])] for row in suite["rows"]]
    return ["Seconds, median (min–max): from the command to `compmond: ready` (everything read, decoded, measured and attached), and "
            "from SIGINT to the end of the process.", ""] + grid(["what", "to ready", "to the end"], rows) + absences(suite)


def goals(suite):
    found = {row["what"]: row for row in suite["rows"]}
    out = []
    for what, clock, limit, text in (("many", "ready_s", 1, f"{OPERATIONS:,} operations ready in ≤ 1 s"),
                                     ("many", "end_s", 0.5, f"{OPERATIONS:,} operations detached in ≤ 0.5 s"),
                                     ("postgres", "ready_s", 0.5, "PostgreSQL spec ready in ≤ 0.5 s")):
        if what in found:
            took = found[what][clock]["median"]
            out.append(goal(f"start-{what}-{clock}", text, f"{took:.2f} s", took <= limit))
        else:
            out.append(goal(f"start-{what}-{clock}", text, "not measured", None))
    return out
