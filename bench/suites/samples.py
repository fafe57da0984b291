# SPDX-License-Identifier: Apache-2.0
"""Whether samples tell the truth of real programs: compmond --engine sampling beside perf, the same time, clock and rule. And what
they cost, and how many stacks are whole, also below return probes."""

import contextlib
import json
import pathlib
import re
import subprocess
import time

import loads
import observers
from beside import patiently
from suites import absences, goal, grid
from suites.idle import cpu_and_wakeups
from support import Profiler, Target, spec, wait_for

TITLE = "Samples beside perf"
HZ = 199
PROBED = 30  # operations, those with the most time
RECORDS = 500  # a second, for which the daemon's part is told; there are never many more
MOST_HZ = 997
LIMITS = {"z": 3.5, "chi2": 1.5, "rank": 0.95, "broken": 1.0, "timer": 0.3, "others": 0.3, "daemon": 2.0, "idle": 0.3}
BPF_STATS = pathlib.Path("/proc/sys/kernel/bpf_stats_enabled")
LONG, QUICK = 60, 10


@contextlib.contextmanager
def bpf_stats():
    """The kernel adds up how long each program runs, meanwhile."""
    before = BPF_STATS.read_text()
    BPF_STATS.write_text("1")
    try:
        yield
    finally:
        BPF_STATS.write_text(before)


def programs_ns(pid):
    """(of the timer's program, of all others) run time of the kernel's programs that a process holds."""
    held = set()
    for file in pathlib.Path(f"/proc/{pid}/fdinfo").iterdir():
        with contextlib.suppress(OSError):
            held.update(re.findall(r"^prog_id:\s+(\d+)$", file.read_text(), re.MULTILINE))
    shown = subprocess.run(["bpftool", "--json", "prog", "show"], capture_output=True, text=True, check=True).stdout
    of = {one.get("name"): one.get("run_time_ns", 0) for one in json.loads(shown) if str(one["id"]) in held}
    return of["on_timer"], sum(ns for name, ns in of.items() if name != "on_timer")


def family(pid):
    """The process and its descendants."""
    out = [pid]
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            out += family(int(child))
    return out


def cpu_ns(pid):
    return sum(cpu_and_wakeups(one)[0] for one in family(pid))


def daemon_pct(profiler, seconds):
    """CPU time of the daemon and its unwinder over that time, % of a core."""
    before, began = cpu_ns(profiler.process.pid), time.monotonic_ns()
    time.sleep(seconds)
    return 100 * (cpu_ns(profiler.process.pid) - before) / (time.monotonic_ns() - began)


def row_beside_perf(load, seconds):
    """A row, and the operations with the most time."""
    programs = []
    with bpf_stats():
        beside = patiently(load, ("--engine", "sampling", "--samples", HZ, "--many"), seconds,
                           lambda profiler: programs.append(programs_ns(profiler.process.pid)))
    health, row = beside.snapshot["health"]["samples"], beside.row()
    timer_ns, others_ns = programs[-1]
    return {**row, **stacks(health), "timer": 100 * timer_ns / health["cpu_ns"], "others": 100 * others_ns / health["cpu_ns"],
            "records": health["taken"] / row["seconds"]}, hottest(beside.snapshot)


def daemon_at_full_rate(load, records, seconds):
    """The same at as many records a second as there can be, where the timer's rate makes them so many."""
    hz = min(MOST_HZ, round(HZ * RECORDS / records))
    with Profiler(load.spec, *load.target(), options=("--engine", "sampling", "--samples", hz, "--many")) as profiler:
        def taken():
            return profiler.snapshot_now()["health"]["samples"]["taken"]
        before, began = taken(), time.monotonic()
        daemon = daemon_pct(profiler, seconds)
        rate = (taken() - before) / (time.monotonic() - began)
        profiler.finish(end=True)
    return {"daemon": daemon * RECORDS / rate, "daemon_records": rate}


def stacks(health):
    taken = health["taken"]
    return {"broken": 100 * health["broken"] / taken, "truncated": 100 * health["truncated"] / taken, "lost": health["lost"]}


def hottest(snapshot):
    """(image, symbol) of operations."""
    of = [one for component in snapshot["components"] for one in component["operations"] if "estimated" in one]
    of.sort(key=lambda one: -one["estimated"]["cpu_ns"][0])
    return [(one["image"], one["symbol"]) for one in of[:PROBED]]


def below_probes(load, chosen, seconds):
    """Of the stacks of a program with probes on it all the while, on returns where it survives that."""
    the_spec = {"schema": "compmond.spec/1", "name": "probed", "components": [
        {"name": f"{number}", "image": image, "in": [symbol]} for number, (image, symbol) in enumerate(chosen)]}
    with Profiler(the_spec, *load.target(), options=("--samples", HZ, "--exit-mode", load.exit_mode)) as profiler:
        time.sleep(seconds)
        snapshot = profiler.finish(end=True)
    modes = [one["exit_mode"] for component in snapshot["components"] for one in component["operations"]]
    return {"return_probes": modes.count("return-probe"), "ret_sites": modes.count("ret-sites"), "calls": snapshot["health"]["hits"] // 2,
            "samples": snapshot["health"]["samples"]["taken"], **stacks(snapshot["health"]["samples"])}


