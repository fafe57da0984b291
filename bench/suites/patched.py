# SPDX-License-Identifier: Apache-2.0
"""What it costs to have functions patched in place (--engine in-process): a call, a stop, and whole programs."""

import json
import statistics
import subprocess
import sys

import observers
import stats
import tools
from postgres import Server, SPEC
from suites import absences, goal, grid
from suites.calls import parse
from support import Profiler, Target, read_line, spec

TITLE = "Patched functions"
WORK, MANY, PATCHED = (observers.PROGRAMS / name for name in ("work", "many", "bench_patched"))
FUNCTIONS = ("push", "nop", "nop5", "endbr", "mov", "sub", "cpp")
THREADS = (1, 2)
OBSERVERS = [observers.Nothing, observers.Patched, tools.Bpftrace, tools.Uftrace]
FEWER = 10  # times fewer calls where each is a trap
LIMITS = {"uftrace": 0.4, "bpftrace": 0.06}  # of what these add to a call

CLIENTS = ("-c", "2", "-j", "1")
LOADS = {"pgbench -S": ("-S",), "pgbench (TPC-B-like)": ()}
LEAST_KEPT = 0.9

ALLOCATES = "print STDERR qq(begun\\n); my ($u, $s) = times; for (1 .. {0}) {{ my @all = map {{ 'x' x 100 }} 1 .. 100 }} my ($v, $t) = times; print $v + $t - $u - $s"
MOST_PERL = 3

STOPS = {1: 1.0, 10: 1.0, 100: 5.0}  # ms at most, by threads
LEAST_EVENTS, MOST_S = 20e6, 2.0


def run_call(observer, function, threads, calls):
    """CPU ns per call."""
    if observer.traps and observer not in (observers.Nothing, observers.Patched):
        calls //= FEWER
    if observer is tools.Uftrace:
        image = WORK if function == "nop5" else observers.PROGRAMS / "work_without_nop5"
        return parse(observer.run(image, function, [function, str(calls), str(threads)], lambda out: parse(out)[2]))[1]
    with Target(WORK, function, calls, threads) as target:
        with observer(target.pid, WORK, function) as at_work:
            out, status = target.finish()
            if status != 0:
                raise observers.Wrong(f"the target ended with {status}")
            _, cpu_ns, made = parse(out)
            at_work.check(made)
            return cpu_ns


def calls(options, absent):
    usable, missing = observers.available([one for one in OBSERVERS if one.name not in options.without])
    absent.update(missing)
    cases = [(function, threads) for function in FUNCTIONS for threads in THREADS if not options.function or function in options.function]
    measured = {case: {} for case in cases}
    for number in range(options.rounds):
        for function, threads in cases:
            for observer in usable if number % 2 == 0 else reversed(usable):
                key = f"{observer.name} of {function}"
                if key in absent:
                    continue
                try:
                    cpu_ns = run_call(observer, function, threads, 60_000 if options.quick else 300_000)
                except (observers.Absent, observers.Wrong) as reason:
                    if observer is observers.Patched:
                        raise
                    absent[key] = str(reason)
                    measured[function, threads].pop(observer.name, None)
                else:
                    measured[function, threads].setdefault(observer.name, []).append(cpu_ns)
        print(f"  calls: round {number + 1} of {options.rounds}", file=sys.stderr)
    rows = []
    for (function, threads), of in measured.items():
        added = {name: [ns - none for ns, none in zip(times, of["none"])] for name, times in of.items()}
        row = {"function": function, "threads": threads, "none": stats.spread(of["none"]), "added": {}}
        for name, times in added.items():
            if name != "none":
                row["added"][name] = stats.spread(times)
        for name in LIMITS:
            if name in added:
                row["added"][name]["patched_to"] = stats.ratio(added["patched"], added[name])
        rows.append(row)
    return rows


