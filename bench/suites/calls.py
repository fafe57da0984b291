# SPDX-License-Identifier: Apache-2.0
"""What a call of an empty function costs when it is observed."""

import sys

import observers
import stats
import tools
from suites import absences, goal, grid
from support import Target

TITLE = "What an observed call costs"
CALLS = observers.PROGRAMS / "calls"
THREADS = (1, 2, 4, 8)
CHEAP = ("push", "nop", "nop5")  # the kernel need not step through their first instruction
MOVABLE = ("endbr", "mov")  # dear at first, cheap where compmond puts its probe
FUNCTIONS = (*CHEAP, *MOVABLE, "sub")
STEPPED = 20  # so many times fewer calls where a probe is stepped through

RETURN_PROBE = [observers.Nothing, observers.Floor, observers.Clock, observers.Compmond, observers.CompmondScreen,
                tools.Bpftrace, tools.Funclatency, tools.Perf, tools.Uftrace]
RET_SITES = [observers.Nothing, observers.FloorSites, observers.CompmondSites]
# Where the first instruction is dear, how costs grow with threads is the same story for all tools: one stands for them.
STEPPED_THREADS = [observers.Nothing, observers.Floor, observers.Compmond, observers.CompmondScreen, tools.Bpftrace]


def cases(quick):
    calls = 100_000 if quick else 1_000_000
    every = (1, 2) if quick else THREADS
    return [{"function": function, "mode": mode, "threads": threads, "calls": calls} for mode in ("return-probe", "ret-sites")
            for function in FUNCTIONS for threads in every]


def observers_of(case):
    if case["mode"] == "ret-sites":
        return RET_SITES
    return RETURN_PROBE if case["function"] in CHEAP or case["threads"] == 1 else STEPPED_THREADS


def number_of_calls(observer, case):
    calls = case["calls"] * observer.share_of_calls
    stepped = case["mode"] == "ret-sites" or case["function"] == "sub" or (
        case["function"] in MOVABLE and not observer.moves)
    if stepped and observer.traps and observer is not observers.Nothing:
        calls /= STEPPED
    return int(calls)


def parse(out):
    _, wall_ns, _, cpu_ns, _, made = out.split()
    return float(wall_ns), float(cpu_ns), int(made)


def run(observer, case):
    """(wall, CPU) ns per call of one run under an observer whose figures were right."""
    function, calls = case["function"], number_of_calls(observer, case)
    if observer is tools.Uftrace:
        image = CALLS if function == "nop5" else observers.PROGRAMS / "calls_without_nop5"
        return parse(observer.run(image, function, [function, str(calls), str(case["threads"])], lambda out: parse(out)[2]))[:2]
    with Target(CALLS, function, calls, case["threads"]) as target:
        with observer(target.pid, CALLS, function) as at_work:
            out, status = target.finish()
            if status != 0:
                raise observers.Wrong(f"the target ended with {status}")
            wall_ns, cpu_ns, made = parse(out)
            at_work.check(made)
            return wall_ns, cpu_ns


def summarise(case, measured):
    out = {**case, "observers": {}}
    for name, values in measured.items():
        row = out["observers"][name] = {}
        for i, clock in enumerate(("wall", "cpu")):
            times = [value[i] for value in values]
            row[clock] = stats.spread(times)
            for base in ("floor", "bpftrace"):
                if base in measured and len(measured[base]) == len(times):
                    row[clock][f"to_{base}"] = stats.ratio(times, [value[i] for value in measured[base]])
    return out


def measure(options):
    all_cases = [case for case in cases(options.quick) if not options.function or case["function"] in options.function]
    known = dict.fromkeys(RETURN_PROBE + RET_SITES)
    usable, absent = observers.available([one for one in known if one.name not in options.without])
    measured = [{} for _ in all_cases]
    for number in range(options.rounds):
        for case, values in zip(all_cases, measured):
            order = [one for one in observers_of(case) if one in usable]
            for observer in order if number % 2 == 0 else reversed(order):
                key = f"{observer.name} of {case['function']}"
                if key in absent:
                    continue
                try:
                    values.setdefault(observer.name, []).append(run(observer, case))
                except observers.Absent as reason:
                    absent[key] = str(reason)
                except observers.Wrong as reason:
                    if observer.__module__ != tools.__name__:
                        raise
                    absent[key] = str(reason)  # another's figure: told, and no reason to end
        print(f"  round {number + 1} of {options.rounds}", file=sys.stderr)
    for values in measured:
        for name in [name for name, times in values.items() if len(times) < options.rounds]:
            del values[name]
    if tools.Perf.off_share > 0:
        absent["some events of perf"] = f"its count was up to {tools.Perf.off_share:.1%} off"
    return {"rows": [summarise(case, values) for case, values in zip(all_cases, measured)], "absent": absent}


