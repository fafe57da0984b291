# SPDX-License-Identifier: Apache-2.0
"""The charts of docs/performance.md: {suite: [(file name, what it shows, SVG)]} of the results of a run."""

import charts
from suites import calls, inside, ladder, programs, screen


def of_calls(suite):
    def times(row):
        return {name: (one["wall"]["median"], one["wall"]["min"], one["wall"]["max"])
                for name, one in row["observers"].items() if name != "none"}

    alone = {row["function"]: times(row) for row in suite["rows"] if row["threads"] == 1 and row["mode"] == "return-probe"}
    out = [("calls", "One thread, by first instruction",
            charts.bars("An observed call, one thread", "ns per call", alone, log_y=True))] if alone else []
    for function in calls.FUNCTIONS:
        lines = {}
        for row in suite["rows"]:
            if row["function"] != function or row["mode"] != "return-probe":
                continue
            for name, one in row["observers"].items():
                if name not in ("none", "uftrace") and "to_floor" in one["wall"]:
                    lines.setdefault(name, []).append((row["threads"], one["wall"]["to_floor"]["ratio"]))
        if lines and len(next(iter(lines.values()))) > 1:
            ticks = [x for x, _ in next(iter(lines.values()))]
            out.append((f"threads-{function}", f"First instruction `{function}`, by number of threads",
                        charts.lines(f"An observed call, first instruction {function}", "threads", "× floor", lines,
                                     log_x=True, ticks=ticks)))
    return out


def of_ladder(suite):
    lines = {ladder.NAMES[name]: line["points"] for name, line in suite["lines"].items()}
    return [("ladder", "Recursion depth", charts.lines("What observing adds to a call", "executions within each other",
                                                       "µs added", lines))]


def of_programs(suite):
    groups = {programs.LOAD_NAMES[row["load"]]: {
        name: (one["to_none"]["ratio"], one["to_none"]["low"], one["to_none"]["high"])
        for name, one in row["observers"].items() if name != "none"} for row in suite["rows"]}
    drawn = charts.bars("PostgreSQL, 30 operations observed", "transactions, × unobserved", groups) if groups else None
    return [("programs", "Transactions", drawn)] if drawn else []


def growth(suite, title, x_label, names, per_item):
    """What one costs as there are more of them; None with fewer than three sizes."""
    lines = {}
    for name in names:
        rows = inside.family(suite, name)
        if len(rows) >= 3:
            lines[name] = [(inside.number(row["size"]), 1e9 / row["items_per_second"] if per_item else row["seconds"] * 1e6)
                           for row in rows]
    return charts.lines(title, x_label, "ns per event" if per_item else "µs", lines, log_x=True) if lines else None


def of_inside(suite):
    drawn = [("growth-" + names[-1].replace("_", "-"), title, growth(suite, title, x_label, names, per_item))
             for title, x_label, names, per_item in inside.GROWTH]
    return [chart for chart in drawn if chart[2]]


def of_screen(suite):
    age = (screen.ages(suite) or [0])[-1]
    lines = {view: points for view in screen.views(suite) if len(points := screen.of_view(suite, view, age)) >= 3}
    return [("screen", "A frame of the screen, by components", charts.lines(
        "To build a frame, after an hour", "components", "µs", lines, log_x=True, log_y=True))] if lines else []


SUITES = {"calls": of_calls, "ladder": of_ladder, "programs": of_programs, "screen": of_screen, "inside": of_inside}


def of(results, name):
    return SUITES[name](results["suites"][name]) if name in SUITES else []
