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
real = {c["name"]: c["net_real_ns"] or 0 for c in components}  # null: known by samples alone
for name, ns in sorted(real.items(), key=lambda one: -one[1]):
    print(f'{name:24} {"█" * round(40 * ns / (max(real.values()) or 1)):40} {ns / 1e6:10.1f} ms')
