# SPDX-License-Identifier: Apache-2.0
"""A library inside any process: SQLite through python3, libcrypto through openssl."""

import pathlib
import subprocess

import support
from support import ROOT, Profiler, check_accounting, operation

SQLITE = """
import sqlite3, sys
db = sqlite3.connect(":memory:")
db.execute("create table t (i integer, s text)")
for i in range(500):
    db.execute("insert into t values (?, ?)", (i, str(i)))
print(db.execute("select sum(i) from t").fetchone()[0])
db.close()
"""


def test_sqlite_inside_python():
    """The library is mapped by import, long after the start: python waits on stdin until probes are placed."""
    waits = "import sqlite3, os, sys; print('pid', os.getpid(), flush=True); sys.stdin.readline()\n" + SQLITE
    process = subprocess.Popen(["/usr/bin/python3", "-c", waits], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    pid = int(support.read_line(process.stdout, "python's pid").split()[1])
    with Profiler(ROOT / "specs" / "sqlite.json", "--pid", pid) as profiler:
        out, _ = process.communicate(b"\n", timeout=support.DEADLINE)
        snapshot = profiler.finish()
    assert out == b"124750\n"
    assert process.returncode == 0
    check_accounting(snapshot)
    # 500 inserts, one create, one select, BEGIN; a select steps once per row and once for the end.
    steps = operation(snapshot, "sqlite3_step")["calls"]
    assert 503 <= steps <= 510
    assert operation(snapshot, "sqlite3_step")["closed"]["returned"] == steps
    assert snapshot["health"]["lost"] == 0


def test_libcrypto_inside_openssl():
    with Profiler(ROOT / "specs" / "openssl.json", "--", "/usr/bin/openssl", "dgst", "-sha256", "/etc/debian_version") as profiler:
        snapshot = profiler.finish()
        expected = subprocess.check_output(["sha256sum", "/etc/debian_version"], text=True).split()[0]
        assert expected in profiler.stdout.decode()
    check_accounting(snapshot)
    assert sum(c["calls"] for c in snapshot["components"]) > 0
    assert all(pathlib.Path(o["image"]).name.startswith(("libcrypto", "libssl"))
               for c in snapshot["components"] for o in c["operations"])
