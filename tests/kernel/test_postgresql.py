# SPDX-License-Identifier: Apache-2.0
"""PostgreSQL under pgbench and failing statements: counts against what pgbench says, times against each other and the wall."""

import glob
import os
import pathlib
import re
import shutil
import socket
import subprocess
import time

import pytest
import support
from support import ROOT, Profiler, check_accounting, component, operation

PROGRAMS = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
SPEC = ROOT / "specs" / "postgresql.json"


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Server:
    """A cluster of its own in a temporary folder, on a free port, as user postgres."""

    def __init__(self):
        assert PROGRAMS, "PostgreSQL is not installed: run scripts/setup"
        self.bin = pathlib.Path(PROGRAMS[-1])
        self.folder = pathlib.Path(subprocess.check_output(["mktemp", "-d", "/tmp/compmond-pg-XXXXXX"], text=True).strip())
        shutil.chown(self.folder, "postgres", "postgres")
        self.data = self.folder / "data"
        self.port = free_port()
        self.run("initdb", "-D", self.data, "--auth=trust", "--no-sync", "-U", "postgres")
        with open(self.data / "postgresql.conf", "a") as conf:
            conf.write(f"port = {self.port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = '{self.folder}'\n"
                       "fsync = off\nautovacuum = off\n")
        self.run("pg_ctl", "-D", self.data, "-l", self.folder / "log", "-w", "start")
        self.pid = int((self.data / "postmaster.pid").read_text().split("\n")[0])

    def run(self, program, *arguments, check=True):
        command = ["runuser", "-u", "postgres", "--", str(self.bin / program), *map(str, arguments)]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120,
                              cwd=self.folder, stdin=subprocess.DEVNULL)
        assert not check or done.returncode == 0, done.stdout
        return done.stdout

    def psql(self, sql):
        return self.run("psql", "-h", self.folder, "-p", self.port, "-U", "postgres", "-X", "-A", "-t", "-c", sql, check=False)

    def pgbench(self, *arguments):
        return self.run("pgbench", "-h", self.folder, "-p", self.port, "-U", "postgres", *arguments, "postgres")

    def stop(self):
        self.run("pg_ctl", "-D", self.data, "-m", "immediate", "-w", "stop", check=False)
        shutil.rmtree(self.folder, ignore_errors=True)


@pytest.fixture(scope="module")
def server():
    instance = Server()
    try:
        instance.pgbench("-i", "-s", "1", "-q")
        yield instance
    finally:
        instance.stop()


def transactions(pgbench_output):
    return int(re.search(r"number of transactions actually processed: (\d+)", pgbench_output).group(1))


def test_statement_counts_equal_what_pgbench_executed(server):
    with Profiler(SPEC, "--pid", server.pid) as profiler:
        began = time.monotonic()
        out = server.pgbench("-c", "4", "-j", "2", "-t", "50", "-n")
        wall_ns = int((time.monotonic() - began) * 1e9)
        snapshot = profiler.finish(end=True)
    check_accounting(snapshot)
    done = transactions(out)
    assert done == 200
    assert snapshot["health"]["lost"] == 0
    # A TPC-B transaction: BEGIN, 3 UPDATEs, SELECT, INSERT, END; pgbench itself asks a few things before.
    executed = operation(snapshot, "standard_ExecutorRun")["calls"]
    assert executed >= 5 * done
    assert executed <= 5 * done + 20
    parsed = operation(snapshot, "raw_parser")["calls"]
    assert 7 * done <= parsed <= 7 * done + 20
    planned = operation(snapshot, "standard_planner")["calls"]
    assert 5 * done <= planned <= 5 * done + 20
    # Times: nobody's real time exceeds its raw time, nor all of them what the backends could have used.
    leaves = [c for c in snapshot["components"] if c["operations"]]
    assert sum(c["real_ns"] for c in leaves) <= wall_ns * (len(snapshot["threads"]) + 1)
    executor = component(snapshot, "Executor")
    assert 0 < executor["real_ns"] < executor["raw_ns"]
    assert executor["raw_ns"] <= component(snapshot, "Portals")["raw_ns"]  # the executor runs inside portals


def test_failing_statements_behave_the_same_and_close_their_frames(server):
    statements = ["SELECT 1/0", "SELECT * FROM nowhere", "SELECT 'x'::int", "SELEKT", "SELECT 1/(i-5) FROM generate_series(1,9) i"]
    plain = [server.psql(sql) for sql in statements]
    with Profiler(SPEC, "--pid", server.pid) as profiler:
        observed = [server.psql(sql) for sql in statements]
        snapshot = profiler.finish(end=True)
    assert observed == plain
    assert all("ERROR" in text for text in observed)
    check_accounting(snapshot)
    assert snapshot["health"]["abandoned"] >= 3  # PostgreSQL leaves frames by siglongjmp on every error
    assert operation(snapshot, "raw_parser")["calls"] >= len(statements)
    assert operation(snapshot, "AbortCurrentTransaction")["calls"] >= len(statements)


def test_a_backend_alone_can_be_observed(server):
    session = subprocess.Popen(["runuser", "-u", "postgres", "--", "psql", "-h", str(server.folder), "-p", str(server.port), "-X",
                                "-A", "-t", "-q"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
                               cwd=server.folder)
    session.stdin.write("SELECT pg_backend_pid();\n")
    backend = int(session.stdout.readline())
    with Profiler(SPEC, "--pid", backend) as profiler:
        for _ in range(10):
            session.stdin.write("SELECT count(*) FROM pgbench_branches;\n")
            assert session.stdout.readline() == "1\n"
        server.psql("SELECT 1")  # another backend: not ours
        snapshot = profiler.finish(end=True)
    session.stdin.close()
    session.wait(timeout=support.DEADLINE)
    assert operation(snapshot, "standard_ExecutorRun")["calls"] == 10
    assert [t["pid"] for t in snapshot["targets"]] == [backend]
    check_accounting(snapshot)
    assert os.path.exists(server.data)
