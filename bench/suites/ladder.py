# SPDX-License-Identifier: Apache-2.0
"""The ladder of Kieker's benchmark MooBench: a call that takes 100 µs, made of ever more executions within each other."""

import statistics
import sys

import observers
import stats
from suites import absences, goal, grid
from support import Target

TITLE = "What executions within each other cost"
LADDER = observers.PROGRAMS / "ladder"
DEPTHS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
DEEP = 128
WORK_US = 100
STEPS = [observers.Nothing, observers.Floor, observers.Compmond, observers.CompmondRecord]
NAMES = {"none": "baseline", "floor": "probe only", "compmond": "collect", "record": "record to disk"}


def run(observer, depth, calls):
    """µs of CPU time of one call from outside, without the slowest twentieth."""
    with Target(LADDER, depth, calls, WORK_US) as target:
        with observer(target.pid, LADDER, "ladder", depth) as at_work:
            out, status = target.finish()
            if status != 0:
                raise observers.Wrong(f"the target ended with {status}")
            _, us, _, executions = out.split()
            at_work.check(int(executions))
            return float(us)


def measure(options):
    chosen, absent = observers.available([one for one in STEPS if one.name not in options.without])
    depths = (1, 4, 7, 10, DEEP) if options.quick else (*DEPTHS, DEEP)
    measured = {depth: {one.name: [] for one in chosen} for depth in depths}
    for number in range(options.rounds):
        for depth in depths:
            for observer in chosen if number % 2 == 0 else reversed(chosen):
                measured[depth][observer.name].append(run(observer, depth, 1000 if options.quick else 4000))
        print(f"  round {number + 1} of {options.rounds}", file=sys.stderr)
    rows = [{"depth": depth, "us": {name: stats.spread(times) for name, times in of.items()}}
            for depth, of in measured.items()]
    lines = {}
    for observer in chosen:
        # What observing adds to a call, round by round beside the baseline: the work itself is the same 100 µs.
        xs, ys = [], []
        for depth in depths:
            if depth != DEEP:
                xs.append(depth)
                ys.append(statistics.median(
                    us - base for us, base in zip(measured[depth][observer.name], measured[depth]["none"])))
        if observer is not observers.Nothing:
            lines[observer.name] = {**stats.line(xs, ys), "points": list(zip(xs, ys))}
    return {"rows": rows, "absent": absent, "lines": lines, "bytes_per_event": observers.CompmondRecord.bytes_per_event}


def table(suite):
    names = list(suite["rows"][0]["us"])
    lines = [f"µs of CPU time per call from outside (median of the rounds; in each the mean without the slowest twentieth): {WORK_US} µs of work at "
             "the bottom of a recursion, every level of which is observed. What kernels do for return probes ends at "
             f"{observers.RETURN_PROBES_DEEP} levels: of {DEEP}, the outer ones return unseen.", ""]
    rows = [[str(row["depth"]), *(f"{row['us'][name]['median']:,.2f}" for name in names)] for row in suite["rows"]]
    lines += grid(["depth", *(NAMES[name] for name in names)], rows)
    lines += ["", "A straight line through what each adds, depths 1 to 10:", ""]
    lines += grid(["", "µs per execution", "µs per call", "r"],
                  [[NAMES[name], f"{line['slope']:.3f}", f"{line['start']:.2f}", f"{line['r']:.4f}"]
                   for name, line in suite["lines"].items()])
    if suite["bytes_per_event"]:
        lines += ["", f"The log took {suite['bytes_per_event']:.2f} bytes per event."]
    return lines + absences(suite)


def goals(suite):
    fullest = "record" if "record" in suite["lines"] else "compmond"
    line = suite["lines"].get(fullest)
    text = "ladder: everything on, including the log, ≤ 1.5 µs per execution"
    out = []
    if line is None:
        return [goal("ladder", text, "not measured", None)]
    without = "" if fullest == "record" else " (without the log)"
    out.append(goal("ladder", text, f"{line['slope']:.2f} µs{without}", line["slope"] <= 1.5))
    r = min(one["r"] for one in suite["lines"].values())
    out.append(goal("ladder-r", "ladder: linear in depth, r ≥ 0.99", f"r ≥ {r:.4f}", r >= 0.99))
    written = suite["bytes_per_event"]
    out.append(goal("log-bytes", "log: ≤ 8 bytes per event on disk", f"{written:.2f} bytes" if written else "not measured",
                    written <= 8 if written else None))
    return out
