# SPDX-License-Identifier: Apache-2.0
"""How bench/ reckons and reports. Nothing is measured here."""

import json
import pathlib
import subprocess
import sys
import xml.etree.ElementTree

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BENCH = ROOT / "bench"
sys.path.insert(0, str(BENCH))
import charts  # noqa: E402
import goals  # noqa: E402
import report  # noqa: E402
import stats  # noqa: E402
import suites  # noqa: E402


def test_a_ratio_of_rounds_that_share_the_machines_mood_is_exact():
    floor = [100, 180, 90, 250, 120]
    found = stats.ratio([1.1 * ns for ns in floor], floor)
    assert found["ratio"] == pytest.approx(1.1)
    assert found["low"] == pytest.approx(1.1) and found["high"] == pytest.approx(1.1)


def test_the_interval_holds_the_median_and_widens_with_the_noise():
    calm, wild = stats.interval([99, 100, 101, 100, 100, 99, 101]), stats.interval([50, 100, 150, 100, 60, 140, 100])
    assert calm[0] <= 100 <= calm[1]
    assert wild[0] < calm[0] and calm[1] < wild[1]


def test_a_straight_line_is_found():
    line = stats.line([1, 2, 5, 10], [3.5, 4, 5.5, 8])
    assert (line["slope"], line["start"], line["r"]) == pytest.approx((0.5, 3, 1))
    assert stats.line([1, 2, 3, 4], [1, -1, 1, -1])["r"] < 0.99


def observer(times, floor=None):
    clock = stats.spread(times)
    if floor:
        clock = {**clock, "to_floor": stats.ratio(times, floor), "to_bpftrace": stats.ratio(times, floor)}
    return {"wall": clock, "cpu": clock}


def calls(share_of_floor):
    floor = [600.0, 660.0, 620.0]
    rows = [{"function": function, "mode": "return-probe", "threads": threads, "calls": 1000, "observers": {
        "none": observer([2.0, 2.1, 2.2]), "floor": observer(floor, floor),
        "compmond": observer([share_of_floor * ns for ns in floor], floor)}}
            for function in ("push", "nop", "nop5", "endbr") for threads in (1, 2)]
    return {"rows": rows, "absent": {"uftrace": "uftrace is not installed"}}


def screen(an_hour_takes=1.2, fps=26.0):
    built = [{"view": view, "components": size, "age_s": age, "us": 100.0 * size ** 0.5 * (an_hour_takes if age == 3600 else 1),
              "vertices": 5000} for view in ("Map", "Table", "decode") for size in (10, 100, 1000) for age in (10, 3600)]
    spread = stats.spread([fps, fps])
    live = {"load": "demo", **{key: spread for key in ("fps", "build_us", "screen_pct", "rasteriser_pct", "daemon_pct")}}
    return {"built": built, "live": [live], "absent": {}}


def samples(z=2.0, rank=0.99):
    whole = {"broken": 0.1, "truncated": 0.5, "lost": 0, "samples": 1000}
    row = {"load": "redis", "seconds": 60.0, "perf_samples": 900, "perf_lost": 0.5, "compared": 40, "z": z, "z_of": "lookupKey", "points": 0.4, "chi2": 1.1,
           "rank": rank, "ranked": 12, "elsewhere": 1.0, "timer": 0.1, "others": 0.4, "records": 300.0, "daemon": 1.2, "daemon_records": 480.0, **whole,
           "probed": {"return_probes": 30, "ret_sites": 0, "calls": 10**6, **whole, "broken": 1.2}}
    return {"rows": [row, {**row, "load": "nginx", "z": 1.0, "rank": 1.0}], "absent": {"Rust": "rustc is not installed"}, "idle": 0.2}


def shares(z=2.0):
    return {"rows": [{**row, "slices": 40} for row in samples(z)["rows"]], "absent": {}}


def counts(off=1.01):
    """Of two that are called often enough one is told, as its server counts it or not; one is too rare to be expected."""
    told = {"operation": "get", "rate": 1000.0, "books": 1000, "kind": "all", "seen": 10, "calls": [1000 * off, 980 * off, 1020 * off], "why_not": None}
    rest = [{**told, "operation": name, "rate": rate, "calls": None, "why_not": "depends on load"} for name, rate in (("set", 200.0), ("cron", 1.0))]
    return {"rows": [{"load": "redis", "run": 1, "asked_s": seconds, "seconds": 20.0, "operations": [told, *rest]} for seconds in (20, 60)], "absent": {}}


