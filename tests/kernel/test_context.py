# SPDX-License-Identifier: Apache-2.0
"""What arguments say: recorded as they are, and traces joined across threads, processes and logs."""

import json
import signal
import subprocess

import pytest
import support
from support import BIN, COMPMOND, ROOT, TARGETS, Folder, Profiler, Target, check_accounting, operation
from test_record import replay, same_figures
from test_serve import connect

PATCHED = ("--engine", "in-process", "--allow-patching")
MODES = ["return-probe", "ret-sites", "entry-only"]


def analyze(*logs, report="traces", options=()):
    """A report as JSON, and what was said."""
    command = [COMPMOND, "analyze", *logs, "--report", report, "--format", "json", *options]
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=support.DEADLINE * 2)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


def write(report, logs, out, *options):
    """A report as a document of the format that the file's name asks for."""
    command = [COMPMOND, "analyze", *logs, "--report", report, "-o", out, *options]
    subprocess.run([str(c) for c in command], capture_output=True, check=True, timeout=support.DEADLINE * 2)
    return out.read_text()


def spec(operations, exit_mode="auto"):
    """One component per operation: {symbol: its other members}."""
    return support.spec(None, components=[{"name": name, "in": [{"symbol": name, **members}]}
                                          for name, members in operations.items()], exit_mode=exit_mode)


def record(value, folder, *command, options=()):
    """The log and the last snapshot of a run of this target."""
    log = folder / "log"
    with Target(*command) as target:
        with Profiler(value, "--pid", target.pid, options=("--record", log, *options)) as profiler:
            _, status = target.finish()
            assert status == 0
            snapshot = profiler.finish()
    check_accounting(snapshot)
    return log, snapshot


def tree(trace):
    """A trace as nested lists of component names."""
    out, stack = [], []
    for e in trace["executions"]:
        del stack[e["ess"]:]
        (stack[-1] if stack else out).append([e["component"]])
        stack.append((stack[-1] if stack else out)[-1])
    return out


NUMBERS = ["first", "second", "third", "fourth", "fifth", "sixth"]


@pytest.mark.parametrize("mode, options", [*((mode, ()) for mode in MODES), ("auto", PATCHED), ("entry-only", PATCHED)])
def test_every_kind_of_argument_is_recorded_as_it_is(mode, options):
    operations = {name: {"session_id": i} for i, name in enumerate(NUMBERS, 1)}
    operations["small"] = {"session_id": {"argument": 1, "type": "int32"}}
    operations["text"] = {"session_id": {"argument": 1, "type": "string"}}
    with Folder() as folder:
        log, snapshot = record(spec(operations, mode), folder, TARGETS / "arguments", options=options)
        assert snapshot["health"]["lost"] == 0
        engines = {name: operation(snapshot, name)["engine"] for name in operations}
        assert engines == {name: "in-process" if options and name != "text" else "uprobe" for name in operations}
        report, said = analyze(log)
    sessions = {}
    for trace in report["traces"]:
        (execution,) = trace["executions"]
        sessions.setdefault(execution["component"], []).append(trace["session"])
    assert {name: sessions[name] for name in NUMBERS} == {
        name: [str(1000 * i + i)] for i, name in enumerate(NUMBERS, 1)}
    assert sessions["small"] == ["-7"]
    thread = sessions["text"][0]  # an empty text names no session
    assert thread.endswith(" arguments")
    # The last ones are too long, null, nowhere, and not in memory: never guessed, but said.
    assert sorted(sessions["text"]) == sorted(["short", "x" * 64, "end"] + 5 * [thread])
    assert "3 of trace or session ids could not be read" in said


def test_operations_without_context_record_nothing_more():
    with Folder() as folder:
        _, plain = record(spec({"text": {}, "small": {}}), folder, TARGETS / "arguments")
        _, told = record(spec({"text": {}, "small": {"trace_id": 1}}), folder, TARGETS / "arguments")
    assert plain["health"]["hits"] == 2 * 9 + 1  # entries, exits, the end of the thread
    assert told["health"]["hits"] == plain["health"]["hits"] + 1


