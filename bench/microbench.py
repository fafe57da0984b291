# SPDX-License-Identifier: Apache-2.0
"""Runs a program of Google Benchmark and takes the medians."""

import json
import subprocess

import observers

UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}
KNOWN = {"name", "run_name", "run_type", "family_index", "per_family_instance_index", "repetitions", "repetition_index",
         "threads", "iterations", "real_time", "cpu_time", "time_unit", "items_per_second", "aggregate_name",
         "aggregate_unit", "error_occurred", "error_message", "label"}


def medians(program, options, interleaved=True):
    """[{"run", "seconds", "items_per_second", "counters"}] of a program in bench/, by the name of the run."""
    command = [observers.PROGRAMS / program, "--benchmark_format=json",
               f"--benchmark_repetitions={max(options.rounds, 3)}", "--benchmark_report_aggregates_only=true",
               f"--benchmark_min_time={0.05 if options.quick else 0.3}"]
    if interleaved and not options.quick:
        command.append("--benchmark_enable_random_interleaving=true")
    out = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    wrong = [f"{row['name']}: {row['error_message']}" for row in out["benchmarks"] if row.get("error_occurred")]
    if wrong:
        raise observers.Wrong(f"{program}: " + "; ".join(wrong))
    rows = []
    for row in out["benchmarks"]:
        if row.get("aggregate_name") != "median":
            continue
        # A benchmark that sets its own times sets CPU times (see time_round in drain.h).
        clock = "real_time" if "/manual_time" in row["run_name"] else "cpu_time"
        rows.append({"run": row["run_name"].removesuffix("/manual_time"), "seconds": row[clock] * UNITS[row["time_unit"]],
                     "items_per_second": row.get("items_per_second"),
                     "counters": {key: value for key, value in row.items() if key not in KNOWN}})
    return rows
