# SPDX-License-Identifier: Apache-2.0
"""compmond --engine sampling, as a user runs it: what it tells is true, and nothing of the program is touched."""

import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

import jsonschema
import pytest
import support
import truth
from support import BIN, COMPMOND, DEADLINE, ROOT, TARGETS, Folder, Profiler, Target, component, wait_for
from test_errors import check, run
from test_privileges import CAP_BPF, CAP_PERFMON, check_confined, mask
from test_sampling import NOBODY, TWO_RIGHTS

SAMPLING = ("--engine", "sampling")
SAMPLED = BIN / "sampled"
SPIN = support.spec(["spin"])
SCHEMA = ROOT / "specs" / "compmond.snapshot-1.schema.json"
PLAIN = ("calls", "open", "raw_ns", "real_ns", "net_real_ns", "mean_ns", "min_ns", "max_ns")


@pytest.fixture(scope="module")
def waits():
    """For what asks for samples of waiting."""
    if "those that wait" not in subprocess.run([COMPMOND, "doctor"], capture_output=True, text=True).stdout:
        pytest.skip("on this kernel samples are of time on a CPU alone")


def samples(snapshot):
    return snapshot["health"]["samples"]


def on_cpu(snapshot, name="spin"):
    """Seconds: value, low, high."""
    return [ns / 1e9 for ns in component(snapshot, name)["estimated"]["cpu_ns"]]


def check_seconds(snapshot, expected):
    """Within four standard errors, the interval's width being that of four."""
    value, low, high = on_cpu(snapshot)
    assert abs(value - expected) <= max(high - low, 0.1 * expected), (value, low, high)


@pytest.fixture(scope="module")
def compared():
    """Two runs of three seconds against the program's own books, and the last snapshot."""
    comparison, spec = truth.Comparison(), truth.truth_spec()
    for _ in range(2):
        books, snapshot = truth.run_once(spec, 3)
        comparison.add(books, snapshot)
    return comparison, snapshot


def test_estimates_are_as_the_programs_own_books(waits, compared):
    comparison, _ = compared
    assert comparison.mean_share_error() < 3, comparison.text()
    # Of 46 intervals; a single run too many would fail where it should not (the long form is truth.py).
    assert comparison.holding("cpu") >= 0.75 and comparison.holding("off") >= 0.75, comparison.text()


def test_estimates_add_up_to_all_the_time_there_was(waits, compared):
    comparison, _ = compared
    assert abs(comparison.sum_error("cpu")) < 0.05, comparison.text()
    assert abs(comparison.sum_error("off")) < 0.20, comparison.text()  # four standard errors of so few waits


def test_waiting_is_never_more_than_there_was_and_marked_where_switches_are_too_many_to_see_it_all():
    with Target(SAMPLED, "nap", 20, 4000) as target, \
            Profiler(support.spec(["nap"]), "--pid", target.pid, options=SAMPLING) as profiler:
        target.finish()
        snapshot = profiler.finish()
    thread, = (one["estimated"] for one in snapshot["threads"])
    truly = snapshot["window"]["end_ns"] - snapshot["window"]["start_ns"] - thread["cpu_ns"][0]
    value, low, high = thread["waiting_ns"]
    assert value <= truly + max(high - low, 0.1 * truly), (value, low, high, truly)
    seen_in_part = samples(snapshot)["off_cpu_share"] < 0.99
    assert thread["waiting_at_least"] == component(snapshot, "nap")["estimated"]["waiting_at_least"] == seen_in_part


def test_nothing_is_said_that_samples_cannot_say(compared):
    snapshot = compared[1]
    jsonschema.validate(snapshot, json.loads(SCHEMA.read_text()), jsonschema.Draft202012Validator)
    for part in snapshot["components"]:
        assert part["status"] == "sampled"
        for figures in [part, *part["operations"]]:
            assert all(figures[key] is None for key in PLAIN), figures
            assert figures["evidence"] == {"calls": "none", "raw": "samples", "real": "samples", "edges": "samples", "single": "none"}
            low, high = figures["estimated"]["raw_ns"][1:]
            assert low <= figures["estimated"]["raw_ns"][0] <= high
    assert all(edge["count"] is None and edge["raw_ns"] is None for edge in snapshot["edges"])
    assert snapshot["threads"] and all(thread["calls"] is None for thread in snapshot["threads"])
    assert snapshot["health"]["hits"] == 0 and snapshot["health"]["lost"] == 0


