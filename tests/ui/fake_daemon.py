#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A daemon that observes nothing: it speaks compmond.view/1 and tells of a file host that is made up, always the same.

usage: fake_daemon.py --listen PATH|PORT [--components N] [--long-names] [--nested] [--age SEC] [--freeze] [--healthy]
                      [--ended] [--switched] [--silent] [--nothing-attached] [--slow SEC] [--log FILE]
Prints "listening" when clients may connect. --freeze: time stands still, so that two pictures are equal.
"""

import argparse
import json
import math
import os
import random
import socketserver
import threading
import time

import fake_analyses

GRAIN = 100_000_000  # ns; activity is constant within
START = 1_000_000_000_000

# name, share of one CPU while busy, calls per s, mean raw ms, calls, busy in bursts
FILE_HOST = [
    ("HTTPServer", 0.08, 42, 61.0, ["AccessControl", "UploadManager", "DirReader"], False),
    ("AccessControl", 0.05, 42, 1.3, [], False),
    ("UploadManager", 0.26, 19, 58.0, ["PluginManager", "FileHandler"], True),
    ("PluginManager", 0.15, 19, 7.9, [], True),
    ("DirReader", 0.12, 23, 42.0, ["FileReader"], False),
    ("FileHandler", 0.34, 19, 48.0, ["FileEncrypter"], True),
    ("FileEncrypter", 0.69, 192, 4.62, ["FSWriter"], True),
    ("FSWriter", 0.20, 192, 1.02, [], True),
    ("FileReader", 0.46, 348, 3.1, ["FileDecrypter"], True),
    ("FileDecrypter", 0.61, 348, 1.75, [], True),
]
# at which second, action, target
SWITCHED = [(3.0, "disable", "FSWriter"), (3.3, "enable", "FSWriter"), (9.0, "pause-probes", ""), (10.5, "resume-probes", ""),
            (12.3, "disable", "FileReader"), (16.0, "disable", "PluginManager"), (18.2, "enable", "PluginManager")]
UNDECLARED = ("PluginManager", "FSWriter", 3.0)
NEVER_SEEN = ("AccessControl", "PluginManager")
LONG = "::very_long_namespace_of_a_vendor::detail::basic_component_adapter<std::allocator<char>>"


def noise(*seed):
    return random.Random(str(seed)).random()


class Program:
    """What the made-up program does: a function of time."""

    def __init__(self, options):
        self.options = options
        self.began = time.monotonic()
        rows = FILE_HOST
        if options.components != len(FILE_HOST):
            rows = [FILE_HOST[i % 10] for i in range(options.components)]
        self.rows, self.names = rows, []
        for i, row in enumerate(rows):
            name = row[0] if i < 10 else f"{row[0]}{i // 10 + 1}"
            if options.long_names:
                name = (name + LONG)[:80]
            self.names.append(name)
        if options.nested:
            outer = {"FileEncrypter": "FileHandler", "FSWriter": "FileHandler/FileEncrypter", "FileDecrypter": "FileReader"}
            self.names = [f"{outer[n]}/{n}" if n in outer else n for n in self.names]
        self.sums = [[0.0] for _ in rows]  # of activity, up to the end of each grain
        self.lock = threading.Lock()
        self.off = [[] for _ in rows]  # per component [start, end] of what it was off, end None: it still is
        self.switches, self.paused = [], False
        if options.switched:
            for at_s, action, target in SWITCHED:
                self.switch(action, target, START + int(at_s * 1e9))

    def now(self):
        age = self.options.age
        if not self.options.freeze and not self.options.ended:
            age += time.monotonic() - self.began
        return START + int(age * 1e9)

    def switch(self, action, target, at):
        """As control requests do; an operation stands for its component. What was done, and what went wrong."""
        on = action in ("enable", "resume-probes")
        meant = [i for i, name in enumerate(self.names) if target in ("", name) or target.startswith(f"fh::{self.rows[i][0]}::")]
        if not meant:
            return "", f"nothing is called '{target}'"
        for i in meant:
            is_off = self.is_off(i, at)
            if on and is_off:
                self.off[i][-1][1] = at
            elif not on and not is_off:
                self.off[i].append([at, None])
        if not target:
            self.paused = not on
        self.switches.append({"at_ns": at, "on": on, **({"what": target} if target else {})})
        return f"{2 * len(meant)} operations {'of ' + target if target else 'in all'} are switched {'on' if on else 'off'}", ""

    def is_off(self, i, at):
        return any(start <= at and (end is None or at < end) for start, end in self.off[i])

    def activity(self, i, grain):
        t = grain * GRAIN / 1e9
        burst = 6 <= t % 16 <= 12.7 or t % 16 > 15.7 or t > 16 and t % 16 < 4
        level = (1.0 if burst else 0.12) if self.rows[i][5] else 0.75
        return level * (0.3 + 1.0 * noise(i, grain) ** 2)

    def amount(self, i, at):
        """The integral of activity from the start to `at`, in seconds."""
        grains, rest = divmod(max(0, at - START), GRAIN)
        with self.lock:
            sums = self.sums[i]
            while len(sums) <= grains + 1:
                sums.append(sums[-1] + self.activity(i, len(sums) - 1) * GRAIN / 1e9)
        return sums[grains] + (sums[grains + 1] - sums[grains]) * rest / GRAIN

    def busy(self, i, start, end):
        now = self.now()
        sum_up = lambda a, b: max(0, self.amount(i, min(b, now)) - self.amount(i, min(a, now)))
        return sum_up(start, end) - sum(sum_up(max(start, a), min(end, b or now)) for a, b in self.off[i])


def figures(program, i, start, end, share=1.0):
    _, cpu, rate, mean_ms, _, _ = program.rows[i]
    busy = 0 if program.options.silent else program.busy(i, start, end)
    calls = int(rate * busy * 1.6 * share)
    real = int(cpu * busy * 1e9 * share)
    net = max(0, real - calls * 900)
    mean = int(mean_ms * 1e6)
    lossy = 12 if i == 8 and not program.options.healthy and calls else 0
    seen = 1 if calls else 0
    away = sum(max(0, min(end, b or end) - max(start, a)) for a, b in program.off[i])
    seen_in = {"observed_share": 1 - away / max(1, end - start)} if away else {}
    return {
        **seen_in, "calls": calls, "open": seen if i in (0, 6) else 0, "raw_ns": calls * mean, "real_ns": real,
        "net_real_ns": net, "mean_ns": mean * seen, "min_ns": mean // 3 * seen,
        "max_ns": int(mean * 2.1) * seen, "p50_ns": int(mean * 0.98) * seen, "p90_ns": int(mean * 1.25) * seen,
        "p99_ns": int(mean * 1.33) * seen, "uncertain_below_ns": 0,
        "hotness": 0.0, "ranked": net, "waiting_ns": 0, "mean_real_ns": net // max(1, calls),
        "uncertain": i == 1 and not program.options.healthy,
        "truncated": 0, "unsure_ns": 0, "at_least": away > 0,
        "closed": {"returned": max(0, calls - lossy), "abandoned": 0, "thread_exit": 0, "exec": 0, "lossy": lossy, "failed": 0,
                   "jumped": 0}}


def operations(program, i, start, end):
    names = {"HTTPServer": ["handle", "forward_upload"], "FileEncrypter": ["accept", "pad"]}.get(
        program.rows[i][0], ["run", "send"])
    out = []
    for k, (name, share) in enumerate(zip(names, (0.95, 0.05))):
        out.append({
            "name": f"fh::{program.rows[i][0]}::{name}", "symbol": f"_ZN2fh{program.rows[i][0]}{name}Ev",
            "image": "/usr/lib/libfilehost.so.1", "interface": "in" if k == 0 else "out", "exit_mode": "ret-sites", "engine": "uprobe",
            "state": "attached", "site": "push", "moved_by": 0, "reason": "C++ can throw", **figures(program, i, start, end, share)})
    if program.is_off(i, program.now()):
        since = program.off[i][-1][0]
        for one in out:
            one.update(state="disabled", since_ns=since, reason=f"switched off since {(since - START) / 1e9:.1f} s")
    if program.rows[i][0] == "PluginManager" and not program.options.healthy:
        out[1].update(exit_mode="refused", engine="", state="refused", site="", reason="log_line is inlined everywhere")
    return out


def snapshot(program, start, end, metric):
    options = program.options
    components = []
    for i, name in enumerate(program.names):
        refused = options.nothing_attached
        partial = program.rows[i][0] == "PluginManager" and not options.healthy
        mine = figures(program, i, start, end)
        components.append({
            "name": name, "parent": name.rsplit("/", 1)[0] if "/" in name else None, "color": "", "kind": "",
            "status": "refused" if refused else "disabled" if program.is_off(i, program.now()) else "partial" if partial else "attached", **mine,
            "subtree": {k: mine[k] for k in ("calls", "real_ns", "net_real_ns", "at_least", "uncertain", "unsure_ns", "waiting_ns")},
            "operations": operations(program, i, start, end)})
    key = {"overall": "real_ns", "calls": "calls", "maximum": "max_ns", "p99": "p99_ns"}.get(metric)
    value = (lambda f: f[key]) if key else (lambda f: f["real_ns"] / max(1, f["calls"]))
    top = max((value(c) for c in components), default=0)
    for c in components:
        c["hotness"] = 100 * value(c) / top if top else 0.0
    by_name = {row[0]: i for i, row in reversed(list(enumerate(program.rows)))}
    edges = [{"from": None, "to": program.names[0], "count": components[0]["calls"], "raw_ns": components[0]["raw_ns"],
              "declared": True, "at_least": False, "unknown": False}] if components else []
    for i, row in enumerate(program.rows):
        block = i - i % 10
        for callee in row[4]:
            j = block + by_name.get(callee, len(program.rows))
            if j < len(program.rows):
                edges.append({"from": program.names[i], "to": program.names[j], "count": components[j]["calls"],
                              "raw_ns": components[j]["raw_ns"], "declared": True, "at_least": False, "unknown": False})
    if len(program.rows) >= 10:
        a, b = by_name[UNDECLARED[0]], by_name[UNDECLARED[1]]
        if not options.silent and not options.healthy:
            edges.append({"from": program.names[a], "to": program.names[b],
                          "count": int(UNDECLARED[2] * (end - start) / 1e9) + 1, "raw_ns": 31_000_000, "declared": False, "at_least": False, "unknown": False})
        a, b = by_name[NEVER_SEEN[0]], by_name[NEVER_SEEN[1]]
        edges.append({"from": program.names[a], "to": program.names[b], "count": 0, "raw_ns": 0, "declared": True, "at_least": False, "unknown": False})
    lost = 0 if options.healthy or options.silent else 12
    hits = 0 if options.silent else int((program.now() - START) / 1e9 * 11240)
    attached = 0 if options.nothing_attached else 2 * len(components) - (0 if options.healthy else 1)
    disabled = [o["name"] for c in components for o in c["operations"] if o["state"] == "disabled"]
    attached -= len(disabled)
    refused = []
    if options.nothing_attached:
        refused = [{"symbol": o["symbol"], "reason": "no such function in /usr/lib/libfilehost.so.1"}
                   for c in components for o in c["operations"]]
    elif not options.healthy:
        refused = [{"symbol": "fh::PluginManager::log_line", "reason": "it is inlined at all of its 3 call sites"}]
    return {
        "schema": "compmond.snapshot/1", "created": "2026-11-21T06:28:18.000Z",
        "host": {"name": "depot", "kernel": "6.18.0", "cpu": "made up", "cpus": 8},
        "targets": [{"pid": 4711, "exe": "/usr/bin/filehost", "build_id": "5eed", "start_ns": 1, "alive": not options.ended}],
        "spec": {"name": "file host", "path": "specs/filehost.json"}, "start_ns": START,
        "window": {"start_ns": start, "end_ns": end, "partial": False}, "metric": metric, "components": components,
        "edges": edges,
        "threads": [{"pid": 4711, "tid": 4711 + k, "name": f"worker-{k}", "calls": 900 - 40 * k, "raw_ns": 10**9 * (8 - k)}
                    for k in range(8)],
        "health": {
            "hits": hits, "delivered": hits - lost, "lost": lost, "pending": 0, "lost_causes": {"ring": lost, "slots": 0},
            "orphan_exits": 2, "abandoned": 3,
            "trace": {"entries": hits // 2, "open": 2, "clamped": 0, "evicted": 0, "stack_switches": 0},
            "balanced": True, "attached": attached, "refused": refused,
            "probe_cost": [{"site": "push", "exit_mode": "ret-sites", "inside_ns": 312.0, "outside_ns": 418.0},
                           {"site": "nop5", "exit_mode": "session", "inside_ns": 257.0, "outside_ns": 410.0}],
            "attach": "session", "overhead_pct": 0.4,
            "throttled": [] if options.healthy else ["fh::FileReader::next_block"],
            "notes": [] if options.healthy else ["the executable was replaced on disk after it was started"],
            "disabled": disabled, "switches": program.switches, "probes_paused": program.paused,
            "history_bytes": 31 << 20}}


def strip(program, asked):
    start, end = asked.get("start_ns", 0) or START, asked.get("end_ns", 0) or program.now()
    columns = asked["columns"]
    edges = [start + (end - start) * k // columns for k in range(columns + 1)]
    rows = [[0 if program.options.silent else int(row[1] * program.busy(i, a, b) * 1e9) for a, b in zip(edges, edges[1:])]
            for i, row in enumerate(program.rows)]
    lost_at = START + 9_300_000_000
    lost = [12 if a <= lost_at < b else 0 for a, b in zip(edges, edges[1:])]
    return {"start_ns": start, "end_ns": end, "columns": columns, "components": program.names, "real_ns": rows,
            "lost": [] if program.options.healthy else lost}


SLOT = 50_000_000  # ns; one request begins in each


def tree(program, slot):
    """The executions of one request as (component, start, end, real, caller, ess), ns after START."""
    base, rnd, out = slot * SLOT, random.Random(slot), []
    upload = slot % 3 != 0

    def call(name, at, caller, ess):
        index = next((i for i, row in enumerate(program.rows) if row[0] == name), None)
        if index is None:
            return at
        own = int(program.rows[index][1] * 4e7 * (0.4 + rnd.random()))
        place = len(out)
        out.append(None)
        t = at + own // 2
        for callee in program.rows[index][4]:
            if name == "HTTPServer" and (callee == "DirReader") == upload:
                continue
            for _ in range(4 if callee in ("FileEncrypter", "FileReader") else 1):
                t = call(callee, t, index, ess + 1) + own // 16
        end = t + own - own // 2
        nested = sum(e[2] - e[1] for e in out[place + 1:] if e[5] == ess + 1)
        out[place] = (index, at, end, end - at - nested, caller, ess)
        return end

    call("HTTPServer", base + rnd.randrange(SLOT), -1, 0)
    return out


def executions(program, start, end, limit, only=None):
    now, out = program.now(), []
    if not program.options.silent:
        first = max(0, (start - START) // SLOT - 20)
        for slot in range(first, max(first, (end - START) // SLOT + 1)):
            for eoi, (index, a, b, real, caller, ess) in enumerate(tree(program, slot)):
                a, b = a + START, b + START
                if b <= start or a >= end or a >= now or only is not None and index != only or program.is_off(index, a):
                    continue
                closed = "open" if b > now else "lossy" if index == 8 and slot % 40 == 7 else "returned"
                out.append({"operation": index, "caller": caller, "pid": 4711, "tid": 4711 + slot % 8, "start_ns": a,
                            "end_ns": min(b, now), "real_ns": min(real, min(b, now) - a), "trace_id": slot, "eoi": eoi,
                            "ess": ess, "closed": closed})
    out.sort(key=lambda e: e["start_ns"])
    left_out = max(0, len(out) - limit)
    return {"start_ns": start, "end_ns": end,
            "operations": [{"component": n, "name": operations(program, i, start, start)[0]["name"]}
                           for i, n in enumerate(program.names)],
            "away": [{"component": n, "start_ns": max(start, a), "end_ns": min(end, b or end)}
                     for i, n in enumerate(program.names) for a, b in program.off[i] if a < end and (b is None or b > start)],
            "executions": out[left_out:], "folds": [], "left_out": left_out, "partial": False}


def details(program, name, start, end):
    if name not in program.names:
        return None
    i = program.names.index(name)
    mean, calls = program.rows[i][3] * 1e6, figures(program, i, start, end)["calls"]
    buckets, low = [], mean / 4
    while low < mean * 4:
        high, x = low * 2 ** 0.1, math.log2(low / mean)
        share = math.exp(-x * x * 14) + 0.12 * math.exp(-(x - 0.7) ** 2 * 60)
        buckets.append({"from_ns": int(low), "to_ns": int(high), "count": int(calls * share * 0.14)})
        low = high
    recent = executions(program, max(START, end - 3_000_000_000), end, 50, i)
    return {"component": name, "histogram": buckets if calls else [], "recent": recent}


def answer(program, asked):
    now = program.now()
    window = asked.get("window", {})
    end = window.get("end_ns", 0) or now
    start = window.get("start_ns", START) if window.get("end_ns") else START
    if window.get("last_s"):
        start = max(START, now - int(window["last_s"] * 1e9))
    out = {"answer": "view", "id": asked.get("id", 0),
           "run": {"start_ns": START, "now_ns": now, "live": not program.options.ended, "replay": False,
                   "events_per_s": 0.0 if program.options.silent or program.options.ended else 11240.0,
                   "complete_since_ns": 0}}
    if asked.get("snapshot", True):
        out["snapshot"] = snapshot(program, start, end, asked.get("metric") or "overall")
    if asked.get("strip"):
        out["strip"] = strip(program, asked["strip"])
    if asked.get("executions"):
        wanted = asked["executions"]
        a, b = (wanted["start_ns"], wanted["end_ns"]) if wanted.get("end_ns") else (start, end)
        out["executions"] = executions(program, a, b, wanted.get("limit", 4000))
    if asked.get("details"):
        out["details"] = details(program, asked["details"], start, end)
    if asked.get("analysis"):
        names = [(name, operations(program, i, start, start)[0]["name"]) for i, name in enumerate(program.names)]
        out["analysis"] = fake_analyses.answer(program, tree, names, asked["analysis"], start, end, START)
    return {k: v for k, v in out.items() if v is not None}


HELLO = {"answer": "hello", "protocol": "compmond.view/1", "version": "0.1.0", "spec_name": "file host", "control": True,
         "metrics": [{"name": "overall", "description": "real time in the window"},
                     {"name": "mean", "description": "mean real time per execution"},
                     {"name": "normalized-mean", "description": "as mean, but 0 is the component with the smallest mean"},
                     {"name": "calls", "description": "executions begun in the window"},
                     {"name": "maximum", "description": "the longest raw time of one execution"},
                     {"name": "p99", "description": "99 of 100 executions had a raw time at most this long"}]}


class Client(socketserver.StreamRequestHandler):
    def say(self, value):
        self.wfile.write(json.dumps(value, separators=(",", ":")).encode() + b"\n")

    def handle(self):
        try:
            self.say(HELLO)
            for line in self.rfile:
                asked = json.loads(line)
                if self.server.log:
                    self.server.log.write(line.decode())
                    self.server.log.flush()
                if self.server.program.options.slow:
                    time.sleep(self.server.program.options.slow)
                if asked.get("request") == "view":
                    self.say(answer(self.server.program, asked))
                elif asked.get("action") in ("enable", "disable", "pause-probes", "resume-probes"):
                    program = self.server.program
                    done, error = program.switch(asked["action"], asked.get("target", ""), program.now())
                    self.say({"answer": "control", "id": asked.get("id", 0), "done": done, "error": error})
                else:
                    self.say({"answer": "control", "id": asked.get("id", 0), "done": f"{asked.get('action')}: done", "error": ""})
        except OSError:
            pass  # the client went away


class UnixServer(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True


class TcpServer(socketserver.ThreadingMixIn, socketserver.TCPServer):
    daemon_threads = True
    allow_reuse_address = True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--listen", required=True)
    parser.add_argument("--log", help="a file that gets every request")
    parser.add_argument("--components", type=int, default=10)
    parser.add_argument("--age", type=float, default=22.0)
    parser.add_argument("--slow", type=float, default=0.0)
    for flag in ("long-names", "nested", "freeze", "healthy", "ended", "switched", "silent", "nothing-attached"):
        parser.add_argument(f"--{flag}", action="store_true")
    options = parser.parse_args()
    if options.listen.isdigit():
        server = TcpServer(("127.0.0.1", int(options.listen)), Client)
    else:
        if os.path.exists(options.listen):
            os.unlink(options.listen)
        server = UnixServer(options.listen, Client)
    server.program = Program(options)
    server.log = open(options.log, "a", encoding="utf-8") if options.log else None
    print("listening", server.server_address, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