class SlowedServer:
    """Transactions of a machine whose mood changes from round to round, slower by some share where samples are taken."""

    def __init__(self, share):
        self.share, self.runs = share, []

    def run(self, sampled):
        mood = 1 + len(self.runs) // 2 * 0.1
        self.runs.append(sampled)
        slower = 1 - self.share if sampled else 1
        return {"tps": 1000 * mood * slower, "cpu": 20 / slower, **({"samples": 600, "lost": 1} if sampled else {})}


def outside(share=0.01, rounds=4):
    module = suites.load("outside")
    return {"rows": [module.compared(*module.alternate(rounds, SlowedServer(share).run))], "absent": {}}


class LoadedServer:
    """Its clients wait a little longer where it is observed."""

    name = "redis"

    def __init__(self, share):
        self.share = share

    def run(self, _seconds):
        return {"per_second": 1000.0, "p99_ms": 1.0, "longest_ms": 9.0}

    def observed(self):
        return {"per_second": 1000 * (1 - self.share), "p99_ms": 1.5, "longest_ms": 11.0, "overhead_pct": 5.0}


def busy(share=0.05, slow_s=0.04):
    module = suites.load("busy")
    server = LoadedServer(share)
    found = {False: [server.run(1) for _ in range(3)], True: [server.observed() for _ in range(3)]}
    return {"rows": [module.compared(server, found)], "begins": {"when it begins": [{"slow_s": slow_s, "alone_s": 0.0}]}, "absent": {}}


class SwitchedProgram:
    """Its loops take so many ms of CPU time by what has probes, and some share more once others were switched off."""

    MS = {"no observer": 1, "Other alone": 2, "Dear and Other": 8, "Dear switched off": 2, "all probes paused": 1}

    def __init__(self, left=0.01, told=1000, moments=4):
        self.left, self.told, self.moments, self.runs = left, told, moments, []

    def run(self, components, turns):
        states = [state for state, _ in turns]
        self.runs.append(states)
        rows = [(state, 500, 500 * 1e6 * self.MS[state] * (1 + self.left if state.endswith(("off", "paused")) else 1)) for state in states]
        missed = "all probes paused" in states
        checked = {"books": 1000, "told": [600 if missed else self.told] * 4, "lost": 0, "balanced": True, "missed": missed, "switches": 4,
                   "moments": [4, self.moments]} if "Dear" in components else None
        return rows, checked


def switching(rounds=3, **program):
    module = suites.load("switching")
    by_round, checked = module.alternate(rounds, SwitchedProgram(**program).run)
    return {"rows": module.compared(by_round), "checked": checked, "absent": {}}


def patchable(patched=970, sweep_s=0.3):
    row = {"name": "postgres", "functions": 1000, "patched": patched, "kinds": {"tail jump": 300}, "refusals": {"no jump fits at its exit": 1000 - patched},
           "sweep_ns": sweep_s * 1e9, "plan_ns": 1e8}
    return {"rows": [row, {**row, "name": "python3.11", "patched": 880}], "absent": {}}


def patched(added=20.0, kept=0.95, stop_ms=0.9):
    rounds = {"patched": [added] * 3, "bpftrace": [1000.0] * 3, "uftrace": [100.0] * 3}
    of = {name: stats.spread(times) for name, times in rounds.items()}
    for name in ("bpftrace", "uftrace"):
        of[name]["patched_to"] = stats.ratio(rounds["patched"], rounds[name])
    row = {"function": "cpp", "threads": 1, "none": stats.spread([130.0] * 3), "added": of}
    alone = {**row, "function": "sub", "added": {"patched": of["patched"], "bpftrace": of["bpftrace"]}}
    stop = {"threads": 10, "functions": 10_000, **{f"{key}_ms": stop_ms for key in ("plan", "open", "patch", "stop", "go", "back", "again", "leave")}}
    tps = stats.spread([900.0, 1000.0])
    return {"rows": [row, alone], "stops": [stop], "drained": [{"threads": 1, "events": 33_000_000, "ns": 10**9}], "absent": {"uftrace of sub": "it could not"},
            "perl": {"plain": tps, "patched": tps, "times": stats.ratio([2.0], [1.0]), "lost": 0.5},
            "programs": [{"load": "pgbench -S", "plain": tps, "patched": tps, "kept": stats.ratio([kept], [1.0]), "calls": 26.0, "lost": 0.0}]}


