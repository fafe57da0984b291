#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records the hazard programs anew into tests/replay/logs: a log of each, and what its replay must find. As root.

The figures come from the live run after they were checked against tests/targets/manifest.json, so that a golden log never
holds a mistake that its recorder made."""

import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "kernel"))
import support  # noqa: E402
import test_targets  # noqa: E402

# program and arguments as in the manifest -> arguments that make a smaller log of the same kind
CHOSEN = {"exception": ["100"], "longjmp": ["100"], "siglongjmp": ["50"], "tail": ["100"], "mutual_tail": ["20", "10"],
          "deep": ["100"], "fork_inside": [], "exec_inside": [], "exec_from_thread": [], "thread_exit": ["10"], "fiber": [],
          "signal": ["50"], "coro": ["10"], "main_exits_first": ["100"]}
MOST_BYTES = 20 * 1024
LOGS = ROOT / "tests" / "replay" / "logs"


def expectations(snapshot):
    operations = [{"symbol": o["symbol"], "calls": o["calls"], "open": o["open"], "closed": o["closed"], "raw_ns": o["raw_ns"],
                   "real_ns": o["real_ns"]} for c in snapshot["components"] for o in c["operations"]]
    health = snapshot["health"]
    return {"operations": operations, "orphan_exits": health["orphan_exits"], "entries": health["trace"]["entries"],
            "stack_switches": health["trace"]["stack_switches"], "balanced": health["balanced"]}


def record(entry):
    name = entry["program"]
    fresh = LOGS / (name + ".fresh")
    out, status, snapshot = test_targets.observe(entry, test_targets.spec_of(entry), options=("--record", fresh))
    assert (out, status) == (entry["stdout"], entry["exit"]), name
    test_targets.check_figures(entry, snapshot)
    log = LOGS / (name + ".log")
    subprocess.run([support.BIN / "strip_log", fresh, log], check=True)
    fresh.unlink()
    assert log.stat().st_size < MOST_BYTES, (name, log.stat().st_size)
    (LOGS / (name + ".json")).write_text(json.dumps(expectations(snapshot), indent=1) + "\n")
    print(f"{name}: {log.stat().st_size} bytes")


def main():
    LOGS.mkdir(exist_ok=True)
    for entry in test_targets.MANIFEST:
        if CHOSEN.get(entry["program"]) == entry["args"]:
            record(entry)


if __name__ == "__main__":
    main()
