# SPDX-License-Identifier: Apache-2.0
"""What probes are charged with, against what samples see of them."""

import pytest
import support
from support import BIN, COMPMOND, TARGETS, Folder, Profiler, Target, observe, operation
from test_record import replay

pytestmark = pytest.mark.measured
CHARGED = BIN / "charged"
SECONDS = "34"  # three intervals, whatever the first second of samples is worth


def checked(snapshot):
    return snapshot["health"]["overhead_checked"]


def test_samples_agree_with_the_costs_and_see_what_others_add():
    with Folder() as folder, Target(CHARGED, SECONDS) as target:
        spec = support.spec(["charged"], CHARGED)
        with Profiler(spec, "--pid", target.pid, options=["--record", folder / "log"]) as profiler:
            target.finish()
            alone = profiler.finish()
        replayed, _ = replay(folder / "log")
    got = checked(alone)
    assert got["intervals"] >= 2 and not got["doubt"], got
    assert got["by_samples_pct"] > 3, got
    assert not alone["components"][0].get("uncertain") or got["by_costs_pct"] > 25, alone["components"][0]
    assert alone["health"]["samples"]["probes_cpu_ns"][0] > 0
    assert checked(replayed) == got

    with Target(CHARGED, SECONDS) as target:
        with Profiler(support.spec(["others"], CHARGED), "--pid", target.pid, options=["--samples", "off"]) as other:
            with Profiler(spec, "--pid", target.pid) as profiler:
                target.finish()
                both = profiler.finish()
            other.finish()
    got = checked(both)
    assert got["doubt"] and got["apart"] >= 2, got
    assert got["by_samples_pct"] > 1.3 * got["by_costs_pct"], got
    assert any(note.startswith("probes take ") for note in both["health"]["notes"]), both["health"]["notes"]
    assert both["components"][0]["uncertain"]


def test_costs_that_were_measured_too_high_are_taken_down():
    """While compmond measures its probes, those of another one hang in the functions on which it does."""
    options = ("--samples", "off")
    with Profiler(support.spec(["compmond_site_*"], exit_mode="ret-sites"), "--exe", COMPMOND, options=options) as other:
        spec = support.spec(["flood"], exit_mode="return-probe")
        _, _, snapshot = observe(spec, TARGETS / "overflow", 400_000, 1, options=options)
        assert sum(part["calls"] for part in other.finish(end=True)["components"]) > 0
    flood, health = operation(snapshot, "flood"), snapshot["health"]
    assert any("leave room for" in note for note in health["notes"]), health["notes"]
    inside_ns, = (cost["inside_ns"] for cost in health["probe_cost"]
                  if (cost["site"], cost["exit_mode"]) == (flood["site"], flood["exit_mode"]))
    # It does nothing: half of its calls are as long as the probes in them, but for rounding.
    assert inside_ns <= flood["p50_ns"] + 1 and 0 < health["overhead_pct"] <= 100, (inside_ns, flood, health["overhead_pct"])
    assert flood["uncertain"] and flood["net_real_ns"] > 0, flood