def results(share_of_floor=1.1):
    tps = stats.spread([900.0, 1000.0, 1100.0])
    one = {"tps": tps, "to_none": stats.ratio([1.0], [1.0]), "added": 0.3}
    line = {"slope": 0.9, "start": 0.1, "r": 0.999, "points": [[1, 1.0], [2, 1.9]]}
    seconds = stats.spread([0.4, 0.5])
    return {
        "machine": {"cpu": "Test", "cpus": 2, "virtual": True, "memory_gib": 1.0, "kernel": "6.18", "commit": "v1", "tools": {},
                    "began": "2000-01-01T00:00:00+00:00", "busy_before": 0.4},
        "rounds": 3, "quick": False,
        "suites": {
            "calls": calls(share_of_floor),
            "ladder": {"rows": [{"depth": 1, "us": {"none": tps, "compmond": tps}}], "absent": {}, "lines": {"compmond": line}},
            "programs": {"rows": [{"load": "select", "observers": {"none": one, "compmond": one, "bpftrace": {**one, "added": 0.6}}}],
                         "absent": {}, "symbols": ["f"]},
            "switching": switching(),
            "start": {"rows": [{"what": "many", "ready_s": seconds, "ready_cpu_s": seconds, "end_s": seconds}], "absent": {}},
            "idle": {"rows": [{"who": "daemon", "cpu_pct": seconds, "wakeups_per_s": seconds}], "absent": {}, "seconds": 5},
            "screen": screen(), "samples": samples(), "shares": shares(), "counts": counts(), "busy": busy(), "outside": outside(), "patchable": patchable(), "patched": patched(),
            "inside": {"rows": [{"name": "decode", "size": str(size), "seconds": 1e-3, "items_per_second": 1e8, "counters": {}}
                                for size in (1, 100, 10000)], "absent": {}},
            "analyses": {"rows": [{"report": name, "wall": seconds, "cpu": {**seconds, "to_floor": stats.ratio([0.2], [0.1])}, "mib": 9.0}
                                  for name in ("read the log", "markov")],
                         "absent": {}, "executions": 1_000_000, "bytes_per_event": 8.5},
        },
    }


def test_counts_are_held_against_the_books_and_what_is_told():
    module = suites.load("counts")
    good, bad = ({goal["key"]: goal["met"] for goal in module.goals(counts(off))} for off in (1.01, 1.2))
    assert good == {"counts: intervals": True, "counts: half-width": True, "counts: off": True,
                    "counts: told after 20 s": True, "counts: told after 60 s": False}
    assert not bad["counts: intervals"] and not bad["counts: off"]
    assert module.goals({"rows": [], "absent": {}}) == []
    assert "1 of 2" in "\n".join(module.table(counts()))


def test_each_share_of_a_busy_server_is_held_against_perf():
    module = suites.load("shares")
    assert [[goal["met"] for goal in module.goals(shares(z))] for z in (3.4, 3.6)] == [[True], [False]]
    assert "| redis | 40 |" in "\n".join(module.table(shares()))
    assert [goal["met"] for goal in module.goals({"rows": [], "absent": {}})] == [None]


def test_a_busy_server_may_lose_the_budget_and_go_on_soon():
    module = suites.load("busy")
    assert all(goal["met"] for goal in module.goals(busy()))
    met = {goal["key"]: goal["met"] for goal in module.goals(busy(0.08, 0.07))}
    assert met == {"busy-redis": False, "busy-p99-redis": True, "busy: when it begins": False}
    assert "**0.950 [0.950–0.950]**" in "\n".join(module.table(busy()))


def test_what_is_switched_off_is_held_against_what_was_never_there():
    module = suites.load("switching")
    assert [one["met"] for one in module.goals(switching())] == [True] * 4
    speed = {row["state"]: row.get("to_base", {}).get("ratio") for row in switching(left=0.0)["rows"]}
    assert speed == {module.NONE: None, module.OTHER: 0.5, module.ON: 0.125, module.OFF: 1, module.PAUSED: 1}
    missed = {key: [one["key"] for one in module.goals(switching(**bad)) if not one["met"]]
              for key, bad in (("left", {"left": 0.04}), ("told", {"told": 999}), ("moments", {"moments": 3}))}
    assert missed == {"left": ["switching-off", "switching-paused"], "told": ["switching-calls"], "moments": ["switching-moments"]}
    assert "| Dear switched off | 495 (495–495) | **0.990 [0.990–0.990]** | Other alone |" in module.table(switching())


