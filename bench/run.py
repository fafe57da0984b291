#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what observing costs, as ratios in alternating rounds: compmond beside an empty program at the same place (the
floor), beside other tools, and beside nothing. Needs root. Writes results.json and results.md."""

import argparse
import json
import os
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
ROUNDS, QUICK_ROUNDS = 7, 3


def arguments(names):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help=f"fewer calls and {QUICK_ROUNDS} rounds: a look, not a result")
    parser.add_argument("--rounds", type=int, help=f"rounds (default {ROUNDS}, outside 60, busy and switching 20)")
    parser.add_argument("--only", action="append", metavar="SUITE", choices=names,
                        help=f"measure this alone; may be given several times: {', '.join(names)}")
    parser.add_argument("--again", action="append", metavar="SUITE", choices=names,
                        help="measure this anew and keep the other results that are there; may be given several times")
    parser.add_argument("--function", action="append", help="of the suite calls, this first instruction alone; repeatable")
    parser.add_argument("--without", action="append", default=[], metavar="OBSERVER", help="leave it out; repeatable")
    parser.add_argument("--build", default=ROOT / "build" / "release", type=pathlib.Path)
    parser.add_argument("--out", default=ROOT / "build" / "bench", type=pathlib.Path)
    options = parser.parse_args()
    options.asked_rounds = options.rounds  # some suites have a number of their own
    options.rounds = options.rounds or (QUICK_ROUNDS if options.quick else ROUNDS)
    return options


def main():
    sys.dont_write_bytecode = True
    import suites

    options = arguments(suites.NAMES)
    if os.geteuid() != 0:
        sys.exit("bench/run.py: attaching probes needs root; use scripts/bench")
    os.environ["COMPMOND_BUILD"] = str(options.build.resolve())
    import machine
    import report

    described = machine.describe()
    results = {"machine": described, "rounds": options.rounds, "quick": options.quick, "suites": {}}
    options.out.mkdir(parents=True, exist_ok=True)
    if options.again:
        results = json.loads((options.out / "results.json").read_text(encoding="utf-8"))
    for name in options.again or options.only or suites.NAMES:
        print(f"== {name}", file=sys.stderr)
        began = time.monotonic()
        suite = suites.load(name).measure(options)
        again = {"again": described, "again_rounds": options.rounds} if options.again else {}
        results["suites"][name] = {**suite, "took_s": round(time.monotonic() - began), **again}
        # After each suite: what is measured stays, whatever happens to the next one.
        (options.out / "results.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
        (options.out / "results.md").write_text(report.markdown(results), encoding="utf-8")
    print(report.markdown(results))


if __name__ == "__main__":
    main()