def cell(observer):
    if observer is None:
        return "–"
    wall = observer["wall"]
    text = f"{wall['median']:,.0f} ({wall['min']:,.0f}–{wall['max']:,.0f})"
    if "to_floor" in wall:
        text += f" **{stats.show(wall['to_floor'])}**, CPU {observer['cpu']['to_floor']['ratio']:.2f}"
    return text


def table(suite):
    names = [observer.name for observer in RETURN_PROBE
             if any(observer.name in row["observers"] for row in suite["rows"])]
    lines = ["ns per call of an empty function (wall time / all calls): median (min–max), **ratio to the floor [95 % interval]**, ratio "
             "of the target's CPU time, in which what an observer does in processes of its own is not. The floor is an empty BPF program at the same place: what the kernel alone takes. Whoever keeps figures had to count "
             "exactly the calls that were made.", "",
             *(f"* {observer.name}: {observer.__doc__}" for observer in RETURN_PROBE if observer.name in names), ""]
    rows = []
    for row in suite["rows"]:
        none = row["observers"]["none"]["wall"]["median"]
        cells = [f"{none:,.1f}" if name == "none" else cell(row["observers"].get(name)) for name in names]
        rows.append([f"`{row['function']}`", row["mode"], str(row["threads"]), *cells])
    return lines + grid(["first instruction", "exit mode", "threads", *names], rows) + absences(suite)


def worst(suite, function, to, threads):
    """The largest ratio of compmond's time, over numbers of threads."""
    found = [(row["observers"]["compmond"]["wall"][to], row["threads"]) for row in suite["rows"]
             if row["function"] == function and row["mode"] == "return-probe" and row["threads"] in threads
             and to in row["observers"].get("compmond", {}).get("wall", {})]
    return max(found, key=lambda one: one[0]["ratio"]) if found else (None, None)


def ratio_goal(key, text, suite, function, to, threads, limit):
    found, at = worst(suite, function, to, threads)
    if found is None:
        return goal(key, text, "not measured", None)
    return goal(key, text, f"{stats.show(found)}" + (f" at {at} threads" if at > 1 else ""), found["ratio"] <= limit)


def transport_goal(suite, function):
    """What carrying the records costs the target, over programs that only read the clock, in CPU time."""
    text = f"`{function}`: carrying records ≤ 1.15 × of reading the clock alone (the target's CPU time, one to four threads)"
    found = []
    for row in suite["rows"]:
        seen = row["observers"]
        if row["function"] == function and row["mode"] == "return-probe" and row["threads"] <= 4 and {"clock", "compmond"} <= set(seen):
            found.append((stats.ratio(seen["compmond"]["cpu"]["rounds"], seen["clock"]["cpu"]["rounds"]), row["threads"]))
    if not found:
        return goal(f"transport-{function}", text, "not measured", None)
    worst_of, at = max(found, key=lambda one: one[0]["ratio"])
    return goal(f"transport-{function}", text, f"{stats.show(worst_of)}" + (f" at {at} threads" if at > 1 else ""), worst_of["ratio"] <= 1.15)


def goals(suite):
    out = []
    for function in CHEAP:
        out.append(transport_goal(suite, function))
        out.append(ratio_goal(f"floor-{function}", f"`{function}`: ≤ 1.15 × floor at any number of threads", suite, function,
                              "to_floor", THREADS, 1.15))
        out.append(ratio_goal(f"bpftrace-{function}-1", f"`{function}`: ≤ 0.9 × bpftrace with one thread", suite, function,
                              "to_bpftrace", (1,), 0.9))
        out.append(ratio_goal(f"bpftrace-{function}-n", f"`{function}`: ≤ 0.75 × bpftrace with two and more", suite, function,
                              "to_bpftrace", THREADS[1:], 0.75))
    alone = {row["function"]: row["observers"]["compmond"]["wall"]["rounds"] for row in suite["rows"]
             if row["threads"] == 1 and row["mode"] == "return-probe" and "compmond" in row["observers"]}
    for function in MOVABLE:
        text = f"`{function}`: ≤ 1.3 × compmond's own `push`"
        if function in alone and "push" in alone:
            found = stats.ratio(alone[function], alone["push"])
            out.append(goal(f"moved-{function}", text, stats.show(found), found["ratio"] <= 1.3))
        else:
            out.append(goal(f"moved-{function}", text, "not measured", None))
    return out
