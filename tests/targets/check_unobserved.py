#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every program of manifest.json unobserved, at once and after --wait, and compares output and exit status.

usage: check_unobserved.py FOLDER_WITH_PROGRAMS
"""

import json
import os
import pathlib
import re
import subprocess
import sys

SKIPPED = 77  # the program's own word for "not possible here"


def run(folder, entry, wait):
    command = [str(folder / entry["program"])] + (["--wait"] if wait else []) + entry["args"]
    done = subprocess.run(command, input="\n", capture_output=True, text=True, timeout=60)
    output = re.sub(r"\Apid \d+\n", "", done.stdout) if wait else done.stdout
    if wait and done.returncode != SKIPPED and output == done.stdout:
        return f"{command}: no 'pid N' line first: {done.stdout!r}"
    if done.returncode == SKIPPED and "root" in entry.get("needs", []):
        return None
    if (output, done.returncode) != (entry["stdout"], entry["exit"]):
        return f"{command}: {output!r}, exit {done.returncode}; expected {entry['stdout']!r}, exit {entry['exit']}; {done.stderr}"
    return None


def main():
    folder = pathlib.Path(sys.argv[1])
    manifest = json.loads((pathlib.Path(__file__).parent / "manifest.json").read_text())
    failures = []
    count = 0
    for entry in manifest["programs"]:
        if "rustc" in entry.get("needs", []) and not os.path.exists(folder / entry["program"]):
            continue
        for wait in (False, True):
            count += 1
            failures.append(run(folder, entry, wait))
    failures = [failure for failure in failures if failure]
    print("\n".join(failures + [f"{count - len(failures)} as described, {len(failures)} not"]))
    sys.exit(1 if failures else 0)


main()
