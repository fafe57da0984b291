#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Components of a running compmond as a bar chart, the last 5 seconds. usage: bars.py /run/compmond/PID.sock
import json, socket, sys
connection = socket.socket(socket.AF_UNIX)
connection.connect(sys.argv[1])
daemon = connection.makefile("rw")
daemon.readline()  # the greeting
print('{"request": "view", "window": {"last_s": 5}}', file=daemon, flush=True)
components = json.loads(daemon.readline())["snapshot"]["components"]
for c in sorted(components, key=lambda c: -c["hotness"]):
    print(f'{c["name"]:24} {"█" * round(c["hotness"] * 0.4):40} {c["net_real_ns"] / 1e6:10.1f} ms')
