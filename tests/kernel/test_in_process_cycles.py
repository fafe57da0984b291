# SPDX-License-Identifier: Apache-2.0
"""Programs under load that are patched and left again, over and over: their code, mappings and descriptors are as before.

In CI some times; by hand COMPMOND_CYCLES=1000, also with redis and a Java machine where these are installed."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess

import pytest
import support
from support import BIN, TARGETS, Folder
from test_in_process import IN_PROCESS, code_of, running
from test_postgresql import Server

pytestmark = pytest.mark.alone

CYCLES = int(os.environ.get("COMPMOND_CYCLES", "20"))
LIBC = pathlib.Path("/usr/lib/x86_64-linux-gnu/libc.so.6").resolve()


def looks_of(pid):
    """What may not change by it: code of files, what else is mapped that a patch needs, and descriptors."""
    code = {where: held for where, held in code_of(pid).items() if where[1].startswith("/")}
    maps = [line.split()[0] for line in pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines() if "/dev/zero" in line]
    links = {number: os.readlink(f"/proc/{pid}/fd/{number}") for number in os.listdir(f"/proc/{pid}/fd")}
    return code, maps, {number: to for number, to in links.items() if not to.startswith("socket:")}  # clients come and go


@contextlib.contextmanager
def filehost():
    with running(BIN / "filehost", "--rate", 400) as process:
        yield process.pid, BIN / "filehost", lambda: process.poll() is None


@contextlib.contextmanager
def postgresql():
    """One of its server processes, with a client that never stops asking."""
    server = Server()
    client = None
    try:
        server.pgbench("-i", "-s", "1", "-q")
        command = ["runuser", "-u", "postgres", "--", server.bin / "pgbench", "-h", server.folder, "-p", server.port, "-U", "postgres", "-n",
                   "-S", "-T", "100000", "-P", "1", "postgres"]
        client = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        support.read_line(client.stderr, "its first progress")
        worker = int(server.psql("select pid from pg_stat_activity where application_name = 'pgbench'"))
        yield worker, server.bin / "postgres", lambda: "tps" in support.read_line(client.stderr, "more progress")
    finally:
        if client:
            client.terminate()
            client.wait()
        server.stop()


@contextlib.contextmanager
def redis():
    with Folder() as folder, socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
        probe.close()
        server = subprocess.Popen(["redis-server", "--port", port, "--dir", folder, "--save", ""], stdout=subprocess.PIPE)
        client = None
        try:
            while b"Ready to accept" not in server.stdout.readline():
                pass
            client = subprocess.Popen(["redis-benchmark", "-p", port, "-l", "-q"], stdout=subprocess.DEVNULL)
            yield server.pid, pathlib.Path(shutil.which("redis-server")).resolve(), lambda: server.poll() is None and client.poll() is None
        finally:
            for process in filter(None, (client, server)):
                process.kill()
                process.wait()


JAVA = """
public class Busy {
    public static void main(String[] all) throws Exception {
        System.out.println("ready");
        for (long n = 0;; n++) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < 100; i++) text.append(n + i);
            if (text.toString().hashCode() == 42) System.gc();
            if (n % 5000 == 0) new Thread(() -> System.nanoTime()).start();
        }
    }
}
"""


@contextlib.contextmanager
def java():
    """Its collector stops its threads by signals and by pages that they may not read."""
    with Folder() as folder:
        (folder / "Busy.java").write_text(JAVA)
        with running("java", folder / "Busy.java") as process:
            machine = next(line.split()[-1] for line in pathlib.Path(f"/proc/{process.pid}/maps").read_text().splitlines() if line.endswith("/libjvm.so"))
            assert machine
            yield process.pid, LIBC, lambda: process.poll() is None


PROGRAMS = [filehost, postgresql] + [one for one, tool in ((redis, "redis-server"), (java, "java")) if "COMPMOND_CYCLES" in os.environ and shutil.which(tool)]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda one: one.__name__)
def test_a_program_that_was_patched_often_is_as_before(program):
    with program() as (pid, file, works):
        before = looks_of(pid)
        done = subprocess.run([BIN / "bench" / "bench_patched", "cycles", str(pid), file, str(CYCLES)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        told = json.loads(done.stdout)
        assert told["cycles"] == CYCLES and told["functions"] > 20 and told["refused"] == 0, told
        code, maps, descriptors = looks_of(pid)
        assert code == before[0] and maps == before[1]
        if program is not java:  # which opens and closes its own
            assert descriptors == before[2]
        assert works()


def test_every_system_call_that_waits_returns_as_if_nobody_had_come():
    """Relative timeouts of some begin anew (SECURITY.md): the program's are long."""
    with support.Target(TARGETS / "blocked") as target:
        before = looks_of(target.pid)
        done = subprocess.run([BIN / "bench" / "bench_patched", "cycles", str(target.pid), LIBC, "5"], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        with support.Profiler(support.spec(["main"]), "--pid", target.pid, options=IN_PROCESS) as profiler:
            profiler.finish(end=True)
        assert looks_of(target.pid) == before
        out, status = target.finish()
    assert re.fullmatch("4[67] calls, 0 wrong, 2 signals", out.strip()) and status == 0, out  # 47 where int 0x80 is one
