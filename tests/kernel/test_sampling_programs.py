# SPDX-License-Identifier: Apache-2.0
"""Programs that come by their code and their stacks in other ways than most: samples name both all the same."""

import os
import shutil
import subprocess

import pytest
import support
from support import BIN, DEADLINE, ROOT, Folder, Profiler, Target, component
from test_record import replay
from test_sampling_run import SAMPLED, SAMPLING, check_seconds, on_cpu, samples

SPIN = support.spec(["main", "spin"])


def observed(spec, *command):
    """The last snapshot of a program that ended well, and what it said."""
    with Target(*command) as target, Profiler(spec, "--pid", target.pid, options=(*SAMPLING, "--samples", "199")) as profiler:
        out, status = target.finish()
        assert status == 0
        return profiler.finish(), out


def test_a_signal_handler_on_a_stack_of_its_own_is_seen_and_what_it_interrupted_may_be_more():
    snapshot, _ = observed(SPIN, SAMPLED, "altstack", 800)
    check_seconds(snapshot, 0.8)
    seen = samples(snapshot)
    assert seen["broken"] <= 0.01 * seen["taken"] and seen["truncated"] > 50, seen
    # Nobody copied the stack below.
    within = component(snapshot, "main")["estimated"]
    assert within["raw_ns"][2] > 0.7e9, within


def test_a_stack_that_a_program_switches_to_ends_at_its_own_first_function():
    snapshot, _ = observed(SPIN, SAMPLED, "fiber", 800)
    check_seconds(snapshot, 0.8)
    seen = samples(snapshot)
    assert seen["broken"] + seen["truncated"] <= 0.01 * seen["taken"], seen
    assert component(snapshot, "main")["estimated"]["raw_ns"][0] < 0.2 * on_cpu(snapshot)[0] * 1e9 + 0.2 * samples(snapshot)["waiting_ns"] + 0.1e9


def test_a_library_at_the_place_of_one_that_was_unloaded_is_named():
    library = next(line.split()[-1] for line in subprocess.run(["ldconfig", "-p"], capture_output=True, text=True, check=True).stdout.splitlines()
                   if "libz.so.1 " in line and "x86-64" in line)
    with Folder() as folder:
        places = {name: folder / name for name in ("one.so", "two.so")}
        for place in places.values():
            shutil.copy(library, place)
        snapshot, out = observed(support.spec(["spin"]), SAMPLED, "plugin", places["one.so"], 600, "plugin", places["two.so"], 900)
        addresses = [line.split()[1] for line in out.splitlines() if line.startswith("crc32 ")]
        assert len(addresses) == 2 and len(set(addresses)) == 1, addresses  # of both: the test tests something
        told = {image["image"]: image["cpu_ns"] for image in samples(snapshot)["elsewhere_by_image"]}
    for name, ns in (("one.so", 0.6e9), ("two.so", 0.9e9)):
        value, low, high = told[str(places[name])]
        assert abs(value - ns) <= max(high - low, 0.1 * ns), (name, told)


def test_a_program_whose_file_was_replaced_is_the_one_that_it_was():
    with Folder() as folder:
        program = folder / "program"
        shutil.copy(SAMPLED, program)
        with Target(program, "spin", 600) as target:
            shutil.copy(BIN / "probed", folder / "other")
            os.replace(folder / "other", program)
            with Profiler(SPIN, "--pid", target.pid, options=SAMPLING) as profiler:
                assert target.finish()[1] == 0
                snapshot = profiler.finish()
    check_seconds(snapshot, 0.6)
    assert samples(snapshot)["broken"] == 0


def test_a_file_that_comes_in_place_of_the_observed_one_is_not_taken_for_it():
    with Folder() as folder:
        program = folder / "program"
        shutil.copy(SAMPLED, program)
        with Profiler(SPIN, "--exe", program, options=SAMPLING) as profiler:
            subprocess.run([program, "spin", "600"], stdout=subprocess.DEVNULL, check=True)
            shutil.copy(BIN / "probed", folder / "other")
            os.replace(folder / "other", program)
            subprocess.run([program, "600"], stdout=subprocess.DEVNULL, check=True)
            snapshot = profiler.finish(end=True)
    check_seconds(snapshot, 0.6)


@pytest.mark.parametrize("linked", ["-static", "-no-pie", "-static-pie"])
def test_programs_are_sampled_however_they_are_linked(linked):
    functions = ["main", "pushes", "recurses", "elsewhere"]
    with Folder() as folder:
        program = folder / "program"
        source = ROOT / "tests" / "kernel" / "probed.c"
        subprocess.run(["cc", "-O2", "-D_GNU_SOURCE", linked, "-o", program, source], check=True)
        snapshot, _ = observed(support.spec(functions), program, 800)
    seen = samples(snapshot)
    assert seen["taken"] > 100 and seen["broken"] + seen["truncated"] <= 0.01 * seen["taken"], seen
    edges = {(edge["from"], edge["to"]) for edge in snapshot["edges"]}
    assert {("main", "pushes"), ("pushes", "recurses"), ("recurses", "elsewhere")} <= edges, edges


def test_a_program_that_only_its_own_mount_namespace_has_is_sampled():
    script = 'mount -t tmpfs none /mnt && cp "$0" /mnt/hidden && exec /mnt/hidden --wait spin 600'
    with subprocess.Popen(["unshare", "-m", "sh", "-c", script, SAMPLED], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        pid = int(support.read_line(process.stdout, "the target's pid").split()[1])
        with Profiler(SPIN, "--pid", pid, options=SAMPLING) as profiler:
            process.communicate(b"\n", timeout=DEADLINE)
            snapshot = profiler.finish()
    check_seconds(snapshot, 0.6)
    assert samples(snapshot)["broken"] == 0


def test_raw_times_of_what_ends_in_a_jump_are_lower_bounds_live_and_in_a_log():
    functions = ["main", "pushes", "jumps", "jumped_to"]
    with Folder() as folder, Target(BIN / "probed", 800) as target:
        options = (*SAMPLING, "--samples", "499", "--record", folder / "log")
        with Profiler(support.spec(functions), "--pid", target.pid, options=options) as profiler:
            assert target.finish()[1] == 0
            live = profiler.finish()
        replayed, _ = replay(folder / "log")
    for snapshot in (live, replayed):
        marked = {name: component(snapshot, name)["estimated"].get("at_least", False) for name in functions}
        assert marked["jumps"], snapshot["components"]
        if samples(snapshot)["off_cpu_share"] > 0.999:  # else all are, since some waiting was not looked at
            assert marked == {"main": False, "pushes": False, "jumps": True, "jumped_to": False}
            edges = {(edge["from"], edge["to"]): edge["estimated"].get("at_least", False) for edge in snapshot["edges"]}
            assert edges["pushes", "jumps"] and not edges["pushes", "jumped_to"], edges
