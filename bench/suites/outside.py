# SPDX-License-Identifier: Apache-2.0
"""What samples cost the program that they are taken of, as whoever waits for it sees it: transactions per second of PostgreSQL."""

import contextlib
import itertools
import pathlib
import sys

import observers
import stats
from postgres import SPEC, Server
from suites import absences, goal, grid
from suites.start import cpu_seconds
from support import Profiler, wait_for

TITLE = "What samples cost from outside"
ROUNDS, QUICK_ROUNDS = 60, 4  # ten minutes
WARM_S, SECONDS, QUICK_SECONDS = 1, 3, 1
LOAD = ("-n", "-S", "-c", "2", "-j", "1")
HZ = 199
MOST_LOST = 3.0  # %


def has_clients(server):
    """Processes that a client's end leaves have still to be waited for, and their CPU time to be added up."""
    for child in pathlib.Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split():
        with contextlib.suppress(OSError):
            title = pathlib.Path(f"/proc/{child}/cmdline").read_bytes()
            if not title or b"[local]" in title:  # it has none while it ends
                return True
    return False


def transactions(server, seconds):
    """(per second, µs of the server's CPU time for each)."""
    def used():
        wait_for(lambda: not has_clients(server), "the server's processes to end")
        return cpu_seconds(server.pid)

    before = used()
    per_second, number = server.tps(*LOAD, "-T", str(seconds))
    return {"tps": per_second, "cpu": 1e6 * (used() - before) / number}


def once(server, sampled, seconds):
    """With samples being taken all the while, or without. What was met for the first time was read before that."""
    with contextlib.ExitStack() as inner:
        if sampled:
            profiler = inner.enter_context(Profiler(SPEC, "--pid", server.pid, options=("--engine", "sampling", "--samples", HZ)))
        server.tps(*LOAD, "-T", str(WARM_S))
        found = transactions(server, seconds)
        if sampled:
            health = profiler.finish(end=True)["health"]["samples"]
            if health["taken"] == 0:
                raise observers.Wrong("compmond took no sample")
            found |= {"samples": health["taken"], "lost": health["lost"]}
        return found


def alternate(rounds, run):
    """run(sampled) in turn, forwards and backwards: the rows of both, by round."""
    found = {False: [], True: []}
    for number in range(rounds):
        for sampled in (False, True) if number % 2 == 0 else (True, False):
            found[sampled].append(run(sampled))
        print(f"  round {number + 1} of {rounds}", file=sys.stderr)
    return found[False], found[True]


def compared(without, sampled):
    def of(key):
        values, bases = ([one[key] for one in side] for side in (sampled, without))
        return {"none": stats.spread(bases), "sampled": stats.spread(values), "to_none": stats.ratio(values, bases)}

    taken = [sum(one[key] for one in sampled) for key in ("samples", "lost")]
    return {"load": "pgbench -S", "tps": of("tps"), "cpu": of("cpu"), "samples": taken[0], "lost": taken[1], "rounds": len(sampled)}


def measure(options):
    rounds = options.asked_rounds or (QUICK_ROUNDS if options.quick else ROUNDS)
    try:
        server = Server()
    except observers.Absent as reason:
        return {"rows": [], "absent": {"all of it": str(reason)}}
    with server:
        server.fill()
        for sampled in (False, True):  # what is new is slow
            once(server, sampled, 1)
        seconds = QUICK_SECONDS if options.quick else SECONDS
        return {"rows": [compared(*alternate(rounds, lambda sampled: once(server, sampled, seconds)))], "absent": {}}


def lost_pct(of):
    """(median, low, high) of what is lost, %."""
    return tuple(100 * (1 - of["to_none"][key]) for key in ("ratio", "high", "low"))


def table(suite):
    lines = [f"PostgreSQL with two clients, without an observer and below `compmond --engine sampling` ({HZ} Hz, waiting times too), which began before. "
             "The daemon's own work is done on the same processors. Median (min–max) of the rounds, **ratio to no observer [95 % interval]**. The server's "
             "CPU time has what interrupts take while it runs.", ""]

    def cells(of):
        return [f"{of['none']['median']:,.1f}", f"{of['sampled']['median']:,.1f}", f"**{stats.show(of['to_none'], '.4f')}**"]
    rows = [[row["load"], name, *cells(row[key])] for row, (key, name) in itertools.product(
        suite["rows"], (("tps", "transactions per second"), ("cpu", "CPU time of the server per transaction, µs")))]
    lines += grid(["load", "what", "unobserved", "sampled", "ratio"], rows)
    lines += [f"\n{row['load']}: {row['rounds']} rounds, {row['samples']:,} samples, {row['lost']} lost." for row in suite["rows"]]
    return lines + absences(suite)


def goals(suite):
    text = f"samples from outside: the transactions lost are at most {MOST_LOST:g} %, by the upper bound of the interval"
    if not suite["rows"]:
        return [goal("outside-tps", text, "not measured", None)]
    lost, low, high = lost_pct(suite["rows"][0]["tps"])
    return [goal("outside-tps", text, f"{lost:.1f} % [{low:.1f}–{high:.1f}]", high <= MOST_LOST)]
