# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL server of its own in a temporary folder, and pgbench."""

import glob
import json
import pathlib
import re
import shutil
import socket
import subprocess

import observers
from support import ROOT

SPEC = ROOT / "specs" / "postgresql.json"
SCALE = 10


def programs():
    folders = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
    if not folders:
        raise observers.Absent("PostgreSQL is not installed")
    return pathlib.Path(folders[-1])


class Server:
    """Without fsync, so that processors and not disks are what a transaction waits for."""

    def __init__(self, settings=""):
        self.bin = programs()
        self.image = self.bin / "postgres"
        self.folder = pathlib.Path(subprocess.check_output(["mktemp", "-d", "/tmp/compmond-bench-pg-XXXXXX"], text=True).strip())
        shutil.chown(self.folder, "postgres", "postgres")
        self.data = self.folder / "data"
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.run("initdb", "-D", self.data, "--auth=trust", "--no-sync", "-U", "postgres")
        with open(self.data / "postgresql.conf", "a", encoding="utf-8") as conf:
            conf.write(f"port = {self.port}\nlisten_addresses = ''\nunix_socket_directories = '{self.folder}'\n"
                       "fsync = off\nautovacuum = off\nshared_buffers = 256MB\nmax_wal_size = 4GB\ncheckpoint_timeout = 1d\n"
                       f"{settings}\n")
        self.run("pg_ctl", "-D", self.data, "-l", self.folder / "log", "-w", "start")
        self.pid = int((self.data / "postmaster.pid").read_text().split("\n")[0])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.run("pg_ctl", "-D", self.data, "-m", "immediate", "-w", "stop", check=False)
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, program, *arguments, check=True):
        command = ["runuser", "-u", "postgres", "--", str(self.bin / program), *map(str, arguments)]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300,
                              cwd=self.folder, stdin=subprocess.DEVNULL, check=False,
                              start_new_session=True)  # as another terminal: the scheduler is fair to sessions
        if check and done.returncode != 0:
            raise RuntimeError(done.stdout)
        return done.stdout

    def pgbench(self, *arguments):
        return self.run("pgbench", "-h", self.folder, "-p", self.port, "-U", "postgres", *arguments, "postgres")

    def fill(self):
        self.pgbench("-i", "-s", SCALE, "-q")

    def tps(self, *arguments):
        """Transactions per second, without the time to connect, and how many there were. pgbench vacuums its small tables
        first, so that no run pays for the rows that earlier ones left dead."""
        out = self.pgbench(*arguments)
        number = re.search(r"number of transactions actually processed: (\d+)", out)
        return float(re.search(r"tps = ([\d.]+) \(without", out).group(1)), int(number.group(1))


def spec_of(symbols):
    """The shipped spec, with these operations alone."""
    def thin(component):
        kept = {key: value for key, value in component.items() if key not in ("in", "out", "components")}
        for interface in ("in", "out"):
            chosen = [one for one in component.get(interface, []) if one in symbols]
            if chosen:
                kept[interface] = chosen
        inner = [one for one in map(thin, component.get("components", [])) if one]
        if inner:
            kept["components"] = inner
        return kept if any(key in kept for key in ("in", "out", "components")) else None

    value = json.loads(SPEC.read_text(encoding="utf-8"))
    return {"schema": value["schema"], "name": value["name"],
            "components": [one for one in map(thin, value["components"]) if one]}
