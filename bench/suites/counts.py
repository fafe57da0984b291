# SPDX-License-Identifier: Apache-2.0
"""How often operations are called that the default budget keeps away, as slices tell it, beside what the servers themselves say."""

import statistics
import sys
import time

import counted_loads
import loads
import observers
from suites import absences, goal, grid
from support import Profiler

TITLE = "Calls of busy servers beside their own books"
LOOKS, QUICK_LOOKS = (20, 60), (20,)  # s after the begin of a run
ROUNDS = 3
AWAY = 0.9  # of the window's time observed, at most
RATES = (100, 50_000)  # of calls a second, for which a figure may be expected
MOST_OFF = 0.10
FULL_S = 2


def operations(snapshot):
    return {one["name"]: one for part in snapshot["components"] for one in part["operations"]}


def calls_of_all(load):
    """Of a short run with all probes, as far as the load's mix is the same then."""
    with Profiler(load.spec, *load.target(), options=("--max-overhead", "off")) as profiler:
        time.sleep(FULL_S)
        return {name: one["calls"] for name, one in operations(profiler.finish(end=True)).items()}


def row(load, asked_s, snapshot, books, all_calls):
    """One snapshot: each operation that was away."""
    window = snapshot["window"]
    seconds = (window["end_ns"] - window["start_ns"]) / 1e9
    base = next((name for name in books if all_calls.get(name)), None)
    told = []
    for name, one in operations(snapshot).items():
        if one.get("observed_share", 1) > AWAY:
            continue
        rate = books.get(name) or (all_calls[name] * books[base] / all_calls[base] if base and name in all_calls else 0)
        told.append({"operation": name, "rate": rate / seconds, "books": books.get(name), "kind": load.kind(name), "seen": one["calls"],
                     "calls": one.get("estimated", {}).get("calls"), "why_not": one.get("not_extrapolated")})
    return {"load": load.name, "run": window["start_ns"], "asked_s": asked_s, "seconds": seconds, "operations": told,
            "slices": snapshot["health"].get("slices"), "overhead_pct": snapshot["health"]["overhead_pct"],
            "notes": snapshot["health"]["notes"]}


def one_run(load, looks):
    rows = []
    all_calls = calls_of_all(load)
    loads.settle()
    with Profiler(load.spec, *load.target(), options=("--max-overhead", "5")) as profiler:
        began = time.monotonic()
        for seconds in looks:
            time.sleep(max(0.0, began + seconds - time.monotonic()))
            rows.append((seconds, profiler.snapshot_now()))
        profiler.finish(end=True)
    loads.settle()  # what the server wrote down arrives
    return [row(load, seconds, snapshot, load.books(snapshot["window"]), all_calls) for seconds, snapshot in rows]


def measure(options):
    rows, absent = [], {}
    for number in range(options.asked_rounds or (1 if options.quick else ROUNDS)):
        for kind in counted_loads.ALL:
            try:
                with kind() as load:
                    rows += one_run(load, QUICK_LOOKS if options.quick else LOOKS)
            except observers.Absent as reason:
                absent[kind.name] = str(reason)
                continue
            print(f"  round {number + 1}, {kind.name}: {text_of(rows[-1:])}", file=sys.stderr)
    return {"rows": rows, "absent": absent}


class Summary:
    def __init__(self, rows):
        both = [one for row in rows for one in row["operations"] if one["books"] and one["calls"]]
        self.alone, self.alone_held = self.independent(rows)
        self.told = len(both)
        self.held = sum(low <= one["books"] <= high for one in both for _, low, high in [one["calls"]])
        self.half_widths = [(high - low) / 2 / value for one in both for value, low, high in [one["calls"]]]
        self.off = [abs(one["calls"][0] / one["books"] - 1) for one in both]
        usual = [one for row in rows for one in row["operations"] if RATES[0] <= one["rate"] <= RATES[1]]
        self.usual, self.given = len(usual), sum(bool(one["calls"]) for one in usual)


    @staticmethod
    def independent(rows):
        """(how many, how many hold): of each run's last look one per kind of request, the first by name."""
        last = {row["run"]: row for row in rows}
        chosen = []
        for row in last.values():
            by_kind = {}
            for one in sorted(row["operations"], key=lambda one: one["operation"]):
                if one["books"] and one["calls"] and one["kind"]:
                    by_kind.setdefault(one["kind"], one)
            chosen += by_kind.values()
        return len(chosen), sum(one["calls"][1] <= one["books"] <= one["calls"][2] for one in chosen)


def percent(values, of):
    return f"{100 * of(values):.1f} %" if values else "none"


def cells(rows):
    one = Summary(rows)
    return [f"{one.given} of {one.usual}", f"{one.held} of {one.told}", f"{one.alone_held} of {one.alone}", percent(one.half_widths, statistics.median),
            percent(one.off, statistics.median), percent(one.off, max)]


def text_of(rows):
    return ", ".join(f"{head} {cell}" for head, cell in zip(HEAD[2:], cells(rows)))


HEAD = ["load", "after", "told", "the interval holds", "of one per kind of request", "median half-width", "median off", "most off"]


def table(suite):
    groups = {}
    for one in suite["rows"]:
        groups.setdefault((one["load"], one["asked_s"]), []).append(one)
    lines = [[load, f"{seconds} s", *cells(rows)] for (load, seconds), rows in groups.items()]
    return [f"Operations that the budget of 5 % keeps away. Told: of those that are called {RATES[0]} to {RATES[1]:,} times a second those with a "
            "figure; all else: of those with a figure that the server counts as well.", ""] + grid(HEAD, lines) + absences(suite)


def goals(suite):
    out = []
    all_of = Summary(suite["rows"])
    if all_of.alone:
        held, half, off = all_of.alone_held / all_of.alone, statistics.median(all_of.half_widths), max(all_of.off)
        out += [goal("counts: intervals", "≥ 90 % of the intervals hold what the server counted", f"{100 * held:.0f} % of {all_of.alone}", held >= 0.9),
                goal("counts: half-width", "median half-width ≤ 5 %", f"{100 * half:.1f} %", half <= 0.05),
                goal("counts: off", "none off by more than 10 %", f"{100 * off:.1f} %", off <= MOST_OFF)]
    for seconds, least, words in ((20, 1 / 2, "half"), (60, 2 / 3, "two thirds")):
        of = Summary([one for one in suite["rows"] if one["asked_s"] == seconds])
        if of.usual:
            out.append(goal(f"counts: told after {seconds} s",
                            f"{words} of what is called {RATES[0]} to {RATES[1]:,} times a second told after {seconds} s",
                            f"{of.given} of {of.usual}", of.given >= least * of.usual))
    return out
