#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Adds up the JUnit reports of one test run and prints the closing line "N passed, N failed"; exits 1 on a failure.

usage: sum_results.py FOLDER     with NAME.status (the runner's exit status) and NAME.xml (its report) for each runner
"""

import os
import pathlib
import sys
import xml.etree.ElementTree


def count(report):
    """(passed, failed, skipped) of one report."""
    passed = failed = skipped = 0
    for case in xml.etree.ElementTree.parse(report).iter("testcase"):
        broken = case.find("failure") is not None or case.find("error") is not None
        if case.find("skipped") is not None:
            skipped += 1
        else:
            passed += not broken
            failed += broken
    return passed, failed, skipped


def main():
    total_passed = total_failed = 0
    for status_file in sorted(pathlib.Path(sys.argv[1]).glob("*.status")):
        name = status_file.stem
        report = status_file.with_suffix(".xml")
        passed, failed, skipped = count(report) if report.exists() else (0, 0, 0)
        status = int(status_file.read_text())
        if status != 0 and failed == 0:
            print(f"{name}: the runner itself failed (exit status {status})")
            failed = 1
        if passed + failed + skipped == 0:
            print(f"{name}: no test was run")
            failed = 1
        if skipped and name.startswith("kernel") and os.environ.get("CI") == "true":
            print(f"{name}: {skipped} skipped, which counts as failed when CI=true")
            failed += skipped
        print(f"{name}: {passed} passed, {failed} failed, {skipped} skipped")
        total_passed += passed
        total_failed += failed
    print(f"{total_passed} passed, {total_failed} failed")
    sys.exit(1 if total_failed else 0)


main()
