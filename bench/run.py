#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what observing costs, as ratios: compmond beside an empty program at the same place (the floor) and beside
bpftrace, on the same target, in alternating rounds. Needs root. Writes results.json and results.md."""

import argparse
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
UNITS = {"ns": 1e-6, "us": 1e-3, "ms": 1, "s": 1e3}  # of Google Benchmark, in ms


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer calls and 3 rounds: a look, not a result")
    parser.add_argument("--rounds", type=int, help="rounds (default 5)")
    parser.add_argument("--only", action="append", choices=["push", "nop5", "endbr", "mov", "sub", "inside"],
                        help="measure this alone; may be given several times")
    parser.add_argument("--without", action="append", default=[], choices=["bpftrace"], help="leave this observer out")
    parser.add_argument("--build", default=ROOT / "build" / "release", type=pathlib.Path)
    parser.add_argument("--out", default=ROOT / "build" / "bench", type=pathlib.Path)
    return parser.parse_args()


def cases(quick, only):
    """What is measured: functions that the kernel steps through take 30 times as long, so they are called less."""
    fast, slow = (200_000, 5_000) if quick else (1_000_000, 20_000)
    all_cases = [{"function": function, "mode": "return-probe", "threads": threads, "calls": fast}
                 for function in ("push", "nop5") for threads in (1, 2, 4)]
    all_cases += [{"function": function, "mode": "return-probe", "threads": 1, "calls": calls}
                  for function, calls in (("endbr", fast), ("mov", fast), ("sub", slow))]
    all_cases += [{"function": function, "mode": "ret-sites", "threads": 1, "calls": slow}
                  for function in ("push", "nop5")]
    return [case for case in all_cases if not only or case["function"] in only]


def measure_calls(all_cases, rounds, without):
    import observers  # after COMPMOND_BUILD is set

    measured = [{} for _ in all_cases]
    for number in range(rounds):
        for case, values in zip(all_cases, measured):
            known = observers.RET_SITES if case["mode"] == "ret-sites" else observers.RETURN_PROBE
            names = [name for name in known if name not in without]
            for name in names if number % 2 == 0 else reversed(names):
                # bpftrace cannot move its probe: where compmond's is cheap, its own may be stepped.
                stepped = name == "bpftrace" and case["function"] in ("endbr", "mov")
                calls = case["calls"] // 20 if stepped else case["calls"]
                ns = observers.measure(known[name], case["function"], calls, case["threads"])
                values.setdefault(name, []).append(ns)
        print(f"round {number + 1} of {rounds} done", file=sys.stderr)
    return measured


def measure_inside(quick):
    out = subprocess.run([pathlib.Path(os.environ["COMPMOND_BUILD"]) / "bin" / "bench" / "bench_inside",
                          "--benchmark_format=json", f"--benchmark_min_time={0.1 if quick else 1}"],
                         check=True, stdout=subprocess.PIPE).stdout
    rows = json.loads(out)["benchmarks"]
    for row in rows:
        if row.get("error_occurred"):
            sys.exit(f"bench_inside: {row['name']}: {row['error_message']}")
    return [{"name": row["name"].removesuffix("/manual_time"), "ms": row["real_time"] * UNITS[row["time_unit"]],
             "items_per_second": row.get("items_per_second")} for row in rows]


def main():
    options = arguments()
    if os.geteuid() != 0:
        sys.exit("bench/run.py: attaching probes needs root; use scripts/bench")
    os.environ["COMPMOND_BUILD"] = str(options.build.resolve())
    sys.path.insert(0, str(ROOT / "bench"))
    sys.dont_write_bytecode = True
    import report

    machine = report.machine()
    rounds = options.rounds or (3 if options.quick else 5)
    all_cases = cases(options.quick, options.only)
    measured = measure_calls(all_cases, rounds, options.without)
    results = {"machine": machine, "rounds": rounds,
               "calls": [report.summarise(case, values) for case, values in zip(all_cases, measured)],
               "inside": measure_inside(options.quick) if not options.only or "inside" in options.only else []}
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "results.json").write_text(json.dumps(results, indent=2) + "\n")
    (options.out / "results.md").write_text(report.markdown(results))
    print(report.markdown(results))


if __name__ == "__main__":
    main()
