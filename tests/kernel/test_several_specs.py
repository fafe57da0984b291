# SPDX-License-Identifier: Apache-2.0
"""Several programs in one run, each with a spec of its own: one landscape, live and recorded."""

import contextlib
import json
import shutil
import subprocess

import pytest
import support
from support import COMPMOND, TARGETS, Folder, Profiler, Target, check_accounting, component
from test_context import analyze
from test_record import replay, same_figures
from test_replay_view import Replay
from test_serve import connect

REQUESTS = 30
ID = {"trace_id": {"argument": 2, "type": "string"}}


def spec(name, components, **more):
    return {"schema": "compmond.spec/1", "name": name, "components": components, **more}


CLIENT = spec("shop", [{"name": "Requests", "in": [{"symbol": "request", **ID}]}, {"name": "Wire", "in": ["send_request"]}],
              connections=[["Requests", "Wire"]])
SERVER = spec("bank", [{"name": "Requests", "in": [{"symbol": "serve_request", **ID}]}, {"name": "Books", "in": ["look_up"]}])
CALLS = {"shop/Requests": REQUESTS, "shop/Wire": REQUESTS, "bank/Requests": REQUESTS, "bank/Books": REQUESTS}
SERVER_NAME = "client.v2"  # that of the other program, and more: as a pattern of files one would name both
ENTRIES = [(None, "client"), ("client", SERVER_NAME)]


def written(folder, **specs):
    out = []
    for name, value in specs.items():
        path = folder / f"{name}.json"
        path.write_text(json.dumps(value))
        out.append(path)
    return out


@contextlib.contextmanager
def programs(folder):
    """A client and its server, each a program of its own, held until released."""
    for name in ("client", SERVER_NAME):
        shutil.copy(TARGETS / "remote", folder / name)
    with Target(folder / SERVER_NAME, REQUESTS, "serve", folder / "socket") as server, \
            Target(folder / "client", REQUESTS, "call", folder / "socket") as client:
        yield client, server


def graph(client, level):
    """(from, to) -> calls, of what a view names at this level."""
    answer = client.view(snapshot=False, analysis={"report": "dependency-graph", "level": level})["analysis"]
    names = [node.get("place", node["component"]) for node in answer["graph_nodes"]] + [None]
    return {(names[edge["from"]], names[edge["to"]]): edge["count"] for edge in answer["graph_edges"]}


def looked_at(client):
    traces = client.view(snapshot=False, analysis={"report": "traces"})["analysis"]["rows"]
    host = client.view(snapshot=True)["snapshot"]["host"]["name"]
    return {"traces": len(traces), "threads": {row["threads"] for row in traces}, "components": graph(client, "component"),
            "programs": graph(client, "program"), "hosts": graph(client, "host"), "host": host}


@pytest.fixture(name="run", scope="module")
def _run():
    """What one run of both programs told: its snapshot, a window's answers, its log, and what was said."""
    with Folder() as folder, programs(folder) as (client, server), Target(folder / "client", "0") as waiting:
        shop, bank = written(folder, shop=CLIENT, bank=SERVER)
        target = ("--pid", client.pid, "--pid", waiting.pid, "--spec", bank, "--pid", server.pid)
        with Profiler(shop, *target, options=("--record", folder / "log")) as profiler, connect(profiler) as window:
            server.release()
            assert client.finish()[1] == 0 and server.finish()[1] == 0
            support.wait_for(lambda: sum(graph(window, "component").values()) >= 4 * REQUESTS, "all calls")
            looked = looked_at(window)
            waiting.process.kill()  # a process of the first program, without which the run would have ended
            snapshot = profiler.finish()
        yield {"snapshot": snapshot, "looked": looked, "log": folder / "log",
               "exes": {client.pid: folder / "client", waiting.pid: folder / "client", server.pid: folder / SERVER_NAME}}


