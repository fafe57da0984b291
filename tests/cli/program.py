# SPDX-License-Identifier: Apache-2.0
"""Runs compmond on files, without privileges. COMPMOND_BUILD names the build folder (default: build/dev)."""

import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("COMPMOND_BUILD", ROOT / "build" / "dev"))
COMPMOND = BUILD / "bin" / "compmond"


def run(*arguments, code=0):
    """stdout and stderr of a run that ends with this exit code."""
    done = subprocess.run([str(COMPMOND), *map(str, arguments)], capture_output=True, text=True, timeout=120,
                          stdin=subprocess.DEVNULL)
    assert done.returncode == code, f"exit {done.returncode}, not {code}: {done.stderr}{done.stdout[:2000]}"
    return done.stdout, done.stderr


def analyze(report, *arguments):
    """The report as JSON."""
    return json.loads(run("analyze", "--report", report, "--format", "json", *arguments)[0])