def test_callers_are_told_and_few_stacks_are_cut(compared):
    snapshot = compared[1]
    edges = {(edge["from"], edge["to"]) for edge in snapshot["edges"]}
    assert {("op_top", "op_middle"), ("op_sort", "op_compare"), ("op_catch", "op_throw")} <= edges
    assert samples(snapshot)["broken"] <= 0.01 * samples(snapshot)["taken"]
    assert samples(snapshot)["truncated"] <= 0.05 * samples(snapshot)["taken"]  # of op_deep alone


def test_that_some_stacks_are_cut_matters_for_none_that_is_on_many(compared):
    """Its waits may be: a cut stack that waits for a CPU hides as much time as the machine's other work takes."""
    assert component(compared[1], "op_mutex")["estimated"]["cpu_at_least"] is False


def state(pid):
    """What a profiler could have changed of a process that waits."""
    folder, text = pathlib.Path(f"/proc/{pid}"), hashlib.sha256()
    maps = (folder / "maps").read_text()
    with open(folder / "mem", "rb") as memory:
        for line in maps.splitlines():
            if " r-xp " in line and "[vsyscall]" not in line:
                start, end = (int(x, 16) for x in line.split()[0].split("-"))
                memory.seek(start)
                text.update(memory.read(end - start))
    descriptors = {fd: os.readlink(folder / "fd" / fd) for fd in os.listdir(folder / "fd")}
    tracer = [line for line in (folder / "status").read_text().splitlines() if line.startswith("TracerPid")]
    return maps, text.hexdigest(), descriptors, tracer


def test_nothing_of_the_target_changes(waits):
    plain = subprocess.run([TARGETS / "counted", "1000", "2"], capture_output=True, text=True, check=True).stdout
    with Target(TARGETS / "counted", "1000", "2") as target:
        before = state(target.pid)
        with Profiler(support.spec(["work"]), "--pid", target.pid, options=SAMPLING) as profiler:
            wait_for(lambda: samples(profiler.snapshot_now())["taken"] > 0, "a sample")  # of its wait for a start
            assert state(target.pid) == before
            profiler.finish(end=True)
        assert state(target.pid) == before
        assert target.finish() == (plain, 0)


def test_a_command_is_sampled_from_its_first_instruction_and_its_end_is_told():
    with Profiler(SPIN, "--", SAMPLED, "spin", 600, options=SAMPLING) as profiler:
        snapshot = profiler.finish()
        assert "exited with status 0" in profiler.stderr()
        assert b"cpu " in profiler.stdout  # what it says itself
    check_seconds(snapshot, 0.6)
    assert 0.6 <= samples(snapshot)["cpu_ns"] / 1e9 < 0.9


def test_children_are_sampled_with_their_cpu_time():
    with Target(SAMPLED, "spin", 300, "child", 600) as target, Profiler(SPIN, "--pid", target.pid, options=SAMPLING) as profiler:
        target.finish()
        snapshot = profiler.finish()
    assert len(snapshot["targets"]) == 2 and not any(t["alive"] for t in snapshot["targets"])
    assert len({thread["pid"] for thread in snapshot["threads"]}) == 2
    check_seconds(snapshot, 0.9)


def test_exe_covers_running_and_future_processes():
    with Target(SAMPLED, "spin", 300) as running, Profiler(SPIN, "--exe", SAMPLED, options=SAMPLING) as profiler:
        running.finish()
        for _ in range(2):
            subprocess.run([SAMPLED, "spin", "300"], stdout=subprocess.DEVNULL, check=True)
        snapshot = profiler.finish(end=True)
    assert len(snapshot["targets"]) == 3
    check_seconds(snapshot, 0.9)


THREADS = 11  # of the program truth


def share_of_all_time(snapshot):
    """What was estimated of all threads together, of the time that there was; each is always on a CPU or waits."""
    health, window = samples(snapshot), snapshot["window"]
    parts = [part["estimated"] for part in snapshot["components"]]
    cpu = sum(p["cpu_ns"][0] for p in parts) + health["elsewhere_cpu_ns"][0]
    waiting = sum(p["waiting_ns"][0] for p in parts) + health["elsewhere_waiting_ns"][0]
    all_time = THREADS * (window["end_ns"] - window["start_ns"])
    return (cpu + waiting) / (cpu + (all_time - cpu) * health["off_cpu_share"])


