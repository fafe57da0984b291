# SPDX-License-Identifier: Apache-2.0
"""What a component costs that is switched off while it is observed, and whether the other one misses anything then."""

import json
import pathlib
import subprocess
import sys
import time

import observers
import stats
import support
from suites import goal, grid

TITLE = "What is switched off"
SWITCHED = observers.PROGRAMS / "switched"
COMPONENTS = {"Dear": "often", "Other": "seldom"}  # and the one function of each
ROUNDS, QUICK_ROUNDS = 20, 3  # four minutes
TURN_S = 0.5
LEAST_SPEED = 0.97

STATES = NONE, OTHER, ON, OFF, PAUSED = "no observer", "Other alone", "Dear and Other", "Dear switched off", "all probes paused"
BASES = {OTHER: NONE, ON: NONE, OFF: OTHER, PAUSED: NONE}  # what the speed of each is held against


def alternately(state, off, on):
    """One run's turns: (state, the words of compmond control that lead to it); twice there and back."""
    return [(ON, ()), *[(state, off), (ON, on)] * 2]


RUNS = [  # (components of the spec, turns), each beside what it is held against
    (("Other",), [(OTHER, ())] * 2),
    (("Dear", "Other"), alternately(OFF, ("disable", "Dear"), ("enable", "Dear"))),
    (("Dear", "Other"), alternately(PAUSED, ("pause-probes",), ("resume-probes",))),
    ((), [(NONE, ())] * 2),
]


def parse(line):
    _, _, _, seldom, _, cpu_ns = line.split()
    return int(seldom), int(cpu_ns)


def look(target):
    """What it did so far, by its own books: (loops, each of which has one call of seldom(); ns of CPU time)."""
    target.release()
    return parse(support.read_line(target.process.stdout, "the target's books"))


def control(profiler, words):
    """The switch, and between which moments it was made."""
    before = time.monotonic_ns()
    subprocess.run([support.COMPMOND, "control", str(profiler.process.pid), *words], check=True, stdout=subprocess.DEVNULL)
    return {"on": words[0] in ("enable", "resume-probes"), "what": "".join(words[1:]), "before_ns": before, "after_ns": time.monotonic_ns()}


def take_turns(target, profiler, turns):
    """([(state, loops of the target, ns of CPU time)], the switches)"""
    rows, switches = [], []
    for state, words in turns:
        if words:
            switches.append(control(profiler, words))
        loops, cpu_ns = look(target)
        time.sleep(TURN_S)
        loops_after, cpu_ns_after = look(target)
        rows.append((state, loops_after - loops, cpu_ns_after - cpu_ns))
    return rows, switches


def books_of(target):
    out, status = target.finish()
    if status != 0:
        raise observers.Wrong(f"the target ended with {status}")
    return parse(out.splitlines()[-1])[0]


def agree(snapshot, switches):
    """How many of the switches a snapshot tells of, each in its time."""
    told = snapshot["health"]["switches"]
    if len(told) != len(switches):
        return 0
    return sum((one["on"], one["what"]) == (made["on"], made["what"]) and made["before_ns"] <= one["at_ns"] <= made["after_ns"]
               for one, made in zip(told, switches))


def check(live, replayed, books, switches, missed):
    """What both snapshots tell, beside the target's books; `missed`: the other one was off, too, so that it has fewer calls."""
    other = [support.operation(snapshot, COMPONENTS["Other"]) for snapshot in (live, replayed)]
    told = [calls for one in other for calls in (one["calls"], one["closed"]["returned"])]
    health = live["health"]
    return {"books": books, "told": told, "lost": health["lost"], "balanced": health["balanced"], "missed": missed, "switches": len(switches),
            "moments": [agree(snapshot, switches) for snapshot in (live, replayed)]}


