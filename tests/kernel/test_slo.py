# SPDX-License-Identifier: Apache-2.0
"""Response-time objectives of real runs: counted exactly, the end of a run, the flight recorder, and replayed."""

import contextlib
import json
import subprocess

import support
from support import BIN, COMPMOND, Folder, Profiler, Target, check_accounting, component, operation

CHAIN = BIN / "filehost-chain"  # FileHandler 1800 ms, of these FileEncrypter 1300 ms, of these FSWriter 300 ms
SHORT = 0.001  # times that


def chain_spec(handler=None, encrypter=None, writer=None):
    """Objectives in ms; far from what the machine may add, so that counts are exact."""
    def part(name, function, slo_ms):
        one = {"name": name, "image": "libfilehost.so.1", "in": [{"symbol": f"fh::{name}::{function}"}]}
        if slo_ms:
            one["slo_ms"] = slo_ms
        return one
    return support.spec([], components=[part("FileHandler", "store", handler), part("FileEncrypter", "encrypt", encrypter),
                                        part("FSWriter", "write", writer)])


@contextlib.contextmanager
def chains(*scales):
    """One held chain per scale, and the arguments that observe them all."""
    with contextlib.ExitStack() as stack:
        targets = [stack.enter_context(Target(CHAIN, "--scale", scale)) for scale in scales]
        yield targets, [argument for target in targets for argument in ("--pid", target.pid)]


def replay(log, *options, status=0):
    with Folder() as folder:
        out = folder / "replay.json"
        done = subprocess.run([str(c) for c in (COMPMOND, "replay", log, "--headless", "--snapshot", out, *options)],
                              capture_output=True, text=True, timeout=support.DEADLINE * 2)
        assert done.returncode == status, done.stderr
        return json.loads(out.read_text()) if out.exists() else None, done.stderr


def test_violations_are_counted_exactly_and_replayed():
    spec = chain_spec(handler=900, encrypter=60_000, writer=250)
    with Folder() as folder, chains(SHORT, 1, SHORT, 1, SHORT) as (targets, pids):
        with Profiler(spec, *pids, options=("--record", folder / "log", "--metric", "slo-violations")) as profiler:
            for target in targets:
                target.release()
            for target in targets:
                assert target.finish()[1] == 0
            live = profiler.finish()
        check_accounting(live)
        assert component(live, "FileHandler")["calls"] == 5
        assert component(live, "FileHandler")["slo"] == {
            "objective_ns": 900_000_000, "violations": 2, "unseen_ends": 0, "violating_now": 0}
        assert component(live, "FileEncrypter")["slo"]["violations"] == 0
        assert operation(live, "fh::FSWriter::write")["slo"]["violations"] == 2
        assert live["slo"]["violations"] == live["slo"]["since_start"] == len(live["slo"]["newest"]) == 4
        assert live["slo"]["unjudged"] == [] and live["slo"]["left_out"] == 0
        assert [component(live, name)["hotness"] for name in ("FileHandler", "FileEncrypter", "FSWriter")] == [100, 0, 100]
        slow = {target.pid for target, scale in zip(targets, (SHORT, 1, SHORT, 1, SHORT)) if scale == 1}
        for one in live["slo"]["newest"]:
            assert one["pid"] in slow and one["closed"] == "returned"
            assert one["raw_ns"] > one["objective_ns"]
            assert live["start_ns"] < one["start_ns"] < live["window"]["end_ns"]
        again, _ = replay(folder / "log", "--metric", "slo-violations")
        assert {**again, "created": ""} == {**live, "created": ""}


def test_without_objectives_nothing_is_said_of_them():
    with chains(SHORT) as (targets, pids), Profiler(chain_spec(), *pids) as profiler:
        targets[0].finish()
        live = profiler.finish()
    assert component(live, "FileHandler")["calls"] == 1
    assert "slo" not in live and all("slo" not in c for c in live["components"])


