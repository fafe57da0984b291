# SPDX-License-Identifier: Apache-2.0
"""Servers whose clients run for some seconds at a time and tell what they waited for."""

import bisect
import csv
import re
import statistics
import subprocess

import observers
from counted_loads import components, Nginx as CountedNginx, Redis as CountedRedis
from loads import Load, answers, free_port, needed
from postgres import SPEC, Server

P99 = 0.99


def said(*command):
    return subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=True, start_new_session=True).stdout


class Pgbench(Load):
    """PostgreSQL, two clients."""

    name, options, spec = "pgbench -S", ("-S",), SPEC

    def begin(self):
        self.server = Server()
        self.server.fill()
        self.pid, self.number = self.server.pid, 0

    def clients(self, seconds, *options):
        """(when it ended, how long it took) of each transaction, in s."""
        self.number += 1
        book = self.server.folder / f"timed{self.number}"
        self.server.pgbench("-n", "-c", 2, "-j", 1, "-T", seconds, "-l", "--log-prefix", book, *(options or self.options))
        lines = [line.split() for file in self.server.folder.glob(book.name + ".*") for line in file.read_text().splitlines()]
        return sorted((int(line[4]) + int(line[5]) / 1e6, int(line[2]) / 1e6) for line in lines if len(line) >= 6)

    def pausing(self, seconds, pause_s):
        """The same of clients that do nothing at first, in a transaction of their own."""
        script = self.server.folder / "pausing.sql"
        script.write_text(f"\\set n :n + 1\n\\if :n = 1\n\\sleep {pause_s} s\n\\endif\n\\set aid random(1, 100000)\n"
                          "SELECT abalance FROM pgbench_accounts WHERE aid = :aid;\n")
        return self.clients(seconds, "-D", "n=0", "-f", script)

    def run(self, seconds):
        rows = self.clients(seconds)
        took = sorted(latency for _, latency in rows)
        return {"per_second": len(rows) / (rows[-1][0] - rows[0][0]), "p99_ms": 1e3 * took[int(P99 * len(took))], "longest_ms": 1e3 * took[-1]}

    def __exit__(self, *error):
        super().__exit__(*error)
        if hasattr(self, "server"):
            self.server.__exit__()


class Tpcb(Pgbench):
    name, options = "pgbench (TPC-B)", ()


class Redis(Load):
    """redis-server, twenty clients that get."""

    name = "redis"

    def begin(self):
        server, self.client = needed("redis-server", "redis-benchmark")
        self.port, self.per_second = free_port(), None
        self.pid = self.start(server, "--port", self.port, "--save", "", "--dir", self.folder).pid
        self.spec = components(CountedRedis.functions)
        observers.support.wait_for(lambda: answers(self.port), server)

    def run(self, seconds):
        number = int((self.per_second or 50_000) * seconds)
        [row] = csv.DictReader(said(self.client, "-p", self.port, "-t", "get", "-c", 20, "-r", 100000, "-n", number, "--csv").splitlines())
        self.per_second = self.per_second or float(row["rps"])
        return {"per_second": float(row["rps"]), "p99_ms": float(row["p99_latency_ms"]), "longest_ms": float(row["max_latency_ms"])}


class Nginx(Load):
    """nginx with one worker; eight clients that keep their connections."""

    name = "nginx"

    def begin(self):
        server, self.client = needed("nginx", "wrk")
        self.port = free_port()
        self.folder.chmod(0o755)
        (self.folder / "small").write_bytes(b"x" * 100)
        (self.folder / "settings").write_text(CountedNginx.settings.format(folder=self.folder, port=self.port))
        self.pid = self.start(server, "-c", self.folder / "settings", "-p", self.folder).pid
        self.spec = components(CountedNginx.functions)
        observers.support.wait_for(lambda: answers(self.port), server)

    def run(self, seconds):
        text = said(self.client, "-t", 1, "-c", 8, "-d", seconds, "--latency", f"http://127.0.0.1:{self.port}/small")
        return {"per_second": float(re.search(r"Requests/sec:\s+([\d.]+)", text).group(1)), "p99_ms": in_ms(re.search(r"99%\s+(\S+)", text).group(1)),
                "longest_ms": in_ms(re.search(r"Latency\s+\S+\s+\S+\s+(\S+)", text).group(1))}


def in_ms(text):
    number, unit = re.fullmatch(r"([\d.]+)(us|ms|s)", text).groups()
    return float(number) * {"us": 1e-3, "ms": 1, "s": 1e3}[unit]


ALL = [Pgbench, Tpcb, Redis, Nginx]

SPAN_S, STEP_S = 0.02, 0.001


def below_half_s(ends, start, end, per_second):
    """For how long at a time, in s, less than half as many end within 20 ms as do usually, within [start, end). Of a time without any
    end that is its length."""
    few = per_second * SPAN_S / 2
    longest = run = 0
    for step in range(int((end - start - SPAN_S) / STEP_S)):
        at = start + step * STEP_S
        run = run + 1 if bisect.bisect_left(ends, at + SPAN_S) - bisect.bisect_left(ends, at) < few else 0
        longest = max(longest, run)
    return longest * STEP_S


def usual(ends, start, end):
    """How many end in a second, by the median of tenths of a second."""
    tenths = [start + i / 10 for i in range(int((end - start) * 10) + 1)]
    return 10 * statistics.median(bisect.bisect_left(ends, to) - bisect.bisect_left(ends, since) for since, to in zip(tenths, tenths[1:]))