def test_a_window_that_follows_lacks_nothing_of_its_time():
    length, windows = 2, []
    with Target(TARGETS / "truth", "60") as target, \
            Profiler(truth.truth_spec(), "--pid", target.pid, options=(*SAMPLING, "--window", length)) as profiler:
        target.release()
        after = time.monotonic_ns()

        def next_one():
            found = profiler.snapshot_now()
            return found if found["window"]["start_ns"] >= after else None
        while len(windows) < 4:
            windows.append(wait_for(next_one, "a window of its own"))
            after = windows[-1]["window"]["end_ns"]
        target.process.kill()
        last = profiler.finish()
    for snapshot in windows:
        window = snapshot["window"]
        assert window["end_ns"] - window["start_ns"] == length * 10**9
        assert window["end_ns"] == samples(snapshot)["known_until_ns"] <= snapshot["now_ns"]
    # Of the newest second nothing is known: it would lack a quarter and more.
    shares = [share_of_all_time(snapshot) for snapshot in windows]
    assert abs(sum(shares) / len(shares) - 1) < 0.08, shares
    assert last["window"]["end_ns"] == last["now_ns"] == samples(last)["known_until_ns"]


def test_a_snapshot_shows_what_was_seen_so_far():
    with Target(SAMPLED, "spin", 4000) as target, Profiler(SPIN, "--pid", target.pid, options=SAMPLING) as profiler:
        target.release()
        wait_for(lambda: samples(profiler.snapshot_now())["taken"] > 20, "samples")
        first = samples(profiler.snapshot_now())["taken"]
        wait_for(lambda: samples(profiler.snapshot_now())["taken"] > first, "more of them")
        target.process.kill()  # an observed process ends, whatever it was about to do
        snapshot = profiler.finish()
    assert samples(snapshot)["taken"] > first and not snapshot["targets"][0]["alive"]
    assert snapshot["start_ns"] < snapshot["targets"][0]["ended_ns"] <= snapshot["now_ns"]
    assert on_cpu(snapshot)[0] > 0.9 * (samples(snapshot)["cpu_ns"] / 1e9 - 0.05)


def test_how_a_process_ended_is_told_that_compmond_did_not_start():
    with Target(SAMPLED, "spin", 60000) as target, Profiler(SPIN, "--pid", target.pid, options=SAMPLING) as profiler:
        target.release()
        target.process.send_signal(signal.SIGSEGV)
        assert target.process.wait(timeout=DEADLINE) == -signal.SIGSEGV
        found = profiler.finish()["targets"][0]
        assert "killed by SIGSEGV" in profiler.stdout.decode()
    assert found["end_signal"] == signal.SIGSEGV and "exit_status" not in found and not found["alive"]


SQLITE = """
import os, sqlite3, sys
print('pid', os.getpid(), flush=True)
sys.stdin.readline()
db = sqlite3.connect(':memory:')
db.execute('create table t (i integer, s text)')
db.executemany('insert into t values (?, ?)', ((i, str(i * 7919 % 1000)) for i in range(100000)))
for i in range(60):
    total = db.execute('select count(*), max(s || i) from t where s like ?', (f'%{i}%',)).fetchone()
print(total[0])
"""

pytestmark = pytest.mark.alone