def idle_pct(seconds):
    """Of the daemon and its unwinder, while the observed program sleeps."""
    calls = observers.PROGRAMS / "calls"
    with Target(calls, "push", 1, 1) as target:
        with Profiler(spec(["push"], calls), "--pid", target.pid, options=("--engine", "sampling", "--samples", HZ)) as profiler:
            wait_for(lambda: profiler.snapshot_now()["health"]["samples"]["taken"] > 0, "the first sample")
            loads.settle()
            return daemon_pct(profiler, seconds)


def measure(options):
    seconds = QUICK if options.quick else LONG
    rows, absent = [], {}
    try:
        loads.needed("perf", "readelf", "bpftool")
    except observers.Absent as reason:
        return {"rows": [], "absent": {"all of it": str(reason)}, "idle": None}
    for kind in [one for one in loads.ALL if one.name not in options.without]:
        try:
            with kind() as load:
                loads.settle()
                row, chosen = row_beside_perf(load, seconds)
                row |= daemon_at_full_rate(load, row["records"], min(20, seconds))
                row["probed"] = below_probes(load, chosen, seconds)
                rows.append(row)
        except observers.Absent as reason:
            absent[kind.name] = str(reason)
    return {"rows": rows, "absent": absent, "idle": idle_pct(min(20, seconds))}


def table(suite):
    lines = ["Programs under load, looked at by `compmond --engine sampling` and by `perf record -a` at the same time (a timer per processor, 199 Hz; that "
             "of perf is shifted at random, as one of a fixed period falls into step with the scheduler's). A sample belongs to the innermost function on "
             "its stack that is an operation: of PostgreSQL those of `specs/postgresql.json`, of all others every function that their files name. Compared "
             "are shares of the CPU time, of all operations of which either side must expect five samples; standard errors are compmond's own, and of perf "
             "those of clusters of 0.1 s. Lost are samples of which perf tells the interrupted function and no caller, or ends in no file, before it met an "
             "operation: they are left out.", ""]
    lines += grid(["load", "samples", "perf's", "of these lost", "compared", "largest difference", "χ²/df", "rank correlation", "broken", "truncated", "lost",
                   "timer's program", "other programs", "daemon, at records a second"],
                  [[row["load"], f"{row['samples']:,}", f"{row['perf_samples']:,}", f"{row['perf_lost']:.1f} %", f"{row['compared']}",
                    f"{row['points']:+.2f} points, {row['z']:.1f} standard errors: `{row['z_of']}`", f"{row['chi2']:.2f}",
                    f"{row['rank']:.3f} of {row['ranked']}", f"{row['broken']:.2f} %", f"{row['truncated']:.2f} %", f"{row['lost']}",
                    f"{row['timer']:.2f} %", f"{row['others']:.2f} %", f"{row['daemon']:.2f} % at {row['daemon_records']:.0f}"] for row in suite["rows"]])
    lines += ["", "Programs: run time in the kernel, of the observed program's CPU time: the timer's, and those that look at switches, for what threads "
              "wait for (`kernel.bpf_stats_enabled`, which itself takes some 60 ns a run: of a switch that is most). Daemon: with its unwinder, % of a "
              f"core, for {RECORDS} records a second, at a rate of the timer that makes close to so many.", "", f"The same loads with probes on the {PROBED} operations with the most time:", ""]
    return lines + grid(["load", "return probes", "return sites", "calls seen", "samples", "broken", "truncated", "lost"],
                        [[row["load"], *(f"{row['probed'][key]:,}" for key in ("return_probes", "ret_sites", "calls", "samples")),
                          f"{row['probed']['broken']:.2f} %", f"{row['probed']['truncated']:.2f} %", f"{row['probed']['lost']}"]
                         for row in suite["rows"]]) + absences(suite)


def goals(suite):
    rows = suite["rows"]

    def worst(key, text, figure, chosen=max, value=None):
        value = value or (lambda row: row[key])
        if not rows:
            return goal(f"samples-{key}", text, "not measured", None)
        row = chosen(rows, key=value)
        met = value(row) >= LIMITS[key] if chosen is min else value(row) <= LIMITS[key]
        return goal(f"samples-{key}", text, f"{figure.format(value(row))}: {row['load']}", met)

    def broken(row):
        return max(row["broken"], row["probed"]["broken"])
    idle = suite["idle"]
    return [
        worst("z", "samples beside perf: each share within 3.5 standard errors", "{:.1f}"),
        worst("chi2", "samples beside perf: χ² per degree of freedom < 1.5", "{:.2f}"),
        worst("rank", "samples beside perf: rank correlation of operations of 1 % and more ≥ 0.95", "{:.3f}", min),
        worst("broken", "samples: broken stacks ≤ 1 %, also below return probes", "{:.2f} %", value=broken),
        worst("timer", f"samples: the timer's program ≤ 0.3 % of the observed program's CPU time at {HZ} Hz", "{:.2f} %"),
        worst("others", "samples: the programs that look at switches ≤ 0.3 % of it", "{:.2f} %"),
        worst("daemon", f"samples: daemon and unwinder ≤ 2 % of a core for {RECORDS} records a second", "{:.2f} %"),
        goal("samples-idle", "samples: daemon and unwinder idle ≤ 0.3 % of a core", "not measured" if idle is None else f"{idle:.2f} %",
             None if idle is None else idle <= LIMITS["idle"]),
    ]
