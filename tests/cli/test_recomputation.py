# SPDX-License-Identifier: Apache-2.0
"""All that compmond tells of a log is what follows from its executions, computed by other code (recompute.py)."""

import json
import random
import socket
import subprocess
import time

import pytest
from logs import Call, EPOCH, executions, write
from program import COMPMOND, analyze, run
from recompute import Recomputation

COMPONENTS = {"shop.Web": ["order", "list", "retry"], "shop.Store": ["get", "put"], "shop.Pay": ["debit"]}


def some_call(dice, depth):
    component = dice.choice(list(COMPONENTS))
    calls = [some_call(dice, depth - 1) for _ in range(dice.randrange(4) if depth else 0)]
    # At least a ns between any two moments, so that times alone tell who calls whom.
    return Call(f"void {component}.{dice.choice(COMPONENTS[component])}()", dice.randrange(1_000, 40_000), *calls)


def some_traces(seed, traces=400):
    """Traces of which some overlap, in the time of some tens of ms."""
    dice, out = random.Random(seed), []
    for trace in range(traces):
        out += executions(some_call(dice, 4), trace + 1, EPOCH + trace * 100_000 + dice.randrange(100_000))
    return sorted(out, key=lambda record: record[4])


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    return write(tmp_path_factory.mktemp("random") / "log", some_traces(29))


@pytest.fixture(scope="module")
def recomputed(log):
    return Recomputation(run("export", "--format", "csv", log)[0])


def test_order_depth_and_real_times(recomputed):
    assert len(recomputed.all) > 1000
    assert recomputed.differences() == []


@pytest.mark.parametrize("level", ["operation", "component"])
def test_edges(log, recomputed, level):
    out = analyze("dependency-graph", "--level", level, log)
    theirs = {(e["from"], e["to"]): (e["count"], e["raw_ns"]["min"], e["raw_ns"]["mean"], e["raw_ns"]["max"])
              for e in out["edges"]}
    assert theirs == recomputed.edges(level)


def test_classes(log, recomputed):
    theirs = sorted(c["cardinality"] for c in analyze("equivalence-classes", log)["classes"])
    assert theirs == sorted(recomputed.classes().values())


def test_aggregated_tree(log, recomputed):
    out = {}

    def walk(node, path):
        for child in node["children"]:
            here = (*path, child["name"])
            out[here] = (child["count"], child["raw_ns"], child["real_ns"])
            walk(child, here)

    walk(analyze("aggregated-call-tree", log)["root"], ())
    assert out == recomputed.tree()


def test_markov(log, recomputed):
    out = analyze("markov", log)
    def name(state):
        text = out["states"][state] if isinstance(state, int) else state
        back = text.split(" --> ")
        return f"{back[1]} <-- {back[0]}" if len(back) == 2 else text
    counts = recomputed.markov()
    assert {(name(e["from"]), name(e["to"])): e["count"] for e in out["edges"]} == dict(counts)
    totals = {}
    for (one, _), count in counts.items():
        totals[one] = totals.get(one, 0) + count
    for e in out["edges"]:
        assert e["probability"] == pytest.approx(e["count"] / totals[name(e["from"])])


class Replay:
    """A replayed log, at its end, that answers what it is asked."""

    def __init__(self, log, folder):
        path = folder / "socket"
        self.process = subprocess.Popen([str(COMPMOND), "replay", "--headless", "--keep", "--speed", "max", "--listen",
                                         str(path), str(log)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        stdin=subprocess.DEVNULL)
        self.socket = socket.socket(socket.AF_UNIX)
        for _ in range(600):
            try:
                self.socket.connect(str(path))
                break
            except OSError:
                assert self.process.poll() is None
                time.sleep(0.05)
        self.stream = self.socket.makefile("rw")
        self.stream.readline()
        while self.ask()["run"]["live"]:
            pass

    def ask(self, **request):
        self.stream.write(json.dumps({"request": "view", **request}) + "\n")
        self.stream.flush()
        answer = json.loads(self.stream.readline())
        assert answer["answer"] == "view", answer
        return answer

    def close(self):
        self.socket.close()
        self.process.terminate()
        self.process.wait()


@pytest.fixture(scope="module")
def replay(log, tmp_path_factory):
    out = Replay(log, tmp_path_factory.mktemp("replay"))
    yield out
    out.close()


FILTERS = [
    ({}, lambda e: True),
    ({"components": ["shop.Store"]}, lambda e: e.component == "shop.Store"),
    ({"operations": ["retry()"]}, lambda e: e.name == "retry()"),
    ({"operations": ["retry()", "order()"]}, lambda e: e.name in ("retry()", "order()")),
    ({"operations": ["retry()", "get()", "put()"]}, lambda e: e.name in ("retry()", "get()", "put()")),
    ({"min_duration_ns": 60_000}, lambda e: e.raw >= 60_000),
    ({"min_duration_ns": 30_000, "operations": ["order()", "list()", "get()"]},
     lambda e: e.raw >= 30_000 and e.name in ("order()", "list()", "get()")),
]


@pytest.mark.parametrize("filter,passes", FILTERS, ids=lambda f: json.dumps(f) if isinstance(f, dict) else "")
def test_windows_in_the_past(replay, recomputed, filter, passes):
    whole = replay.ask()["snapshot"]
    first = min(e.start for e in recomputed.all)
    last = max(e.end for e in recomputed.all)
    begin = whole["start_ns"]
    dice = random.Random(1)
    spans = [(first, last + 1, True)]
    for _ in range(12):
        start = dice.randrange(first, last)
        spans.append((start, dice.randrange(start + 1, last), False))
    for start, end, ended in spans:
        window = {"start_ns": start - first + begin, "end_ns": whole["now_ns"] if ended else end - first + begin}
        snapshot = replay.ask(window=window, filter=filter)["snapshot"]
        ours = recomputed.window(start, end, passes, ended)
        for c in snapshot["components"]:
            theirs = {"calls": c["calls"], "open": c["open"], "raw_ns": c["raw_ns"], "real_ns": c["real_ns"],
                      "ended": sum(c["closed"].values())}
            expected = {key: ours[c["name"]][key] for key in theirs}
            assert theirs == expected, (c["name"], filter, start - first, end - first)
            assert c["raw_ns"] >= c["real_ns"]