def test_each_round_has_each_state_and_ends_with_all_probes():
    module, program = suites.load("switching"), SwitchedProgram()
    module.alternate(2, program.run)
    assert program.runs[:4] == list(reversed(program.runs[4:])) == [[state for state, _ in turns] for _, turns in module.RUNS]
    assert {state for states in program.runs for state in states} == set(module.STATES)
    assert [states[-1] for states in program.runs if len(set(states)) > 1] == [module.ON] * 4


def test_a_switch_is_told_in_its_time_and_order():
    module = suites.load("switching")
    made = [{"on": on, "what": "Dear", "before_ns": at, "after_ns": at + 10} for on, at in ((False, 100), (True, 200))]

    def agree(*told):
        return module.agree({"health": {"switches": [{"on": on, "what": "Dear", "at_ns": at} for on, at in told]}}, made)
    assert agree((False, 105), (True, 210)) == 2
    assert agree((False, 99), (True, 211)) == agree((True, 105), (False, 205)) == agree((False, 105)) == 0


def test_how_long_clients_are_below_half_speed():
    import timed_clients
    ends = [0.001 * i for i in range(1000) if not 300 <= i < 345]
    assert timed_clients.usual(ends, 0, 1) == 1000
    assert 0.042 <= timed_clients.below_half_s(ends, 0, 1, 1000) <= 0.046
    assert timed_clients.below_half_s([0.001 * i for i in range(1000)], 0, 1, 1000) == 0


def outcome(found, key):
    return next(one["met"] for one in found if one["key"] == key)


def test_goals_are_met_missed_or_not_measured():
    good, bad = report.goals_of(results(1.1)), report.goals_of(results(1.2))
    assert outcome(good, "floor-push") is True
    assert outcome(bad, "floor-push") is False
    assert outcome(good, "moved-endbr") is True
    assert outcome(good, "moved-mov") is None
    assert outcome(good, "programs-select") is True
    assert outcome(good, "start-postgres-ready_s") is None
    assert outcome(good, "idle-daemon") is False
    assert outcome(good, "analyses") is True
    assert outcome(good, "log-size") is False


def test_the_worst_number_of_threads_decides():
    value = results(1.1)
    worse = value["suites"]["calls"]["rows"][1]["observers"]
    worse["compmond"]["wall"]["to_floor"] = {"ratio": 1.4, "low": 1.3, "high": 1.5}
    found = next(one for one in report.goals_of(value) if one["key"] == "floor-push")
    assert found["met"] is False and "1.40" in found["figure"] and "2 threads" in found["figure"]


def test_a_frame_may_not_grow_with_the_run_and_frames_must_come():
    good, bad = suites.load("screen").goals(screen()), suites.load("screen").goals(screen(1.6, 24.9))
    assert outcome(good, "frame-age") is True and outcome(bad, "frame-age") is False
    assert outcome(good, "fps-demo") is True and outcome(bad, "fps-demo") is False
    assert outcome(good, "fps-postgresql") is None
    assert outcome(good, "frame-dearest") is True


def test_the_load_that_agrees_least_decides():
    good, bad = suites.load("samples").goals(samples()), suites.load("samples").goals(samples(3.6, 0.94))
    assert outcome(good, "samples-z") is True and outcome(bad, "samples-z") is False
    assert outcome(good, "samples-rank") is True and outcome(bad, "samples-rank") is False
    assert outcome(good, "samples-broken") is False, "below probes"
    assert outcome(good, "samples-idle") is True and outcome(good, "samples-timer") is True
    nothing = suites.load("samples").goals({"rows": [], "absent": {}, "idle": None})
    assert len(nothing) == len(good) and not any(one["met"] is not None for one in nothing)


def test_rounds_alternate_and_what_they_share_cancels_out():
    server = SlowedServer(0.02)
    found = suites.load("outside").compared(*suites.load("outside").alternate(4, server.run))
    assert server.runs == [False, True, True, False] * 2
    assert found["tps"]["to_none"] == {"ratio": pytest.approx(0.98), "low": pytest.approx(0.98), "high": pytest.approx(0.98)}
    assert found["cpu"]["to_none"]["ratio"] == pytest.approx(1 / 0.98)
    assert (found["rounds"], found["samples"], found["lost"]) == (4, 2400, 4)


def test_the_upper_bound_of_what_samples_take_from_outside_decides():
    module = suites.load("outside")
    assert outcome(module.goals(outside(0.029)), "outside-tps") is True
    assert outcome(module.goals(outside(0.031)), "outside-tps") is False
    wide = outside(0.01)
    wide["rows"][0]["tps"]["to_none"]["low"] = 0.96
    [one] = module.goals(wide)
    assert one["met"] is False and one["figure"] == "1.0 % [1.0–4.0]"
    assert outcome(module.goals({"rows": [], "absent": {}}), "outside-tps") is None