def test_one_that_still_runs_is_a_violation_already():
    with chains(30) as (targets, pids):  # runs for 54 s unless it is killed
        with Profiler(chain_spec(handler=200), *pids) as profiler:
            targets[0].release()
            live = support.wait_for(lambda: [s for s in [profiler.snapshot_now()] if s["slo"]["violating_now"]],
                                    "a call above its objective")[0]
            assert component(live, "FileHandler")["slo"]["violations"] == 0
            assert [v["closed"] for v in live["slo"]["newest"]] == ["open"]
            targets[0].process.kill()
            targets[0].process.wait()
            last = profiler.finish()
        assert component(last, "FileHandler")["slo"]["violating_now"] == 0
        assert component(last, "FileHandler")["slo"]["violations"] == 1  # killed: the thread has ended
        assert last["slo"]["newest"][0]["closed"] == "thread_exit"


def test_exit_on_slo_ends_the_run_and_not_the_target():
    spec = chain_spec(writer=250)
    with Folder() as folder, chains(1) as (targets, pids):
        log = folder / "log"
        with Profiler(spec, *pids, options=("--exit-on-slo", "--record", log)) as profiler:
            targets[0].release()
            assert profiler.process.wait(timeout=support.DEADLINE) == 1
            said = profiler.stderr()
            live = json.loads(profiler.snapshot_path.read_text())
        assert "an objective was missed: FSWriter fh::FSWriter::write" in said and "more than 250 ms" in said, said
        assert live["slo"]["violations"] + live["slo"]["violating_now"] == 1
        out, status = targets[0].finish()
        assert (out, status) == ("stored 1\n", 0)
        _, said = replay(log, "--exit-on-slo", status=1)
        assert "an objective was missed: FSWriter fh::FSWriter::write" in said


def test_exit_on_slo_ends_well_where_all_objectives_are_kept():
    with chains(SHORT) as (targets, pids):
        with Profiler(chain_spec(handler=60_000), *pids, options=("--exit-on-slo",)) as profiler:
            targets[0].finish()
            assert profiler.process.wait(timeout=support.DEADLINE) == 0
            assert "missed" not in profiler.stderr()


def test_exit_on_slo_needs_something_to_judge():
    spec = chain_spec(handler=5)
    spec["components"][0]["exit"] = "entry-only"
    with chains(SHORT) as (_, pids), Profiler(spec, *pids, options=("--exit-on-slo",), wait=False) as profiler:
        assert profiler.process.wait(timeout=support.DEADLINE) == 65
        assert "--exit-on-slo would never end the run" in profiler.stderr()


def test_the_flight_recorder_writes_on_a_violation_and_says_so():
    spec = chain_spec(writer=250)
    with Folder() as folder, chains(SHORT, 1) as (targets, pids):
        log = folder / "log"
        with Profiler(spec, *pids, options=("--record", log, "--record-last", "60")) as profiler:
            targets[0].release()
            targets[0].finish()
            support.wait_for(lambda: component(profiler.snapshot_now(), "FSWriter")["calls"] == 1, "a short call")
            assert not log.exists()
            targets[1].release()
            support.wait_for(log.exists, "the log")
            assert targets[1].finish()[1] == 0
            live = profiler.finish()
            assert profiler.stderr().count("an objective was missed: the last 60 s are in") == 1
        assert live["slo"]["since_start"] == 1
        replayed, _ = replay(log)
        check_accounting(replayed)
        slo = component(replayed, "FSWriter")["slo"]
        assert slo["violations"] + slo["violating_now"] == 1
        assert component(replayed, "FSWriter")["calls"] == 2


def test_check_shows_objectives():
    spec = chain_spec(handler=900, writer=0.5)
    spec["components"][2]["exit"] = "entry-only"
    with Folder() as folder:
        (folder / "spec.json").write_text(json.dumps(spec))
        command = [str(c) for c in (COMPMOND, "check", "--spec", folder / "spec.json", "--exe", CHAIN)]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        assert "objective" in text and "900 ms" in text and "not timed" in text, text
        assert "engine" in text and "uprobe" in text, text
        table = subprocess.run([*command, "--json"], capture_output=True, text=True, check=True).stdout
        assert [o.get("slo_ms") for o in json.loads(table)["operations"]] == [900, None, 0.5]
