#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/performance.md and the charts in docs/performance/ from the results.json of one run of scripts/bench."""

import argparse
import json
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]

INTRODUCTION = """What compmond costs the program that it observes, and what its own work costs, beside other ways to do the same. All of this page
is written by `bench/write_performance.py` from one run of `scripts/bench`.

Times of one machine say little about another one: read ratios. What is compared runs in alternating rounds, forwards and backwards in
turn, and a ratio is the median of the ratios within the rounds, so that what the machine's mood does to both cancels out; its interval is
a 95 % bootstrap interval of that median. Where a tool keeps figures, they had to be right, or the run would not have counted."""

REPEAT = """## How to repeat it

    scripts/bench                  # sets up, builds, measures; half an hour to an hour, on a machine that does nothing else
    bench/write_performance.py     # this page, from build/bench/results.json

`scripts/bench --quick` is a look of some minutes, `--only SUITE` measures one part, `--without OBSERVER` leaves one out,
`--again SUITE` measures one anew and keeps the rest. Each suite is a small
file in `bench/suites/`: what it measures, how it shows it, and the goals that it is held against. Nothing in the tests depends on a time."""


def page(results, charts, report):
    lines = ["# Performance", "", INTRODUCTION, "", *report.head(results), "## Goals", "",
             "A miss is a miss: the reason and the next idea stand beside it.", "", *report.goal_table(results), ""]
    for name in results["suites"]:
        lines += report.suite_section(results, name)
        for file, what, _ in charts[name]:
            lines += [f"![{what}](performance/{file}.svg)", ""]
    return "\n".join([*lines, REPEAT, ""])


def main():
    sys.dont_write_bytecode = True
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", default=ROOT / "build" / "bench" / "results.json", type=pathlib.Path)
    parser.add_argument("--out", default=ROOT / "docs", type=pathlib.Path, help="folder of performance.md")
    options = parser.parse_args()
    os.environ.setdefault("COMPMOND_BUILD", str(ROOT / "build" / "release"))
    import plots
    import report
    import suites

    results = json.loads(options.results.read_text(encoding="utf-8"))
    missing = [name for name in suites.NAMES if name not in results["suites"]]
    if missing:
        print(f"write_performance.py: the run left out: {', '.join(missing)}", file=sys.stderr)
    charts = {name: plots.of(results, name) for name in results["suites"]}
    folder = options.out / "performance"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.svg"):
        old.unlink()
    for file, _, drawing in (chart for of in charts.values() for chart in of):
        (folder / f"{file}.svg").write_text(drawing, encoding="utf-8")
    (options.out / "performance.md").write_text(page(results, charts, report), encoding="utf-8")


if __name__ == "__main__":
    main()