def test_what_was_recorded_of_arguments_is_counted_and_replayed():
    operations = {"request": {"trace_id": {"argument": 2, "type": "string"}}, "look_up": {}}
    with Folder() as folder:
        log, live = record(spec(operations), folder, TARGETS / "remote", "500")
        replayed, said = replay(log)
        assert said == ""
        same_figures(live, replayed)
    # Two parts of the text, or one.
    parts = sum(1 if len(f"request-{i}") <= 8 else 2 for i in range(1, 501))
    assert live["health"]["hits"] == 2 * 1000 + 2 + parts
    assert operation(live, "request")["calls"] == 500


def test_a_flood_of_ids_loses_none_unseen():
    calls = 200_000
    value = spec({"flood": {"trace_id": 1}})
    with Folder() as folder, Target(TARGETS / "overflow", str(calls), "1") as target:
        with Profiler(value, "--pid", target.pid, options=["--ring", "1", "--record", folder / "log"]) as profiler:
            profiler.process.send_signal(signal.SIGSTOP)
            assert target.finish() == (f"calls {calls}\n", 0)
            profiler.process.send_signal(signal.SIGCONT)
            health = profiler.finish()["health"]
    assert health["lost"] > 0
    assert health["hits"] == 3 * calls + 1
    assert health["hits"] == health["delivered"] + health["lost"]


REQUEST = {"trace_id": {"argument": 2, "type": "string"}}
ONE_REQUEST = [["request", ["send_request"], ["serve_request", ["look_up"]]]]


def shape(trace):
    """As tree(); the server may begin before or after the client's sending has returned."""
    return [[name, *sorted(rest)] for name, *rest in tree(trace)]


def test_threads_that_work_on_one_request_are_one_trace():
    operations = {"request": REQUEST, "send_request": {}, "serve_request": REQUEST, "look_up": {}}
    with Folder() as folder:
        log, _ = record(spec(operations), folder, TARGETS / "remote", "200")
        report, _ = analyze(log)
    assert len(report["traces"]) == 200
    assert all(shape(trace) == ONE_REQUEST for trace in report["traces"])


def record_pair(folder, requests):
    """The logs of a client and of its server, each recorded by a compmond of its own."""
    client = spec({"request": REQUEST, "send_request": {}})
    server = spec({"serve_request": REQUEST, "look_up": {}})
    logs = [folder / "client.log", folder / "server.log"]
    with Target(TARGETS / "remote", requests, "serve", folder / "socket") as serving, \
            Target(TARGETS / "remote", requests, "call", folder / "socket") as calling, \
            Profiler(client, "--pid", calling.pid, options=("--record", logs[0])) as of_client, \
            Profiler(server, "--pid", serving.pid, options=("--record", logs[1])) as of_server:
        serving.release()
        assert calling.finish() == (f"answers {requests} sum {requests * (requests + 1) // 2}\n", 0)
        assert serving.finish() == (f"served {requests}\n", 0)
        for profiler in (of_client, of_server):
            check_accounting(profiler.finish())
    return logs


def test_the_two_logs_of_a_client_and_its_server_give_one_sequence_diagram():
    requests = 20
    with Folder() as folder:
        logs = record_pair(folder, requests)
        for given in (logs, logs[::-1]):
            report, _ = analyze(*given)
            assert len(report["traces"]) == requests
            assert all(shape(trace) == ONE_REQUEST for trace in report["traces"])
        alone, _ = analyze(logs[1])
        assert [tree(trace) for trace in alone["traces"]] == requests * [[["serve_request", ["look_up"]]]]

        sequence, _ = analyze(*logs, report="sequence")
        lifelines = sequence["lifelines"]
        calls = {(m["from"], m["to"]) for m in sequence["messages"] if m["kind"] == "call"}
        assert calls == {(None, "request"), ("request", "send_request"), ("request", "serve_request"),
                         ("serve_request", "look_up")}
        assert sorted(lifelines) == ["look_up", "request", "send_request", "serve_request"]
        plantuml = write("sequence", logs, folder / "one.puml")
        assert "serve_request" in plantuml and "request" in plantuml and plantuml.startswith("@startuml")
        svg = write("sequence", logs, folder / "one.svg")
        assert svg.startswith("<?xml") or svg.startswith("<svg")
        assert all(f">{name}<" in svg for name in lifelines)
        text = write("sequence", logs, folder / "one.txt")
        assert "serve_request" in text and "send_request" in text
        graph, _ = analyze(*logs, report="dependency-graph")
        edges = {(e["from"], e["to"]): e["count"] for e in graph["edges"]}
        assert edges[("request", "serve_request")] == requests


