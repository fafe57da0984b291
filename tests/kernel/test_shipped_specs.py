# SPDX-License-Identifier: Apache-2.0
"""How exits of the shipped specs' operations are seen on Debian's programs: whoever costs them their return probes is told which and why."""

import collections
import glob
import json
import subprocess

import support
from support import COMPMOND, ROOT

# By hand, with Debian 12's PostgreSQL 15, SQLite 3.40 and OpenSSL 3.0; libcrypto makes contexts (docs/decisions/0001).
MODES = {
    "postgresql": {"return-probe": 48},
    "sqlite": {"return-probe": 36},
    "openssl": {"ret-sites": 35},
}


def checked(name, *target):
    command = [COMPMOND, "check", "--json", "--spec", ROOT / "specs" / f"{name}.json", *target]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, timeout=support.DEADLINE).stdout)["operations"]


def holds(name, operations):
    others = [(o["name"], o["exit_mode"], o["reason"]) for o in operations if o["exit_mode"] not in MODES[name]]
    assert dict(collections.Counter(o["exit_mode"] for o in operations)) == MODES[name], others


def test_postgresql_keeps_its_return_probes():
    programs = sorted(glob.glob("/usr/lib/postgresql/*/bin/postgres"))
    assert programs, "PostgreSQL is not installed: run scripts/setup"
    holds("postgresql", checked("postgresql", "--exe", programs[-1]))


def test_sqlite_keeps_its_return_probes():
    """In its own shell: python3 imports sigaltstack, and no function in it gets return probes."""
    holds("sqlite", checked("sqlite", "--exe", "/usr/bin/sqlite3"))


def test_openssl_is_seen_at_its_own_returns():
    holds("openssl", checked("openssl", "--exe", "/usr/bin/openssl"))