def test_components_stand_below_the_name_of_their_spec(run):
    snapshot = run["snapshot"]
    check_accounting(snapshot)
    assert snapshot["spec"]["name"] == "shop + bank"
    assert {name: component(snapshot, name)["calls"] for name in CALLS} == CALLS
    assert {name: component(snapshot, name)["parent"] for name in CALLS} == {name: name.split("/")[0] for name in CALLS}
    edges = {(edge["from"], edge["to"]): edge for edge in snapshot["edges"]}
    assert edges["shop/Requests", "shop/Wire"]["declared"] and edges["shop/Requests", "shop/Wire"]["count"] == REQUESTS
    assert edges["bank/Requests", "bank/Books"]["count"] == REQUESTS


def test_each_process_is_of_its_program(run):
    targets = {target["pid"]: target for target in run["snapshot"]["targets"]}
    assert {pid: target["exe"] for pid, target in targets.items()} == {pid: str(exe) for pid, exe in run["exes"].items()}
    assert all(len(target["build_id"]) == 40 for target in targets.values())


def test_traces_go_across_the_programs_and_levels_tell_of_each(run):
    looked = run["looked"]
    assert looked["traces"] == REQUESTS and looked["threads"] == {2}
    assert looked["components"] == {(None, "shop/Requests"): REQUESTS, ("shop/Requests", "shop/Wire"): REQUESTS,
                                    ("shop/Requests", "bank/Requests"): REQUESTS, ("bank/Requests", "bank/Books"): REQUESTS}
    assert looked["programs"] == {entry: REQUESTS for entry in ENTRIES}
    assert looked["hosts"] == {(None, looked["host"]): REQUESTS}


def test_its_log_tells_the_same(run):
    replayed, said = replay(run["log"])
    assert said == ""
    same_figures(run["snapshot"], replayed)
    with Replay(run["log"], "--headless", "--keep", "--speed", "max") as again, again.client() as window:
        support.wait_for(lambda: sum(graph(window, "component").values()) >= 4 * REQUESTS, "all calls")
        assert looked_at(window) == run["looked"]
        window.ask(request="control", action="stop")
    for level, entries in ("program", ENTRIES), ("host", [(None, run["looked"]["host"])]):
        report, _ = analyze(run["log"], report="dependency-graph", options=("--level", level))
        assert {(edge["from"], edge["to"]): edge["count"] for edge in report["edges"]} == {entry: REQUESTS for entry in entries}


def test_what_the_programs_fork_is_of_theirs():
    with Folder() as folder:
        shutil.copy(TARGETS / "fork_inside", folder / "forking")
        first, second = written(folder, first=spec("first", [{"name": "C", "in": ["in_child", "in_parent"]}]),
                                second=spec("second", [{"name": "C", "in": ["request"]}]))
        with Target(TARGETS / "remote", REQUESTS) as other, Target(folder / "forking") as forking, \
                Profiler(second, "--pid", other.pid, "--spec", first, "--pid", forking.pid) as profiler:
            assert forking.finish() == ("child 7 parent 0\n", 0)
            assert other.finish()[1] == 0
            snapshot = profiler.finish()
    check_accounting(snapshot)
    assert component(snapshot, "first/C")["calls"] == 2 and component(snapshot, "second/C")["calls"] == REQUESTS
    exes = sorted(target["exe"] for target in snapshot["targets"] if target["pid"] != other.pid)
    assert len(exes) == 2 and set(exes) <= {str(folder / "forking"), ""}  # one that was over before it was met has no name


EXECUTES = r"""
#include <stdio.h>
#include <unistd.h>
__attribute__((noipa)) int wrapper(const char *program) { execl(program, program, "9", (char *)0); return 1; }
int main(int argc, char **argv) {
    char c;
    printf("pid %d\n", (int)getpid()); fflush(stdout);
    return read(0, &c, 1) == 1 ? wrapper(argv[2]) : 1;
}
"""


