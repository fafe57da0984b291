# SPDX-License-Identifier: Apache-2.0
"""What compmond's own work costs, in memory, on one core: from the kernel's records to the answers of views."""

import json
import subprocess

import observers
from suites import goal, grid

TITLE = "Inside compmond"
UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}  # of Google Benchmark
KNOWN = {"name", "run_name", "run_type", "family_index", "per_family_instance_index", "repetitions", "repetition_index",
         "threads", "iterations", "real_time", "cpu_time", "time_unit", "items_per_second", "aggregate_name",
         "aggregate_unit", "error_occurred", "error_message", "label"}


def measure(options):
    command = [observers.PROGRAMS / "bench_inside", "--benchmark_format=json",
               f"--benchmark_repetitions={max(options.rounds, 3)}", "--benchmark_report_aggregates_only=true",
               f"--benchmark_min_time={0.05 if options.quick else 0.3}"]
    if not options.quick:
        command.append("--benchmark_enable_random_interleaving=true")
    out = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    wrong = [f"{row['name']}: {row['error_message']}" for row in out["benchmarks"] if row.get("error_occurred")]
    if wrong:
        raise observers.Wrong("bench_inside: " + "; ".join(wrong))
    rows = []
    for row in out["benchmarks"]:
        if row.get("aggregate_name") != "median":
            continue
        name, *arguments = row["run_name"].removesuffix("/manual_time").split("/")
        # A benchmark that sets its own times sets CPU times (see time_round in inside.cpp).
        clock = "real_time" if "/manual_time" in row["run_name"] else "cpu_time"
        rows.append({"name": name, "size": "/".join(arguments), "seconds": row[clock] * UNITS[row["time_unit"]],
                     "items_per_second": row.get("items_per_second"),
                     "counters": {key: value for key, value in row.items() if key not in KNOWN}})
    return {"rows": rows, "absent": {}}


def table(suite):
    def of(row):
        rate = f"{row['items_per_second'] / 1e6:,.1f}" if row["items_per_second"] else ""
        more = ", ".join(f"{key} {value:,.4g}" for key, value in row["counters"].items())
        return [f"`{row['name']}`", row["size"], f"{row['seconds'] * 1e3:,.4f}", rate, more]

    return ["CPU time of one core, median of the repetitions. Two events are one execution. What the benchmarks do stands in "
            "`bench/inside.cpp`.", ""] + grid(["step", "size", "ms per round", "M items per second", ""], map(of, suite["rows"]))


def family(suite, name):
    """Rows of a benchmark with one numeric size, by size."""
    rows = [row for row in suite["rows"] if row["name"] == name and number(row["size"]) is not None]
    return sorted(rows, key=lambda row: number(row["size"]))


def number(size):
    text = size.split("/")[0].split(":")[-1]
    return int(text) if text.isdigit() else None


def at_least(suite, name, limit, text):
    rates = [row["items_per_second"] for row in suite["rows"] if row["name"] == name and row["items_per_second"]]
    if not rates:
        return goal(f"inside-{name}", text, "not measured", None)
    return goal(f"inside-{name}", text, f"{min(rates) / 1e6:.1f} M events/s", min(rates) >= limit)


def at_most(suite, name, limit_ms, text):
    times = [row["seconds"] * 1e3 for row in suite["rows"] if row["name"] == name]
    if not times:
        return goal(f"inside-{name}", text, "not measured", None)
    return goal(f"inside-{name}", text, f"{max(times):.2f} ms", max(times) <= limit_ms)


def constant(suite, name, limit, text, of=lambda row: 1 / row["items_per_second"]):
    """The dearest size beside the cheapest one, per item."""
    costs = [of(row) for row in suite["rows"] if row["name"] == name and row["items_per_second"]]
    if len(costs) < 2:
        return goal(f"constant-{name}", text, "not measured", None)
    grown = max(costs) / min(costs)
    return goal(f"constant-{name}", text, f"{grown:.2f} ×", grown <= limit)


def goals(suite):
    return [
        at_least(suite, "decode_pair_store", 15e6, "decode, pair, store: ≥ 15 M events/s on one core, at any number of threads"),
        constant(suite, "decode_pair_store", 1.5, "the same per event from 1 to 10,000 threads (within 1.5 ×)"),
        at_most(suite, "figures", 2, "the figures of a window: ≤ 2 ms"),
        at_most(suite, "to_json", 10, "a snapshot of 1,000 components as JSON: ≤ 10 ms"),
    ]