def test_a_real_program_with_a_stripped_library_without_frame_pointers():
    """Debian's python and libsqlite3 have neither symbols nor frame pointers."""
    process = subprocess.Popen(["/usr/bin/python3", "-c", SQLITE], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    pid = int(support.read_line(process.stdout, "python's pid").split()[1])
    with Profiler(ROOT / "specs" / "sqlite.json", "--pid", pid, options=SAMPLING) as profiler:
        out, _ = process.communicate(b"\n", timeout=DEADLINE)
        snapshot = profiler.finish()
    assert process.returncode == 0 and int(out) > 0
    seen = samples(snapshot)
    assert seen["taken"] > 20 and seen["broken"] <= 0.01 * seen["taken"], seen
    within = component(snapshot, "Statements")["estimated"]["raw_ns"][0]  # of what it does, wherever
    assert within > 0.3 * seen["cpu_ns"], (within, seen)


def test_while_observing_two_capabilities_are_kept():
    with Target(SAMPLED, "spin", 300) as target, Profiler(SPIN, "--pid", target.pid, options=SAMPLING) as profiler:
        check_confined(profiler.process.pid, mask(CAP_BPF, CAP_PERFMON))
        target.finish()
        assert on_cpu(profiler.finish())[0] > 0.2


class NobodysTarget(Target):
    """As Target, of a user and group without rights."""

    def __init__(self, program):
        self.process = subprocess.Popen(["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", program, "--wait"],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.pid = int(support.read_line(self.process.stdout, "the target's pid").split()[1])


def test_two_capabilities_suffice_from_the_start():
    with Folder() as folder:
        spec, program = folder / "spec.json", folder / "counted"
        spec.write_text(json.dumps(support.spec(["main"])))
        shutil.copy(TARGETS / "counted", program)
        folder.chmod(0o755)
        with NobodysTarget(program) as target:
            command = [*TWO_RIGHTS, COMPMOND, "--spec", spec, "--headless", "--snapshot", "-", "--duration", "1", *SAMPLING, "--pid",
                       target.pid]
            done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=DEADLINE)
    if done.returncode == 77 and "asks for CAP_SYS_ADMIN" in done.stderr:
        pytest.skip("this kernel asks for CAP_SYS_ADMIN as well, at its level of perf_event_paranoid")
    assert done.returncode == 0, done.stderr
    snapshot = json.loads(done.stdout[done.stdout.index("{"):])
    # It waits for its start all the while.
    assert samples(snapshot)["taken"] > 0 and samples(snapshot)["elsewhere_waiting_ns"][0] + \
        component(snapshot, "main")["estimated"]["waiting_ns"][0] > 0.5e9


def test_check_plans_without_probes():
    with Folder() as folder:
        (folder / "spec.json").write_text(json.dumps(SPIN))
        command = ("check", "--spec", folder / "spec.json", "--exe", SAMPLED, *SAMPLING)
        table, parts = run(*command), run(*command, "--json")
    assert table.returncode == 0, table.stderr
    assert "spin" in table.stdout and "1 of 1 operations can be sampled" in table.stdout, table.stdout
    assert "return-probe" not in table.stdout and "per call as" not in table.stdout, table.stdout
    [operation] = json.loads(parts.stdout)["operations"]
    assert (operation["engine"], operation["exit_mode"], operation["next_engine"]) == ("sampling", "none", None)
    assert "cost_ns" not in operation and "site" not in operation


def test_check_names_the_way_in_use_and_the_next():
    with Folder() as folder:
        (folder / "spec.json").write_text(json.dumps(SPIN))
        done = run("check", "--spec", folder / "spec.json", "--exe", SAMPLED, "--json")
    [operation] = json.loads(done.stdout)["operations"]
    assert (operation["engine"], operation["next_engine"]) == ("uprobe", "sampling"), operation
    assert operation["exit_mode"] in ("return-probe", "ret-sites") and operation["cost_ns"]["inside"] > 0


def test_doctor_tells_of_samples():
    assert "samples" in run("doctor").stdout


@pytest.mark.parametrize("options, words", [
    ((*SAMPLING, "--attach", "per-symbol"), ("--attach", "sampling places none")),
    ((*SAMPLING, "--exit-on-slo"), ("--exit-on-slo", "--engine uprobe")),
    (("--engine", "uprobe", "--samples", "99"), ("--samples does not go with --engine uprobe", "beside probes")),
    ((*SAMPLING, "--samples", "off"), ("--samples off leaves --engine sampling nothing to do",)),
    ((*SAMPLING, "--samples", "0"), ("--samples",)),
    ((*SAMPLING, "--samples", "many"), ("--samples", "many"))], ids=lambda value: "_".join(value[-2:]))
def test_what_does_not_go_with_sampling_is_refused(options, words):
    check(run("--spec", ROOT / "specs" / "sqlite.json", "--pid", str(os.getpid()), *options), 64, *words)


@pytest.mark.parametrize("options", [("--engine", "uprobe", "--samples", "99"), (*SAMPLING, "--attach", "per-symbol")],
                         ids=["samples", "attach"])
def test_check_refuses_the_same(options):
    check(run("check", "--spec", ROOT / "specs" / "sqlite.json", "--exe", SAMPLED, *options), 64, options[-2])
