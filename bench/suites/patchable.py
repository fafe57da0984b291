# SPDX-License-Identifier: Apache-2.0
"""How many functions of unmodified programs can be told of by jumps in their own code, in place of the kernel's probes: planned, not placed."""

import json
import pathlib
import subprocess

import observers
from suites import absences, goal, grid

TITLE = "Functions that could be patched in place"
LIBRARIES = pathlib.Path("/usr/lib/x86_64-linux-gnu")
FILES = ["/usr/lib/postgresql/15/bin/postgres", "/usr/bin/redis-server", "/usr/sbin/nginx", LIBRARIES / "libsqlite3.so.0", LIBRARIES / "libstdc++.so.6",
         LIBRARIES / "libc.so.6", "/usr/bin/perl", LIBRARIES / "libcrypto.so.3", "/usr/bin/bash", "/usr/bin/python3.11", LIBRARIES / "libLLVM-14.so.1"]
LEAST, LEAST_OF = 0.95, {"python3.11": 0.87}  # shares; python's returns are packed without padding
MOST_PER_10000_S = 2


def measure(options):
    rows, absent = [], {}
    for path in map(pathlib.Path, FILES):
        if not path.exists():
            absent[path.name] = "it is not installed"
            continue
        done = subprocess.run([observers.PROGRAMS / "bench_patchable", path], check=True, capture_output=True, text=True)
        rows.append({**json.loads(done.stdout), "name": path.name})
    return {"rows": rows, "absent": absent}


def share(row):
    return row["patched"] / row["functions"]


def seconds(row):
    """Of 10,000 functions: reading the whole file's code, and planning each."""
    return (row["sweep_ns"] + row["plan_ns"] / row["functions"] * 10_000) / 1e9


def table(suite):
    lines = ["Functions with a name and a length. An entry by a jump behind the first instruction leaves that to others' probes; the rest is why not.", ""]
    kinds = sorted({kind for row in suite["rows"] for kind in row["kinds"]})
    rows = [[f"`{row['name']}`", f"{row['functions']:,}", f"**{100 * share(row):.1f} %**", *(f"{row['kinds'].get(kind, 0):,}" for kind in kinds),
             "; ".join(f"{count} {why}" for why, count in sorted(row["refusals"].items(), key=lambda one: -one[1])[:3])] for row in suite["rows"]]
    return lines + grid(["file", "functions", "patchable", *kinds, "most frequent reasons"], rows) + absences(suite)


def goals(suite):
    out = [goal(f"patchable-{row['name']}", f"{row['name']}: at least {100 * LEAST_OF.get(row['name'], LEAST):.0f} % of the functions",
                f"{100 * share(row):.1f} %", share(row) >= LEAST_OF.get(row["name"], LEAST)) for row in suite["rows"]]
    if suite["rows"]:
        slowest = max((row for row in suite["rows"] if row["functions"] <= 10_000), key=seconds)
        out.append(goal("patchable-time", f"10,000 functions planned in {MOST_PER_10000_S} s", f"{seconds(slowest):.1f} s: {slowest['name']}",
                        seconds(slowest) <= MOST_PER_10000_S))
    return out
