#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what a running compmond answers to the window, a line per answer, for tests/unit/ui/scenes_test.cpp.

usage: record_scene.py SOCKET > tests/unit/ui/scenes/NAME.jsonl"""

import json
import pathlib
import socket
import sys

ROOT = str(pathlib.Path(__file__).resolve().parents[2])
WINDOW = {"last_s": 5}
REPORTS = ["traces", "classes", "trace", "call-tree", "dependency-graph", "markov", "inside"]
LIMIT = 60  # of rows, functions, paths: what a screen holds


def main():
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(sys.argv[1])
        daemon = connection.makefile("rw")
        daemon.readline()  # the greeting

        def ask(**request):
            print(json.dumps({"request": "view", "window": WINDOW, **request}), file=daemon, flush=True)
            return json.loads(daemon.readline())

        components = ask()["snapshot"]["components"]
        hottest = max(components, key=lambda component: component["hotness"] or 0)["name"]
        answers = [ask(strip={"columns": 60}, executions={"pixels": 300, "limit": 150}, details=hottest)]
        for report in REPORTS:
            of = {"component": hottest} if report == "inside" else {}
            answers.append(ask(snapshot=False, analysis={"report": report, "limit": LIMIT, **of}))
    spec = answers[0]["snapshot"]["spec"]
    spec["path"] = pathlib.Path(spec["path"]).name
    for answer in answers:
        if "error" not in answer:  # such as Inside without samples
            print(json.dumps(answer, separators=(",", ":"), ensure_ascii=False).replace(ROOT, "/opt/compmond"))


main()