def test_a_miss_stands_with_its_reason():
    text = "\n".join(report.goal_table(results(1.2)))
    assert f"| **missed** | {goals.reason('floor-push')} |" in text
    assert goals.reason("floor-push") != goals.reason("idle-screen") != ""
    assert goals.reason("nothing that is known") == ""


def test_too_few_functions_and_slow_planning_are_missed_goals():
    module = suites.load("patchable")
    assert [one["met"] for one in module.goals(patchable())] == [True] * 3
    assert [one["met"] for one in module.goals(patchable(patched=940, sweep_s=1.1))] == [False, True, False]
    assert "| `postgres` | 1,000 | **97.0 %** | 300 | 30 no jump fits at its exit |" in module.table(patchable())


def test_patched_functions_are_held_against_other_tools_and_what_a_program_keeps():
    module = suites.load("patched")
    assert all(one["met"] for one in module.goals(patched()))
    missed = [one["key"] for one in module.goals(patched(added=70.0, kept=0.8, stop_ms=1.5)) if not one["met"]]
    assert missed == ["patched-uftrace", "patched-bpftrace", "patched-pgbench -S", "patched-stop-10"]
    shown = "\n".join(module.table(patched()))
    assert "| `sub` | 1 | 130 | 20 (20–20) | 1,000 (1,000–1,000) **0.020 [0.020–0.020]** | – |" in shown
    assert "33 M/s of 1 threads" in shown and "Without uftrace of sub: it could not." in shown


def test_every_suite_can_be_loaded_and_shown():
    text = report.markdown(results())
    for name in suites.NAMES:
        assert suites.load(name).TITLE in text
    assert "uftrace is not installed" in text
    assert "The machine was busy" in text


def test_what_was_measured_again_says_so():
    value = results()
    value["suites"]["screen"] |= {"again": {**value["machine"], "began": "2000-01-02", "busy_before": 0.0}, "again_rounds": 4}
    text = report.markdown(value)
    assert text.count("Measured again, later") == 1
    assert "4 rounds, 2000-01-02." in text


def texts(drawing):
    return {element.text for element in xml.etree.ElementTree.fromstring(drawing).iter() if element.tag.endswith("text")}


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("points", [[(1, 1)], [(1, 5), (10, 5)], [(1, 0.001), (1000, 1e6)]])
def test_a_chart_of_any_points_is_well_formed_and_says_what_it_shows(log, points):
    drawing = charts.lines("a < b & c", "x", "y", {"one": points, "other": points[:1]}, log_x=log, log_y=log)
    assert {"a < b & c", "x", "y", "one", "other"} <= texts(drawing)
    bars = charts.bars("t", "y", {"g": {"a": (2, 1, 3), "b": (20, 10, 3000)}, "h": {"b": (1, 1, 1)}}, log_y=log)
    assert {"t", "y", "g", "h", "a", "b"} <= texts(bars)


def test_a_chart_has_numbers_where_it_is_told_to():
    drawing = charts.lines("t", "x", "y", {"one": [(1, 1), (3, 1), (4000, 2)]}, log_x=True, ticks=[1, 3, 4000])
    assert {"1", "3", "4 k"} <= texts(drawing) and "10" not in texts(drawing)


def test_the_same_figures_give_the_same_bytes():
    def draw():
        return charts.lines("t", "x", "y", {"one": [(1, 2), (3, 4)]}) + charts.bars("t", "y", {"g": {"a": (2, 1, 3)}})
    assert draw() == draw()
    assert "<dc:date>" not in draw()


def test_the_page_is_written_with_all_charts_that_it_shows(tmp_path):
    (tmp_path / "results.json").write_text(json.dumps(results()))
    (tmp_path / "performance").mkdir()
    (tmp_path / "performance" / "old.svg").write_text("<svg/>")
    subprocess.run([sys.executable, BENCH / "write_performance.py", "--results", tmp_path / "results.json", "--out", tmp_path],
                   check=True)
    page = (tmp_path / "performance.md").read_text()
    shown = {part.split(")")[0] for part in page.split("](performance/")[1:]}
    assert shown == {file.name for file in (tmp_path / "performance").iterdir()}
    assert {"calls.svg", "ladder.svg", "programs.svg", "threads-push.svg", "screen.svg"} <= shown