def stops():
    """Of 10,000 functions in a process of so many threads."""
    out = []
    for threads in STOPS:
        with subprocess.Popen([MANY, str(threads)], stdout=subprocess.PIPE) as process:
            try:
                read_line(process.stdout, "that it works")
                done = subprocess.run([PATCHED, "stops", str(process.pid), MANY], check=True, capture_output=True, text=True)
                out.append({"threads": threads, **json.loads(done.stdout)})
            finally:
                process.kill()
    return out


def pgbench(options, absent):
    rows, seconds = [], 2 if options.quick else 10
    try:
        server = Server()
    except observers.Absent as reason:
        absent["PostgreSQL"] = str(reason)
        return rows
    with server:
        server.fill()
        for load in LOADS.values():  # what is new is slow, and not what is measured
            server.tps(*CLIENTS, "-T", "2", *load)
        for name, load in LOADS.items():
            plain, seen, calls_of, lost = [], [], [], []
            for number in range(options.rounds):
                def observed():
                    with Profiler(SPEC, "--pid", server.pid, options=["--max-overhead", "off", *observers.Patched.OPTIONS]) as profiler:
                        tps, transactions = server.tps(*CLIENTS, "-T", str(seconds), *load)
                        health = profiler.finish(end=True)["health"]
                    if not health["balanced"]:
                        raise observers.Wrong(f"the accounts do not balance: {health}")
                    calls_of.append(health["delivered"] / 2 / transactions)
                    lost.append(health["lost"] / health["hits"])
                    return tps
                for which in (plain, seen) if number % 2 == 0 else (seen, plain):
                    which.append(observed() if which is seen else server.tps(*CLIENTS, "-T", str(seconds), *load)[0])
                print(f"  {name}: round {number + 1} of {options.rounds}", file=sys.stderr)
            rows.append({"load": name, "plain": stats.spread(plain), "patched": stats.spread(seen), "kept": stats.ratio(seen, plain),
                         "calls": statistics.median(calls_of), "lost": max(lost)})
    return rows


def perl(options):
    """malloc and free of the C library, all calls: seconds of CPU time beside none observed."""
    rounds = 20_000 if options.quick else 100_000
    allocating = spec(["malloc", "free"], "libc.so.6")
    plain, seen, lost = [], [], []
    for _ in range(options.rounds):
        def run(observed):
            program = ALLOCATES.format(rounds)
            command = ["perl", "-e", "<STDIN>; " + program]
            with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
                if not observed:
                    return float(process.communicate(b"\n")[0])
                with Profiler(allocating, "--pid", process.pid, options=["--max-overhead", "off", *observers.Patched.OPTIONS]) as profiler:
                    out = float(process.communicate(b"\n")[0])
                    health = profiler.finish()["health"]
                    lost.append(health["lost"] / health["hits"])
                return out
        plain.append(run(False))
        seen.append(run(True))
    return {"plain": stats.spread(plain), "patched": stats.spread(seen), "times": stats.ratio(seen, plain), "lost": max(lost)}


def measure(options):
    absent = {}
    drained = json.loads(subprocess.run([PATCHED, "drain"], check=True, capture_output=True, text=True).stdout)
    return {"drained": drained, "stops": stops(), "perl": perl(options), "programs": pgbench(options, absent),
            "rows": calls(options, absent), "absent": absent}


def ns_of(row, name):
    if name not in row["added"]:
        return "–"
    found = row["added"][name]
    to = f" **{stats.show(found['patched_to'], '.3f')}**" if "patched_to" in found else ""
    return f"{found['median']:,.0f} ({found['min']:,.0f}–{found['max']:,.0f}){to}"


