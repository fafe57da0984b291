# SPDX-License-Identifier: Apache-2.0
"""What makes a component hot, as the command line chooses it: on a log, whose figures are the same each time."""

import json

import pytest
from program import ROOT, run

LOG = ROOT / "tests" / "replay" / "logs" / "fiber.log"


def snapshot(*options):
    return json.loads(run("replay", "--headless", "--snapshot", "-", *options, LOG)[0])


def length(of):
    return of["window"]["end_ns"] - of["window"]["start_ns"]


def operations(of):
    return {(c["name"], o["name"]): o for c in of["components"] for o in c["operations"]}


def test_the_hottest_of_the_window_is_100_unless_told_otherwise():
    seen = snapshot("--heat-floor", "0")
    assert seen["heat"]["scale"] == "window" and seen["heat"]["floor"] == 0
    assert max(c["hotness"] for c in seen["components"]) == 100
    assert seen["heat"]["full"] == max(c["ranked"] for c in seen["components"])


def test_a_whole_cpu_is_100():
    seen = snapshot("--heat", "wall", "--heat-floor", "0")
    assert seen["heat"]["scale"] == "wall" and seen["heat"]["full"] == length(seen)
    for component in seen["components"]:
        assert component["hotness"] == pytest.approx(100 * component["ranked"] / length(seen), abs=0.001)


def test_the_most_of_the_run_is_100_for_a_part_of_it():
    whole = snapshot("--heat-floor", "0")
    half = snapshot("--heat", "run", "--heat-floor", "0", "--to", f"{length(whole) / 2e9:.9f}")
    assert half["heat"]["scale"] == "run"
    # As much of each second as the whole run took.
    assert half["heat"]["full"] == pytest.approx(whole["heat"]["full"] * length(half) / length(whole), rel=0.5)


def test_below_the_floor_nothing_is_hot():
    seen = snapshot("--heat-floor", "100")
    assert seen["heat"]["floor"] == length(seen)
    assert all(c["hotness"] == 0 for c in seen["components"] if c["ranked"] < length(seen))
    assert any(c["ranked"] > 0 for c in seen["components"])


def test_deviation_is_from_the_saved_snapshot(tmp_path):
    before = snapshot()
    # There each component took half as much, and an operation was not there.
    gone = None
    for component in before["components"]:
        component["net_real_ns"] //= 2
        for operation in component["operations"]:
            operation["net_real_ns"] //= 2
            gone = (component["name"], operation["name"])
        if gone[0] == component["name"]:
            del component["operations"][-1]
    (tmp_path / "before.json").write_text(json.dumps(before))
    seen = snapshot("--metric", "deviation", "--baseline", tmp_path / "before.json")
    assert seen["heat"]["ranks"] == "deviation"
    for component in seen["components"]:
        assert component["deviation_ns"] == pytest.approx(component["net_real_ns"] / 2, abs=2)
    told = operations(seen)
    assert "deviation_ns" not in told[gone]
    for name in {(c["name"], o["name"]) for c in before["components"] for o in c["operations"]}:
        assert told[name]["deviation_ns"] == pytest.approx(told[name]["net_real_ns"] / 2, abs=2)


def test_without_a_saved_snapshot_or_a_past_deviation_says_so():
    seen = snapshot("--metric", "deviation")
    assert any("--baseline FILE" in note for note in seen["health"]["notes"])
    assert all("deviation_ns" not in c for c in seen["components"])


def test_raw_costs_leave_in_what_probes_cost():
    seen, raw = snapshot(), snapshot("--raw-costs")
    assert all(c["net_real_ns"] == c["real_ns"] for c in raw["components"])
    assert any(c["net_real_ns"] < c["real_ns"] for c in seen["components"])
    assert [c["real_ns"] for c in raw["components"]] == [c["real_ns"] for c in seen["components"]]


@pytest.mark.parametrize("flags, why", [
    (["--heat", "moon"], "moon"), (["--heat-floor", "101"], "101"), (["--heat-floor", "-1"], "-1"),
    (["--baseline", "/nope/before.json"], "/nope/before.json"), (["--baseline", ""], "'' is not the name of a file")])
def test_what_cannot_be_is_refused(flags, why):
    _, said = run("replay", "--headless", *flags, LOG, code=66 if "nope" in why else 64)
    assert why in said, said
