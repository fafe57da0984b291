# SPDX-License-Identifier: Apache-2.0
"""What observing costs a real program: transactions per second of PostgreSQL."""

import contextlib
import statistics
import sys

import observers
import stats
import tools
from postgres import Server, spec_of, SPEC
from suites import absences, goal, grid
from support import Profiler

TITLE = "What a real program loses"
OPERATIONS = 30
CLIENTS = ("-c", "4", "-j", "2")
LOADS = {"select": ("-S",), "tpcb": ()}
LOAD_NAMES = {"select": "pgbench -S", "tpcb": "pgbench (TPC-B-like)"}
OBSERVERS = [observers.Nothing, observers.Compmond, observers.CompmondRecord, observers.CompmondScreen, tools.Bpftrace]


def hottest(server):
    """The operations of the spec that such loads execute most often."""
    with Profiler(SPEC, "--pid", server.pid, options=options_of()) as profiler:
        for load in LOADS.values():
            server.pgbench("-n", *CLIENTS, "-t", "100", *load)
        snapshot = profiler.finish(end=True)
    operations = [one for component in snapshot["components"] for one in component["operations"] if one["calls"] > 0]
    return [one["symbol"] for one in sorted(operations, key=lambda one: -one["calls"])[:OPERATIONS]]


def options_of():
    return ["--max-overhead", "off"] if "--max-overhead" in observers.help_text() else []


def run(observer, server, symbols, load, seconds):
    """Transactions per second under an observer, and what else is known of it."""
    arguments = (*CLIENTS, "-T", str(seconds), *LOADS[load])
    if observer is observers.Nothing:
        return {"tps": server.tps(*arguments)[0]}
    if observer is tools.Bpftrace:
        with observer.everywhere(server.image, symbols) as bpftrace:
            tps, _ = server.tps(*arguments)
            if bpftrace.end() == 0:
                raise observers.Wrong("bpftrace saw no call")
            return {"tps": tps}
    with observers.support.Folder() as folder, contextlib.ExitStack() as inner:
        options = options_of()
        if observer is observers.CompmondScreen:
            options += ["--listen", folder / "socket"]
        if observer is observers.CompmondRecord:
            options += ["--record", folder / "log"]
        profiler = inner.enter_context(Profiler(spec_of(symbols), "--pid", server.pid, options=options))
        if observer is observers.CompmondScreen:
            inner.callback(observers.Screen(folder / "socket").close)
        tps, transactions = server.tps(*arguments)
        health = profiler.finish(end=True)["health"]
        if not health["balanced"] or health["delivered"] == 0:
            raise observers.Wrong(f"compmond: the accounts do not balance: {health}")
        out = {"tps": tps, "calls": health["delivered"] / 2 / transactions}
        if observer is observers.CompmondRecord:
            out["bytes_per_event"] = observers.size_of(folder / "log") / health["delivered"]
        return out


def measure(options):
    chosen, absent = observers.available([one for one in OBSERVERS if one.name not in options.without])
    rows = []
    try:
        server = Server()
    except observers.Absent as reason:
        return {"rows": [], "absent": {**absent, "all of it": str(reason)}, "symbols": []}
    with server:
        server.fill()
        symbols = hottest(server)
        for load in LOADS.values():  # what is new is slow, and not what is measured
            server.tps(*CLIENTS, "-T", "2", *load)
        measured = {load: {one.name: [] for one in chosen} for load in LOADS}
        for number in range(options.rounds):
            for load in LOADS:
                for observer in chosen if number % 2 == 0 else reversed(chosen):
                    measured[load][observer.name].append(
                        run(observer, server, symbols, load, 2 if options.quick else 10))
            print(f"  round {number + 1} of {options.rounds}", file=sys.stderr)
    for load, of in measured.items():
        base = [one["tps"] for one in of["none"]]
        row = {"load": load, "observers": {}}
        for name, values in of.items():
            tps = [one["tps"] for one in values]
            row["observers"][name] = {"tps": stats.spread(tps), "to_none": stats.ratio(tps, base),
                                      # Added time per transaction, as a share of what it takes unobserved.
                                      "added": statistics.median(b / t - 1 for t, b in zip(tps, base))}
            for more in ("calls", "bytes_per_event"):
                if more in values[0]:
                    row["observers"][name][more] = statistics.median(one[more] for one in values)
        rows.append(row)
    return {"rows": rows, "absent": absent, "symbols": symbols}


def table(suite):
    lines = [f"PostgreSQL with {len(suite['symbols'])} operations of `specs/postgresql.json` observed, those that these loads execute most "
             "often; 4 clients, 4 server processes. Transactions per second: median (min–max), **ratio to no observer [95 % interval]**, "
             "and the time that observing adds to a transaction. bpftrace keeps a start time by thread and a histogram for each of "
             "the same functions.", ""]
    names = list(suite["rows"][0]["observers"]) if suite["rows"] else []
    rows = []
    for row in suite["rows"]:
        cells = []
        for name in names:
            one = row["observers"][name]
            tps = one["tps"]
            text = f"{tps['median']:,.0f} ({tps['min']:,.0f}–{tps['max']:,.0f})"
            cells.append(text if name == "none" else f"{text} **{stats.show(one['to_none'])}** {one['added']:+.1%}")
        rows.append([LOAD_NAMES[row["load"]], *cells])
    lines += grid(["load", *names], rows) if rows else []
    for row in suite["rows"]:
        calls = row["observers"]["compmond"].get("calls")
        if calls:
            lines += ["", f"{LOAD_NAMES[row['load']]}: {calls:.0f} observed calls per transaction."]
        if "record" in row["observers"]:
            lines += ["", f"{LOAD_NAMES[row['load']]}: the log took {row['observers']['record']['bytes_per_event']:.2f} bytes per event."]
    return lines + absences(suite)


def goals(suite):
    out = []
    for row in suite["rows"]:
        of, name = row["observers"], LOAD_NAMES[row["load"]]
        text = f"{name}: adds ≤ 0.8 × of what bpftrace adds to a transaction"
        if "bpftrace" in of and "compmond" in of:
            ours, theirs = of["compmond"]["added"], of["bpftrace"]["added"]
            out.append(goal(f"programs-{row['load']}", text, f"{ours:+.1%} against {theirs:+.1%}: {ours / theirs:.2f} ×"
                            if theirs > 0 else "bpftrace added nothing", theirs > 0 and ours <= 0.8 * theirs))
        else:
            out.append(goal(f"programs-{row['load']}", text, "not measured", None))
        text = f"{name}: the screen takes < 2 points of the transactions"
        if "screen" in of:
            points = 100 * (of["compmond"]["to_none"]["ratio"] - of["screen"]["to_none"]["ratio"])
            out.append(goal(f"screen-{row['load']}", text, f"{points:.1f} points", points < 2))
        else:
            out.append(goal(f"screen-{row['load']}", text, "not measured", None))
    written = [row["observers"]["record"]["bytes_per_event"] for row in suite["rows"] if "record" in row["observers"]]
    out.append(goal("log-bytes", "log: ≤ 8 bytes per event on disk", f"{max(written):.2f} bytes" if written else "not measured",
                    max(written) <= 8 if written else None))
    return out