@pytest.mark.parametrize("options", [(), PATCHED], ids=["probes", "patches"])
def test_an_upload_handed_to_a_background_thread_stays_one_trace(options):
    with Folder() as folder:
        log = folder / "log"
        command = [BIN / "filehost", "--requests", "60", "--seed", "7", "--rate", "400", "--background", "1"]
        with Profiler(ROOT / "specs" / "filehost-background.json", "--", *command,
                      options=("--record", log, *options)) as profiler:
            live = profiler.finish()
        check_accounting(live)
        give, take = (f"fh::UploadManager::{name}" for name in ("hand_over", "store_pending"))
        uploads = operation(live, give)["calls"]
        assert uploads > 5 and operation(live, take)["calls"] == uploads
        report, _ = analyze(log)
        graph, _ = analyze(log, report="dependency-graph", options=("--level", "operation"))
        csv = write_csv(log, folder / "out.csv")
    assert len(report["traces"]) == 60  # one per request
    edges = {(e["from"], e["to"]): e["count"] for e in graph["edges"]}
    assert edges[(f"UploadManager.{give}", f"UploadManager.{take}")] == uploads
    # Nobody waits for what the background thread does: times are those of the threads.
    for name in {line["operation"] for line in csv}:
        lines = [line for line in csv if line["operation"] == name]
        assert sum(int(line["raw_ns"]) for line in lines) == operation(live, name)["raw_ns"]
        assert sum(int(line["real_ns"]) for line in lines) == operation(live, name)["real_ns"]


def write_csv(log, out):
    command = [COMPMOND, "export", log, "--format", "csv", "-o", out]
    subprocess.run([str(c) for c in command], capture_output=True, check=True, timeout=support.DEADLINE)
    heads, *lines = [line.split(",") for line in out.read_text().splitlines()]
    return [dict(zip(heads, line)) for line in lines]


def test_the_window_is_told_of_an_upload_as_one_trace_of_two_threads():
    command = [BIN / "filehost", "--seed", "7", "--rate", "400", "--background", "1"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as host:
        try:
            check_joined_upload(host.pid)
        finally:
            host.terminate()


def check_joined_upload(pid):
    with Profiler(ROOT / "specs" / "filehost-background.json", "--pid", pid) as profiler, connect(profiler) as client:
        def joined():
            answer = client.view(window={"last_s": 10}, analysis={"report": "traces", "search": "store_pending"})["analysis"]
            return next((row for row in answer["rows"] if row["threads"] == 2), None)

        row = support.wait_for(joined, "an upload that the other thread went on with")
        trace = client.view(analysis={"report": "trace", "trace": row["id"]})["analysis"]
        names = [trace["operations"][step["operation"]]["name"] for step in trace["steps"]]
        take = next(i for i, name in enumerate(names) if "store_pending" in name)
        give = trace["steps"][take]["caller"]
        assert "hand_over" in names[give]
        assert trace["steps"][give]["tid"] != trace["steps"][take]["tid"]
        # Nobody waits for it.
        assert trace["steps"][give]["real_ns"] <= trace["steps"][give]["end_ns"] - trace["steps"][give]["start_ns"]
        check_accounting(profiler.finish(end=True))