@pytest.mark.parametrize("to", ["itself", "a stranger", "the other program"])
def test_a_process_is_observed_as_long_as_it_executes_one_of_the_programs(to):
    with Folder() as folder:
        (folder / "executes.c").write_text(EXECUTES)
        subprocess.run(["cc", "-O1", "-o", folder / "executes", folder / "executes.c"], check=True)
        shutil.copy(TARGETS / "remote", folder / "other")
        shutil.copy(TARGETS / "remote", folder / "stranger")
        program = {"itself": folder / "executes", "a stranger": folder / "stranger", "the other program": folder / "other"}[to]
        first, second = written(folder, first=spec("first", [{"name": "C", "in": ["wrapper"]}]),
                                second=spec("second", [{"name": "C", "in": ["request"]}]))
        with Target(folder / "other", REQUESTS) as other, Target(folder / "executes", program) as executing, \
                Profiler(second, "--pid", other.pid, "--spec", first, "--pid", executing.pid) as profiler:
            executing.finish()
            assert other.finish()[1] == 0
            snapshot = profiler.finish()
    check_accounting(snapshot)
    assert component(snapshot, "first/C")["closed"]["exec"] == 1
    assert component(snapshot, "second/C")["calls"] == REQUESTS + (9 if to == "the other program" else 0)


def check(*arguments):
    done = subprocess.run([str(a) for a in (COMPMOND, "check", *arguments)], capture_output=True, text=True, timeout=support.DEADLINE)
    return done.returncode, done.stdout + done.stderr


def test_what_cannot_be_told_apart_is_an_error_that_says_what_to_do():
    with Folder() as folder, programs(folder) as (client, server):
        shop, bank, twin = written(folder, shop=CLIENT, bank=SERVER, twin=spec("shop", SERVER["components"]))
        slash, none = written(folder, slash=spec("a/b", SERVER["components"]), none=spec("none", [{"name": "C", "in": ["nowhere"]}]))
        of_client, of_server = ("--pid", client.pid), ("--pid", server.pid)
        two = ("--spec", shop, *of_client, "--spec")
        for said, code, arguments in [
                ("no --pid stands behind --spec", 64, (*two, bank)),
                ("stands before the first --spec", 64, (*of_client, "--spec", shop, *of_client, "--spec", bank, *of_server)),
                ("several specs go with --pid only", 64, ("--spec", shop, "--spec", bank, "--exe", TARGETS / "remote")),
                ("17 specs are given, and 16 go together", 64, 17 * ("--spec", shop, *of_client)),
                ("and so does process", 64, (*two, bank, *of_client)),
                ("One spec is about processes of one program", 64, ("--spec", shop, *of_client, *of_server)),
                ("are both named 'shop'", 65, (*two, twin, *of_server)),
                ("holds a '/'", 65, (*two, slash, *of_server)),
                (f"{none}:/components/0/in/0", 65, (*two, none, *of_server))]:
            result, text = check(*arguments)
            assert result == code and said in text, (said, result, text)
        result, text = check(*two, bank, *of_server)
        assert result == 0 and "shop/Requests" in text and "bank/Books" in text, text


def test_one_spec_may_have_many_processes_before_and_behind_it():
    with Target(TARGETS / "remote", REQUESTS) as one, Target(TARGETS / "remote", REQUESTS) as other, Folder() as folder:
        (path,) = written(folder, one=spec("one", [{"name": "C", "in": ["request"]}]))
        result, text = check("--pid", one.pid, "--spec", path, "--pid", other.pid)
        assert result == 0 and "request" in text, text


def test_a_library_of_several_programs_is_said_to_be_counted_for_all():
    with Folder() as folder, programs(folder) as (client, server):
        shop, bank = written(folder, shop=spec("shop", [{"name": "C", "image": "libc.so.6", "in": ["strtol"]}]), bank=SERVER)
        with Profiler(shop, "--pid", client.pid, "--spec", bank, "--pid", server.pid) as profiler:
            server.release()
            assert client.finish()[1] == 0 and server.finish()[1] == 0
            snapshot = profiler.finish()
    assert any("is used by several of the programs" in note for note in snapshot["health"]["notes"]), snapshot["health"]["notes"]
