# SPDX-License-Identifier: Apache-2.0
"""compmond observes compmond while that observes the file host: a demanding C++ program that reads and writes all the time."""

import subprocess

from support import BIN, ROOT, Profiler, check_accounting, component, wait_for


def test_compmond_observes_itself():
    with subprocess.Popen([BIN / "filehost"], stdout=subprocess.DEVNULL) as host:
        try:
            with Profiler(ROOT / "specs" / "filehost.json", "--pid", host.pid) as observed:
                with Profiler(ROOT / "specs" / "compmond.json", "--pid", observed.process.pid) as observer:
                    observed.snapshot_now()
                    wait_for(lambda: component(observer.snapshot_now(), "Trace")["calls"] > 0, "a batch of events that it took in")
                    inner = observed.finish(end=True)
                    outer = observer.finish()
        finally:
            host.kill()
    check_accounting(inner)
    check_accounting(outer)
    assert inner["health"]["lost"] == 0 and outer["health"]["lost"] == 0
    calls = {name: component(outer, name)["calls"] for name in ("Capture", "Trace", "Run", "Snapshot")}
    assert all(calls.values()), calls
    assert ("Capture", "Trace") in [(edge["from"], edge["to"]) for edge in outer["edges"]]
