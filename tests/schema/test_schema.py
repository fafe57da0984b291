# SPDX-License-Identifier: Apache-2.0
"""The JSON Schemas under specs/ and the program's own reading agree.

COMPMOND_BUILD names the build folder that holds bin/spec_verdict (default: build/dev)."""
import copy
import json
import os
import pathlib
import subprocess

import jsonschema
import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SPECS = ROOT / "specs"
VERDICT = pathlib.Path(os.environ.get("COMPMOND_BUILD", ROOT / "build" / "dev")).resolve() / "bin" / "spec_verdict"


def schema(name):
    return json.loads((SPECS / f"compmond.{name}.schema.json").read_text())


def accepts(name, value):
    return jsonschema.Draft202012Validator(schema(name)).is_valid(value)


def cases(folder):
    found = sorted((HERE / "cases" / folder).glob("*.json"))
    assert found, f"no cases in {folder}"
    return found


def examples():
    return sorted(p for p in SPECS.glob("*.json") if not p.name.endswith(".schema.json"))


def verdict(path):
    done = subprocess.run([str(VERDICT), str(path)], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout


def stem(path):
    return path.stem


@pytest.mark.parametrize("name", ["spec-1", "snapshot-1"])
def test_schema_is_a_valid_schema(name):
    jsonschema.Draft202012Validator.check_schema(schema(name))


def objects_of(node):
    if isinstance(node, dict):
        yield node
        node = node.values()
    if isinstance(node, (list, type({}.values()))):
        for item in node:
            yield from objects_of(item)


@pytest.mark.parametrize("name", ["spec-1", "snapshot-1"])
def test_every_object_of_a_schema_is_closed(name):
    described = [o for o in objects_of(schema(name)) if o.get("type") == "object"]
    assert described
    assert all(o.get("additionalProperties") is False for o in described)


@pytest.mark.parametrize("path", examples(), ids=stem)
def test_example_is_good_for_schema_and_parser(path):
    jsonschema.validate(json.loads(path.read_text()), schema("spec-1"), jsonschema.Draft202012Validator)
    assert verdict(path) == (0, "")


@pytest.mark.parametrize("path", cases("good"), ids=stem)
def test_good_spec_is_good_for_both(path):
    jsonschema.validate(json.loads(path.read_text()), schema("spec-1"), jsonschema.Draft202012Validator)
    assert verdict(path) == (0, "")


@pytest.mark.parametrize("path", cases("bad"), ids=stem)
def test_bad_spec_is_bad_for_both(path):
    assert not accepts("spec-1", json.loads(path.read_text()))
    code, message = verdict(path)
    assert code == 65, message
    assert message.startswith(f"{path}:"), "the message begins with file and line"


@pytest.mark.parametrize("path", cases("bad-beyond-schema"), ids=stem)
def test_what_a_schema_cannot_say_the_parser_says(path):
    assert accepts("spec-1", json.loads(path.read_text())), "belongs to cases/bad"
    code, message = verdict(path)
    assert code == 65, message


@pytest.fixture(scope="module")
def snapshot():
    done = subprocess.run([str(VERDICT), "--snapshot"], capture_output=True, text=True, timeout=60, check=True)
    return json.loads(done.stdout)


def test_produced_snapshot_fits_its_schema(snapshot):
    jsonschema.validate(snapshot, schema("snapshot-1"), jsonschema.Draft202012Validator)


def test_a_snapshot_of_a_busy_run_fits(snapshot):
    busy = copy.deepcopy(snapshot)
    busy["health"]["busy"] = {"now": True, "whole_pct": 31.5, "spans": [{"start_ns": 1, "end_ns": 2}]}
    assert accepts("snapshot-1", busy)


def test_slices_of_a_snapshot_have_times_operations_and_slow_down(snapshot):
    for wrong in ({"start_ns": -1}, {"operations": 0.5}, {"slow_down": 0.9}, {"share": 1}):
        sliced = copy.deepcopy(snapshot)
        sliced["health"]["slices"][0].update(wrong)
        assert not accepts("snapshot-1", sliced), wrong
    many = copy.deepcopy(snapshot)
    many["health"]["slices"] *= 1001
    assert not accepts("snapshot-1", many)
    for wrong in ({"taken": -1}, {"slow_down": 0}, {"inputs_share": 1.5}):
        sliced = copy.deepcopy(snapshot)
        sliced["health"]["sliced"].update(wrong)
        assert not accepts("snapshot-1", sliced), wrong


def test_a_snapshot_of_a_run_with_strangers_fits(snapshot):
    strangers = {"calls": 20, "processes": 2, "processes_at_least": False, "cost_ns": 1.5e6, "cost_pct": 0.5, "files": ["/lib/libx.so"]}
    told = copy.deepcopy(snapshot)
    told["health"]["strangers"] = strangers
    assert accepts("snapshot-1", told)
    for wrong in ({"calls": 0}, {"processes": -1}, {"files": []}, {"files": "/lib/libx.so"}, {"cost_pct": "0.5"}):
        told["health"]["strangers"] = strangers | wrong
        assert not accepts("snapshot-1", told), wrong
    del strangers["cost_pct"]  # the targets used no CPU time
    told["health"]["strangers"] = strangers
    assert accepts("snapshot-1", told)


def test_sample_snapshot_fills_every_list(snapshot):
    def lists(value):
        if isinstance(value, list):
            yield value
        for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            yield from lists(item)

    top = [snapshot[k] for k in ("targets", "components", "edges", "threads")]
    health = list(lists(snapshot["health"]))
    assert all(top) and len(health) == 8 and all(health)


@pytest.mark.parametrize("break_it", [
    lambda s: s.pop("components"),
    lambda s: s.update(schema="compmond.snapshot/2"),
    lambda s: s.update(extra=1),
    lambda s: s["components"][0].update(status="fine"),
    lambda s: s["components"][0].update(calls=-1),
    lambda s: s["components"][0]["operations"][0].pop("exit_mode"),
    lambda s: s["health"].update(lost="0"),
], ids=["no components", "version", "unknown key", "status", "negative", "no exit mode", "text for number"])
def test_damaged_snapshot_does_not_fit(snapshot, break_it):
    damaged = copy.deepcopy(snapshot)
    break_it(damaged)
    assert not accepts("snapshot-1", damaged)
