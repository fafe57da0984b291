# SPDX-License-Identifier: Apache-2.0
"""Recorded runs as logs of Kieker, and what damage makes of their traces."""

import json
import subprocess

import pytest
from support import COMPMOND, Folder, wait_for
from test_record import filehost, replay
from test_replay_view import Replay

REPORTS = ["equivalence-classes", "dependency-graph", "aggregated-call-tree", "markov", "matrix"]


@pytest.fixture(name="log", scope="module")
def _log():
    with Folder() as folder:
        with filehost(folder / "log", 300) as profiler:
            profiler.finish()
        yield folder / "log"


def analyze(report, log, *options):
    done = subprocess.run([str(c) for c in (COMPMOND, "analyze", log, "--report", report, "--format", "json", *options)],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def numbers(document):
    """In their order: names change where Kieker takes others."""
    out = []
    json.loads(json.dumps(document), parse_int=out.append, parse_float=out.append)
    return out


@pytest.mark.parametrize("format", ["kieker-events", "kieker-events-binary"])
def test_a_run_comes_back_from_kieker_with_every_figure(log, format):
    with Folder() as folder:
        subprocess.run([str(c) for c in (COMPMOND, "export", log, "--format", format, "-o", folder / "kieker")], check=True)
        for report in REPORTS:  # Kieker's logs do not say what probes cost
            assert numbers(analyze(report, log, "--raw-costs")) == numbers(analyze(report, folder / "kieker")), report
        ours, theirs = replay(log)[0], replay(folder / "kieker")[0]
        assert theirs["health"]["balanced"] and not theirs["window"]["partial"]

        def figures(snapshot):
            return sorted((c["calls"], c["raw_ns"], c["real_ns"], c["min_ns"], c["p99_ns"], c["max_ns"])
                          for c in snapshot["components"] if c["calls"])

        assert figures(ours) == figures(theirs)
        assert sum(c["calls"] for c in theirs["components"]) > 1000


def chunks(data):
    """Where chunks of the log begin."""
    at = data.find(b"\x89CMLOG")
    while at >= 0:
        yield at
        at = data.find(b"\x89CMLOG", at + 1)


def test_traces_with_lost_events_are_broken_everywhere_alike(log):
    data, broken = log.read_bytes(), 0
    for place in list(chunks(data))[1:-1]:
        damaged = bytearray(data)
        damaged[place + 64:place + 264] = bytes(200)  # behind its head
        with Folder() as folder:
            (folder / "log").write_bytes(damaged)
            told = analyze("traces", folder / "log")["log"]
            with Replay(folder / "log", "--headless", "--keep", "--speed", "max") as run:
                with run.client() as client:
                    wait_for(lambda: not client.view()["run"]["live"], "the log's end")
                    seen = client.view(snapshot=False, analysis={"report": "traces", "limit": 1})["analysis"]
        assert (seen["traces"], seen["broken"]) == (told["traces"], told["broken"])
        broken += told["broken"]
    assert broken > 0


def test_hosts_of_a_log_call_each_other_in_the_window_as_in_its_analysis():
    with Folder() as folder:
        place = folder / "kieker"
        place.mkdir()
        (place / "kieker.map").write_text("$0=kieker.common.record.controlflow.OperationExecutionRecord\n")
        records = []
        for trace in range(1, 6):
            at = 1_000_000_000 + trace * 1_000_000
            records.append(f"$0;{at + 100};public void web.Shop.buy();<no-session-id>;{trace};{at};{at + 90};web1;0;0")
            records.append(f"$0;{at + 50};public void db.Store.put();<no-session-id>;{trace};{at + 20};{at + 40};db1;1;1")
        (place / "kieker-20260101-000000000-UTC-001.dat").write_text("\n".join(records) + "\n")
        told = {(edge["from"], edge["to"]): edge["count"] for edge in analyze("dependency-graph", place, "--level", "host")["edges"]}
        assert told == {(None, "web1"): 5, ("web1", "db1"): 5}
        assert {(edge["from"], edge["to"]): edge["count"]
                for edge in analyze("dependency-graph", place, "--level", "program")["edges"]} == told
        with Replay(place, "--headless", "--keep", "--speed", "max") as run, run.client() as client:
            wait_for(lambda: not client.view()["run"]["live"], "the log's end")
            for level in "host", "program":
                seen = client.view(snapshot=False, analysis={"report": "dependency-graph", "level": level})["analysis"]
                names = [node["place"] for node in seen["graph_nodes"]] + [None]
                assert {(names[edge["from"]], names[edge["to"]]): edge["count"] for edge in seen["graph_edges"]} == told, level
