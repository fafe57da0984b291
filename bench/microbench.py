# SPDX-License-Identifier: Apache-2.0
"""Runs a program of Google Benchmark and takes the medians."""

import json
import statistics
import subprocess

import observers

UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}
KNOWN = {"name", "run_name", "run_type", "family_index", "per_family_instance_index", "repetitions", "repetition_index",
         "threads", "iterations", "real_time", "cpu_time", "time_unit", "items_per_second", "aggregate_name",
         "aggregate_unit", "error_occurred", "error_message", "label"}


def medians(program, options, interleaved=True):
    """[{"run", "seconds", "items_per_second", "counters"}] of a program in bench/, by the name of the run: of repetitions in
    mixed order or, where making what is measured takes long, of several passes over all of them."""
    repetitions = max(options.rounds, 3)
    if interleaved:
        runs = rows(program, options, f"--benchmark_repetitions={repetitions}", "--benchmark_enable_random_interleaving=true")
    else:
        runs = [row for _ in range(repetitions) for row in rows(program, options)]
    by_name = {}
    for row in runs:
        by_name.setdefault(row["run"], []).append(row)
    return [{"run": name, "seconds": statistics.median(row["seconds"] for row in of),
             "items_per_second": statistics.median(row["items_per_second"] for row in of) if of[0]["items_per_second"] else None,
             "counters": {key: statistics.median(row["counters"][key] for row in of) for key in of[0]["counters"]}}
            for name, of in by_name.items()]


def rows(program, options, *more):
    """Every repetition of every benchmark."""
    command = [observers.PROGRAMS / program, "--benchmark_format=json",
               f"--benchmark_min_time={0.05 if options.quick else 0.3}", *more]
    out = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    wrong = [f"{row['name']}: {row['error_message']}" for row in out["benchmarks"] if row.get("error_occurred")]
    if wrong:
        raise observers.Wrong(f"{program}: " + "; ".join(wrong))
    return [figures(row) for row in out["benchmarks"] if row["run_type"] == "iteration"]


def figures(row):
    # A benchmark that sets its own times sets CPU times (see time_round in drain.h).
    clock = "real_time" if "/manual_time" in row["run_name"] else "cpu_time"
    return {"run": row["run_name"].removesuffix("/manual_time"), "seconds": row[clock] * UNITS[row["time_unit"]],
            "items_per_second": row.get("items_per_second"),
            "counters": {key: value for key, value in row.items() if key not in KNOWN}}