def observed(target, components, turns):
    spec = support.spec([], SWITCHED, components=[{"name": name, "in": [COMPONENTS[name]]} for name in components])
    with support.Folder() as folder:
        log, replayed = folder / "log", folder / "replayed"
        with support.Profiler(spec, "--pid", target.pid, options=("--record", log)) as profiler:
            target.release()
            rows, switches = take_turns(target, profiler, turns)
            books = books_of(target)
            live = profiler.finish()
        subprocess.run([support.COMPMOND, "replay", log, "--headless", "--snapshot", replayed], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        missed = any(state == PAUSED for state, _ in turns)
        return rows, check(live, json.loads(replayed.read_text()), books, switches, missed)


def run(components, turns):
    """(rows of turns, what was checked: nothing without an observer)"""
    with support.Target(SWITCHED) as target:
        if components:
            return observed(target, components, turns)
        target.release()
        rows, _ = take_turns(target, None, turns)
        books_of(target)
        return rows, None


def speeds(rows):
    """Of each state: loops of the target per second of its CPU time."""
    sums = {}
    for state, loops, cpu_ns in rows:
        done, spent_ns = sums.get(state, (0, 0))
        sums[state] = done + loops, spent_ns + cpu_ns
    return {state: done / spent_ns * 1e9 for state, (done, spent_ns) in sums.items()}


def alternate(rounds, run_once):
    """All runs in turn, forwards and backwards: (speeds by state of each round, what was checked)."""
    by_round, checked = [], []
    for number in range(rounds):
        rows = []
        for one in RUNS if number % 2 == 0 else reversed(RUNS):
            more, found = run_once(*one)
            rows += more
            checked += [found] if found else []
        by_round.append(speeds(rows))
        print(f"  round {number + 1} of {rounds}", file=sys.stderr)
    return by_round, checked


def compared(by_round):
    values = {state: [one[state] for one in by_round] for state in STATES}
    return [{"state": state, "speed": stats.spread(values[state]),
             **({"to_base": stats.ratio(values[state], values[BASES[state]])} if state in BASES else {})} for state in STATES]


def measure(options):
    by_round, checked = alternate(options.asked_rounds or (QUICK_ROUNDS if options.quick else ROUNDS), run)
    return {"rows": compared(by_round), "checked": checked, "absent": {}}


def table(suite):
    rows = [[row["state"], f"{row['speed']['median']:,.0f} ({row['speed']['min']:,.0f}–{row['speed']['max']:,.0f})",
             *((f"**{stats.show(row['to_base'], '.3f')}**", BASES[row["state"]]) if "to_base" in row else ("", ""))] for row in suite["rows"]]
    return ["A program calls a function of the component Dear ten times and one of Other once, again and again: such loops per second of its CPU time, "
            "median (min–max), **ratio [95 % interval]**. While `compmond` observes and records it, Dear is switched off and on, or all probes are paused "
            f"and resumed, twice in each of {len(suite['rows'][0]['speed']['rounds'])} rounds.", "", *grid(["what has probes", "loops per second", "ratio", "to"], rows)]


def whole(one):
    """Whether nothing of the other component was lost or remained uncounted, live and in the log."""
    same = all(told <= one["books"] if one["missed"] else told == one["books"] for told in one["told"])
    return same and one["lost"] == 0 and one["balanced"]


def goals(suite):
    speed = {row["state"]: row["to_base"] for row in suite["rows"] if "to_base" in row}
    exact = [one for one in suite["checked"] if not one["missed"]]
    made = 2 * sum(one["switches"] for one in suite["checked"])
    told = sum(sum(one["moments"]) for one in suite["checked"])
    return [
        goal("switching-off", f"a component that is switched off costs nothing: ≥ {LEAST_SPEED} of the speed of a run without it",
             stats.show(speed[OFF], ".3f"), speed[OFF]["ratio"] >= LEAST_SPEED),
        goal("switching-paused", f"all probes paused: ≥ {LEAST_SPEED} of the speed without an observer", stats.show(speed[PAUSED], ".3f"),
             speed[PAUSED]["ratio"] >= LEAST_SPEED),
        goal("switching-calls", "while one is switched, each call of the other one is told, live and in the log, as the program itself counts them",
             f"{sum(map(whole, exact))} of {len(exact)} runs, {sum(one['books'] for one in exact):,} calls", all(map(whole, suite["checked"]))),
        goal("switching-moments", "each switch has its moment in the snapshot and in the log", f"{told} of {made}", told == made),
    ]
