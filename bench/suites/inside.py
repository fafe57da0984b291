# SPDX-License-Identifier: Apache-2.0
"""What compmond's own work costs, in memory, on one core: from the kernel's records to the answers of views."""

import microbench
from suites import goal, grid

TITLE = "Inside compmond"
# Curves of one chart: title, what the size is, benchmarks, and whether what is shown is per item (else per round).
GROWTH = [
    ("Per event, by observed threads", "threads", ["decode", "pair", "store", "decode_pair", "decode_pair_store"], True),
    ("Per event, by events since the start", "events", ["grow_events"], True),
    ("Per event, by operations (four to a component)", "operations", ["grow_operations"], True),
    ("Per event, by calls within each other", "depth", ["grow_depth"], True),
    ("The figures of a window, by executions in it", "executions", ["figures"], False),
    ("The figures of a window, by its length", "seconds", ["figures_by_window", "figures_from_tiles"], False),
    ("The figures of the last 10 s, by the length of the run", "seconds", ["figures_by_run"], False),
]


def measure(options):
    rows = []
    for row in microbench.medians("bench_inside", options):
        name, *arguments = row.pop("run").split("/")
        rows.append({"name": name, "size": "/".join(arguments), **row})
    return {"rows": rows, "absent": {}}


def table(suite):
    def of(row):
        rate = f"{row['items_per_second'] / 1e6:,.1f}" if row["items_per_second"] else ""
        more = ", ".join(f"{key} {value:,.4g}" for key, value in row["counters"].items())
        return [f"`{row['name']}`", row["size"], f"{row['seconds'] * 1e3:,.4f}", rate, more]

    return ["CPU time of one core, median of the repetitions. Two events are one execution. What the benchmarks do stands in "
            "`bench/inside.cpp`.", ""] + grid(["step", "size", "ms per round", "M items per second", ""], map(of, sorted(suite["rows"], key=place)))


def place(row):
    return row["name"], number(row["size"]) or 0


def family(suite, name):
    """Rows of a benchmark with one numeric size, by size."""
    rows = [row for row in suite["rows"] if row["name"] == name and number(row["size"]) is not None]
    return sorted(rows, key=lambda row: number(row["size"]))


def number(size):
    text = size.split("/")[0].split(":")[-1]
    return int(text) if text.isdigit() else None


def costs(suite, names):
    """Seconds per item where items are counted, else per round, over all sizes."""
    return [1 / row["items_per_second"] if row["items_per_second"] else row["seconds"] for row in suite["rows"]
            if row["name"] in names]


def at_least(key, text, found, limit):
    """Of costs per event: how many events per second the dearest size leaves."""
    if not found:
        return goal(key, text, "not measured", None)
    return goal(key, text, f"{1e-6 / max(found):.1f} M events/s", 1 / max(found) >= limit)


def at_most(key, text, suite, names, limit_ms):
    times = [row["seconds"] * 1e3 for row in suite["rows"] if row["name"] in names]
    if not times:
        return goal(key, text, "not measured", None)
    return goal(key, text, f"{max(times):.2f} ms", max(times) <= limit_ms)


def constant(key, text, found, limit=1.5):
    """The dearest size beside the cheapest one."""
    if len(found) < 2:
        return goal(key, text, "not measured", None)
    grown = max(found) / min(found)
    return goal(key, text, f"{grown:.2f} ×", grown <= limit)


def goals(suite):
    whole = costs(suite, ["decode_pair_store"])
    return [
        at_least("inside-events", "decode, pair, store: ≥ 15 M events/s on one core, at any number of threads", whole, 15e6),
        constant("inside-threads", "the same per event from 1 to 10,000 threads (within 1.5 ×)", whole),
        constant("inside-growth", "the same per event from 10⁴ to 10⁸ events (within 1.5 ×)", costs(suite, ["grow_events"])),
        at_most("inside-figures", "the figures of a window: ≤ 2 ms", suite, ["figures", "figures_by_run", "figures_by_window", "figures_from_tiles"], 2),
        constant("inside-day", "the figures of the last 10 s, of runs of 20 s to a day: within 1.5 ×", costs(suite, ["figures_by_run"])),
        at_most("inside-json", "a snapshot of 1,000 components as JSON: ≤ 10 ms", suite, ["to_json"], 10),
        at_most("inside-answer", "an answer of 60 components in 1,000 columns and 4,000 executions, 25 times a second: ≤ 4 ms to write, and to read",
                suite, ["write_answer", "read_answer"], 4),
    ]