def table(suite):
    lines = ["CPU time of the program that observing adds to a call of a function with some work in it, recorded without loss: median (min–max) of rounds; "
             "beside other tools **what patched functions add, divided by what these add [95 % interval]**.", ""]
    lines += grid(["function", "threads", "unobserved, ns", "patched", "bpftrace", "uftrace -P"],
                  [[f"`{row['function']}`", str(row["threads"]), f"{row['none']['median']:,.0f}", *(ns_of(row, name) for name in ("patched", "bpftrace", "uftrace"))]
                   for row in suite["rows"]])
    lines += ["", "10,000 functions of a program with so many threads, and stops of 128 patches each, with all that a stop needs:", ""]
    lines += grid(["threads", "planned, ms", "written and patched, ms", "put back, ms", "all threads stopped, ms", "a stop that puts back, ms", "one that patches, ms"],
                  [[str(row["threads"]), *(f"{row[key]:,.{digits}f}" for key, digits in (("plan_ms", 0), ("patch_ms", 0), ("leave_ms", 0), ("stop_ms", 2),
                                                                                         ("back_ms", 2), ("again_ms", 2)))] for row in suite["stops"]])
    lines += ["", "Whole programs, all operations of `specs/postgresql.json` patched, 2 clients; and perl with every malloc and free of the C library:", ""]
    rows = [[row["load"], f"{row['plain']['median']:,.0f} tps", f"{row['patched']['median']:,.0f} tps", stats.show(row["kept"]),
             f"{row['calls']:,.0f} a transaction", f"{100 * row['lost']:.2f} %"] for row in suite["programs"]]
    of = suite["perl"]
    rows.append(["perl", f"{of['plain']['median']:.2f} s", f"{of['patched']['median']:.2f} s", stats.show(of["times"]), "", f"{100 * of['lost']:.2f} %"])
    lines += grid(["load", "unobserved", "patched", "ratio", "observed calls", "lost"], rows)
    lines += ["", "Records read from memory that programs share, checked: " + ", ".join(
        f"{one['events'] / one['ns'] * 1e3:.0f} M/s of {one['threads']} threads" for one in suite["drained"]) + "."]
    return lines + absences(suite)


def goals(suite):
    out = []
    for name, limit in LIMITS.items():
        found = [(row["added"][name]["patched_to"], row) for row in suite["rows"] if "patched_to" in row["added"].get(name, {})]
        text = f"patched functions add ≤ {limit} × of what {name} adds to a call with some work, whatever it begins with, one and two threads"
        if not found:
            out.append(goal(f"patched-{name}", text, "not measured", None))
            continue
        worst, at = max(found, key=lambda one: one[0]["ratio"])
        out.append(goal(f"patched-{name}", text, f"{stats.show(worst, '.3f')}: `{at['function']}`, {at['threads']} threads", worst["ratio"] <= limit))
    for row in suite["programs"]:
        out.append(goal(f"patched-{row['load']}", f"{row['load']}: with all operations patched it keeps ≥ {LEAST_KEPT} of its throughput",
                        stats.show(row["kept"]), row["kept"]["ratio"] >= LEAST_KEPT))
    times = suite["perl"]["times"]
    out.append(goal("patched-perl", f"perl with malloc and free patched takes ≤ {MOST_PERL} × as long", stats.show(times), times["ratio"] <= MOST_PERL))
    for row in suite["stops"]:
        worst = max(row["back_ms"], row["again_ms"])
        out.append(goal(f"patched-stop-{row['threads']}", f"a stop takes ≤ {STOPS[row['threads']]:g} ms with {row['threads']} threads",
                        f"{worst:.2f} ms", worst <= STOPS[row["threads"]]))
        seconds = (row["plan_ms"] + row["patch_ms"]) / 1e3
        out.append(goal(f"patched-10000-{row['threads']}", f"10,000 functions planned, written and patched in ≤ {MOST_S:g} s, {row['threads']} threads",
                        f"{seconds:.2f} s", seconds <= MOST_S))
    slowest = min(suite["drained"], key=lambda one: one["events"] / one["ns"])
    rate = slowest["events"] / slowest["ns"] * 1e9
    out.append(goal("patched-drain", f"records are read at ≥ {LEAST_EVENTS / 1e6:.0f} M a second", f"{rate / 1e6:.0f} M", rate >= LEAST_EVENTS))
    return out
