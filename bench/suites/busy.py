# SPDX-License-Identifier: Apache-2.0
"""What the default settings cost busy servers, as their clients see it; and how soon these go on when observing begins."""

import contextlib
import sys
import threading
import time

import observers
import stats
import timed_clients
from suites import absences, goal, grid
from support import Profiler

TITLE = "What a busy server loses under the default budget"
ROUNDS, QUICK_ROUNDS = 20, 3
SECONDS, QUICK_SECONDS = 6, 3
BUDGET = 5  # %, the default
MOST_LOST = BUDGET + 2
WARM_S, QUICK_WARM_S = 5, 2  # of clients, while a run becomes busy and learns what its probes cost
ALONE_S, BESIDE_S = 2, 6  # before compmond is started, and after that: on a busy machine it takes some seconds
PAUSE_S = 4  # of each client, once it is connected
MOST_SLOW_S = 0.06


def profiler(load):
    return Profiler(load.spec, *load.target(), options=("--max-overhead", BUDGET))


def once(load, observed, warm_s, seconds):
    if not observed:
        load.run(warm_s)
        return load.run(seconds)
    with profiler(load) as running:
        load.run(warm_s)
        found = load.run(seconds)
        return {**found, "overhead_pct": running.finish(end=True)["health"]["overhead_pct"]}


def pairs(load, rounds, warm_s, seconds):
    """Without and with, in turn, forwards and backwards."""
    load.run(2)  # what is new is slow
    found = {False: [], True: []}
    for number in range(rounds):
        for observed in (False, True) if number % 2 == 0 else (True, False):
            found[observed].append(once(load, observed, warm_s, seconds))
        without, observed = found[False][-1]["per_second"], found[True][-1]["per_second"]
        print(f"  {load.name}, round {number + 1} of {rounds}: {without:,.0f} and {observed:,.0f} a second", file=sys.stderr)
    return found


def compared(load, found):
    def of(key):
        bases, values = ([one[key] for one in found[observed]] for observed in (False, True))
        return {"none": stats.spread(bases), "observed": stats.spread(values), "to_none": stats.ratio(values, bases)}

    charged = stats.spread([one["overhead_pct"] for one in found[True]])
    return {"load": load.name, "rounds": len(found[True]), "charged_pct": charged, **{key: of(key) for key in ("per_second", "p99_ms", "longest_ms")}}


def start_on_busy(load):
    """How long clients are below half of their speed when observing begins while they run; and before that."""
    rows = []
    clients = threading.Thread(target=lambda: rows.extend(load.clients(ALONE_S + BESIDE_S)))
    clients.start()
    time.sleep(ALONE_S)
    began = time.time()
    with profiler(load) as running:
        ready = time.time()
        clients.join()
        running.finish(end=True)
    ends = [when for when, _ in rows]
    if ready > ends[-1] - 1:
        raise observers.Wrong("compmond was ready when the clients had ended")
    first = ends[0] + 0.5  # what is new is slow
    per_second = timed_clients.usual(ends, first, began)
    return {"slow_s": timed_clients.below_half_s(ends, began, ends[-1], per_second),
            "alone_s": timed_clients.below_half_s(ends, first, began, per_second)}


def idle_then_busy(load):
    """Likewise when clients go on under an observer that saw an idle server until then; and without one."""
    slow = {}
    for observed in (True, False):
        with contextlib.ExitStack() as inner:
            running = inner.enter_context(profiler(load)) if observed else None
            rows = load.pausing(PAUSE_S + 4, PAUSE_S)
            if running:
                running.finish(end=True)
        ends = [when for when, _ in rows]
        goes_on = max(when for when, took in rows if took > PAUSE_S / 2)
        if not observed:
            per_second = timed_clients.usual(ends, goes_on + 0.5, ends[-1])
        slow[observed] = (ends, goes_on)
    return {key: timed_clients.below_half_s(ends, goes_on, goes_on + 2, per_second)
            for key, (ends, goes_on) in (("slow_s", slow[True]), ("alone_s", slow[False]))}


BEGINS = {"when compmond begins on a busy server": start_on_busy, "when an idle server that it observes gets busy": idle_then_busy}


def measure(options):
    rounds = options.asked_rounds or (QUICK_ROUNDS if options.quick else ROUNDS)
    rows, begins, absent = [], {}, {}
    for kind in timed_clients.ALL:
        try:
            with kind() as load:
                rows.append(compared(load, pairs(load, rounds, *((QUICK_WARM_S, QUICK_SECONDS) if options.quick else (WARM_S, SECONDS)))))
                if kind is timed_clients.Pgbench:
                    begins = {words: [once_more(load) for _ in range(rounds)] for words, once_more in BEGINS.items()}
        except observers.Absent as reason:
            absent[kind.name] = str(reason)
    return {"rows": rows, "begins": begins, "absent": absent}


COLUMNS = (("per_second", "requests per second", ",.0f"), ("p99_ms", "p99, ms", ".2f"), ("longest_ms", "longest, ms", ".1f"))


def table(suite):
    def cells(of, form):
        return [f"{of[side]['median']:{form}} ({of[side]['min']:{form}}–{of[side]['max']:{form}})" for side in ("none", "observed")]
    lines = ["Without an observer and below `compmond` as it is by default, in turn; clients, server and compmond on the same processors. Median "
             "(min–max) of the rounds, **ratio to no observer [95 % interval]**.", ""]
    rows = [[row["load"], title, *cells(row[key], form), f"**{stats.show(row[key]['to_none'], '.3f')}**",
             f"{row['charged_pct']['median']:.1f} %" if key == "per_second" else ""]
            for row in suite["rows"] for key, title, form in COLUMNS]
    lines += grid(["load", "what", "unobserved", "observed", "ratio", "charged"], rows)
    for words, found in suite["begins"].items():
        lines += ["", f"Below half speed at a time {words} (pgbench -S, {len(found)} times): "
                  + ", ".join(f"{1e3 * one['slow_s']:.0f}" for one in found) + " ms; without it "
                  + ", ".join(f"{1e3 * one['alone_s']:.0f}" for one in found) + " ms."]
    return lines + absences(suite)


def goals(suite):
    out = []
    for row in suite["rows"]:
        per_second, p99 = row["per_second"]["to_none"], row["p99_ms"]
        lost = [100 * (1 - per_second[key]) for key in ("ratio", "high", "low")]
        out.append(goal(f"busy-{row['load']}", f"{row['load']}: loses at most the budget and 2 points",
                        f"{lost[0]:.1f} % [{lost[1]:.1f}–{lost[2]:.1f}]", lost[0] <= MOST_LOST))
        most = 2 * p99["none"]["median"] + 0.3
        out.append(goal(f"busy-p99-{row['load']}", f"{row['load']}: p99 at most twice that of no observer and 0.3 ms",
                        f"{p99['observed']['median']:.2f} ms, at most {most:.2f}", p99["observed"]["median"] <= most))
    for words, found in suite["begins"].items():
        met = sum(one["slow_s"] <= MOST_SLOW_S for one in found)
        out.append(goal(f"busy: {words}", f"{words}: at least half speed again within {1e3 * MOST_SLOW_S:.0f} ms",
                        f"{met} of {len(found)}", met == len(found)))
    return out
