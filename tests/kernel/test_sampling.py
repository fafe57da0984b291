# SPDX-License-Identifier: Apache-2.0
"""The sampler: what it says of programs that know what they do, and that it leaves nothing behind."""

import json
import math
import os
import pathlib
import re
import shutil
import signal
import subprocess

import pytest
import support
from support import BIN, DEADLINE, Folder, Target, wait_for

pytestmark = pytest.mark.measured
PROBE, SAMPLED = BIN / "sampler_probe", BIN / "sampled"
NOBODY = 65534
TWO_RIGHTS = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--inh-caps=-all,+bpf,+perfmon",
              "--ambient-caps=-all,+bpf,+perfmon", "--bounding-set=-all,+bpf,+perfmon"]


class Probe:
    """The sampler at work on some processes, until told to print what it saw."""

    def __init__(self, *arguments, rights=(), wait=True):
        self.process = subprocess.Popen([*rights, *(str(a) for a in (PROBE, *arguments))], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if wait:
            support.read_line(self.process.stdout, "the sampler")

    def finish(self):
        out, err = self.process.communicate(timeout=DEADLINE)
        assert self.process.returncode == 0, err.decode()
        seen = json.loads(out)
        assert seen["late"] == 0  # no sample after its time was said to be complete
        assert all(a["end_ns"] == b["start_ns"] for a, b in zip(seen["stretches"], seen["stretches"][1:]))
        return seen

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


def sample(*work, options=(), rights=()):
    """What a program that does this says of itself (as a dict), its pid, and what was seen of it."""
    with Target(SAMPLED, *work) as target, Probe(*options, target.pid, rights=rights) as probe:
        out, status = target.finish()
        assert status == 0
        said = dict(line.split() for line in out.splitlines())
        return {key: int(value) for key, value in said.items()}, target.pid, probe.finish()


def total(seen, key="count", **which):
    return sum(s[key] for s in seen["samples"] if all(s[k] == v for k, v in which.items()))


def on_image(seen, name, **which):
    """Samples on a CPU in this image, by the name of its file."""
    return sum(s["count"] for s in seen["samples"]
               if not s["off"] and pathlib.Path(s["image"]).name.startswith(name) and all(s[k] == v for k, v in which.items()))


def cpu_ns(seen, pid):
    return sum(c["cpu_ns"] for c in seen["cpu"] if c["pid"] == pid)


def hz(seen):
    """Of the timer, on average over those stretches in which it ran all the while."""
    whole = [s for s in seen["stretches"][:-1]]
    return sum(s["hz"] * (s["end_ns"] - s["start_ns"]) for s in whole) / sum(s["end_ns"] - s["start_ns"] for s in whole)


def looked_ns(seen):
    """How long waits were looked at: all the time, but where a busy machine switches so often that it would cost too much."""
    return sum(s["end_ns"] - s["start_ns"] for s in seen["stretches"] if s["off_cpu"])


def check_count(found, expected):
    """Within five standard errors, what changes of the period cost the timer, and a sample at either end."""
    assert abs(found - expected) < 5 * math.sqrt(expected) + 0.05 * expected + 2, (found, expected)


def test_a_busy_thread_is_sampled_as_often_as_the_timer_hits():
    said, pid, seen = sample("spin", 3000)
    check_count(on_image(seen, "sampled", pid=pid, tid=pid, in_kernel=False), hz(seen) * said["cpu"] / 1e9)
    assert 0.8 * 199 < hz(seen) < 1.2 * 199
    assert total(seen, pid=pid, off=False) >= 0.99 * on_image(seen, "sampled") and on_image(seen, "[unknown]") == 0
    assert sum(s["lost"] for s in seen["stretches"]) == 0


def test_cpu_time_is_exact():
    said, pid, seen = sample("spin", 500, "threads", 4, 200)
    assert 0 <= cpu_ns(seen, pid) - said["cpu"] < 0.01 * said["cpu"] + 20e6  # and what it took to end


def test_many_short_waits_add_up_to_the_time_not_on_a_cpu():
    said, pid, seen = sample("nap", 1000, 3000)
    weight, off = total(seen, "weight_ns", pid=pid, off=True), said["wall"] - said["cpu"]
    off *= looked_ns(seen) / (seen["stretches"][-1]["end_ns"] - seen["stretches"][0]["start_ns"])
    error = math.sqrt(sum(s["count"] for s in seen["samples"] if s["off"])) * max(s["period_ns"] for s in seen["stretches"])
    assert abs(weight - off) < 5 * error, (weight, off, error)
    assert total(seen, "runnable_ns", off=True) < 0.5 * total(seen, "off_ns", off=True)  # it slept


def test_a_thread_that_sleeps_all_the_time_counts_while_it_does():
    with Target(SAMPLED, "spin", 10) as target, Probe(target.pid) as probe:
        # It waits for its release all the while; nothing ever wakes it up.
        wait_for(lambda: wall_of(probe) > 2.5, "two seconds of the sampler")
        seen = probe.finish()
    looked, weight = looked_ns(seen), total(seen, "weight_ns", pid=target.pid, off=True)
    assert looked > 0 and abs(weight - looked) < 0.1 * looked, (weight, looked)
    assert total(seen, "runnable_ns", off=True) == 0
    assert seen["same_stacks"] == total(seen)  # each stack as it is in the target's memory


def test_a_program_that_sleeps_is_looked_at_when_a_stretch_ends_and_its_samples_are_told():
    with Target(SAMPLED, "spin", 10) as target, Probe(target.pid) as probe:
        wait_for(lambda: wall_of(probe) > 4.5, "four seconds of the sampler")
        seen = probe.finish()
    assert len(seen["stretches"]) >= 4
    assert seen["drains"] <= 2 * len(seen["stretches"]) + 6, seen["drains"]  # and what beginning takes
    assert total(seen, off=True) >= 3


def test_what_begins_to_run_after_a_rest_is_sampled_from_its_beginning():
    with Target(SAMPLED, "spin", 1500) as target, Probe(target.pid) as probe:
        wait_for(lambda: wall_of(probe) > 2.5, "two seconds of the sampler")
        target.finish()
        seen = probe.finish()
    check_count(on_image(seen, "sampled", pid=target.pid, in_kernel=False), max(s["hz"] for s in seen["stretches"]) * 1.5)
    assert seen["drains"] > 10 and sum(s["lost"] for s in seen["stretches"]) == 0


def wall_of(probe):
    """Seconds since the process began, by its own start."""
    stat = pathlib.Path(f"/proc/{probe.process.pid}/stat").read_text().rpartition(")")[2].split()
    uptime = float(pathlib.Path("/proc/uptime").read_text().split()[0])
    return uptime - int(stat[19]) / os.sysconf("SC_CLK_TCK")


def test_of_a_stack_only_what_was_learned_to_be_needed_is_copied():
    said, pid, seen = sample("deep", 14, 500, options=["--no-waits"])
    assert 14 * 1024 * 0.9 < seen["stack_bytes"] / total(seen) <= 16384
    said, pid, seen = sample("deep", 14, 1500, options=["--top", 64, "--no-waits"])
    assert seen["stack_bytes"] < 8192 * total(seen) + 40 * 16384  # two pages, once it is known


def test_a_child_of_50_ms_is_named_with_its_cpu_time():
    said, pid, seen = sample("spin", 100, "child", 50, "spin", 100)
    child = said["child"]
    assert seen["arrivals"] == [{"pid": child, "parent": pid}]
    assert 50e6 <= cpu_ns(seen, child) < 90e6  # with its beginning and its end
    assert on_image(seen, "sampled", pid=child) > 2


def test_a_child_is_left_alone_where_forks_are_not_followed():
    said, pid, seen = sample("child", 50, options=["--no-forks"])
    assert seen["arrivals"] == [] and total(seen, pid=said["child"]) == 0


def test_a_library_that_is_loaded_later_is_named():
    said, pid, seen = sample("spin", 200, "library", "libz.so.1", 1000)
    check_count(on_image(seen, "libz.so.1", pid=pid), hz(seen) * 1.0)
    check_count(on_image(seen, "sampled", pid=pid, in_kernel=False), hz(seen) * 0.2)
    assert all(i["opened"] for i in seen["images"] if i["path"].startswith("/")) and seen["notes"] == []


def test_a_program_that_is_executed_is_named():
    with Folder() as folder:
        shutil.copy(SAMPLED, folder / "other")
        said, pid, seen = sample("spin", 200, "exec", folder / "other", "spin", 400)
    check_count(on_image(seen, "sampled", in_kernel=False), hz(seen) * 0.2)
    check_count(on_image(seen, "other", in_kernel=False), hz(seen) * 0.4)
    assert cpu_ns(seen, pid) >= 600e6


def test_another_program_than_the_observed_one_is_not_sampled():
    with Folder() as folder:
        shutil.copy(SAMPLED, folder / "other")
        said, pid, seen = sample("spin", 200, "exec", folder / "other", "spin", 400, options=["--exe", SAMPLED])
    assert on_image(seen, "other") <= 1 and on_image(seen, "sampled") > 20
    assert 200e6 <= cpu_ns(seen, pid) < 300e6


def test_every_process_of_a_program_is_sampled_from_its_first_instruction():
    with Probe("--exe", SAMPLED, "--all") as probe:
        for _ in range(2):
            subprocess.run([SAMPLED, "spin", "300"], check=True, stdout=subprocess.DEVNULL)
        seen = probe.finish()
    pids = {a["pid"] for a in seen["arrivals"]}
    assert len(pids) == 2 and {a["parent"] for a in seen["arrivals"]} == {0}
    for pid in pids:
        check_count(on_image(seen, "sampled", pid=pid, in_kernel=False), hz(seen) * 0.3)
        assert 300e6 <= cpu_ns(seen, pid) < 400e6
    assert on_image(seen, "[unknown]") == 0


def test_two_targets_are_told_apart():
    with Target(SAMPLED, "spin", 600) as one, Target(SAMPLED, "spin", 1200) as two, Probe(one.pid, two.pid) as probe:
        one.release()
        two.release()
        one.finish()
        two.finish()
        seen = probe.finish()
    check_count(total(seen, pid=one.pid, off=False), hz(seen) * cpu_ns(seen, one.pid) / 1e9)
    check_count(total(seen, pid=two.pid, off=False), hz(seen) * cpu_ns(seen, two.pid) / 1e9)


def test_there_are_never_many_more_than_500_samples_a_second():
    cpus = len(os.sched_getaffinity(0))
    said, pid, seen = sample("threads", 3 * cpus, 1200, options=["--hz", 1500])
    seconds = (seen["stretches"][-1]["end_ns"] - seen["stretches"][0]["start_ns"]) / 1e9
    assert 100 * seconds < total(seen) < 650 * seconds
    runnable, off = (sum(s[key] for s in seen["samples"] if s["tid"] != pid) for key in ("runnable_ns", "off_ns"))
    assert runnable > 0.9 * off > 0  # those that are busy wait for a CPU, and for nothing else
    # The rates that are told are those that were: CPU time × rate, stretch by stretch.
    check_count(total(seen, off=False), hz(seen) * cpu_ns(seen, pid) / 1e9)


def test_waiting_times_are_looked_at_a_part_of_the_time_where_switches_are_many():
    said, pid, seen = sample("nap", 20, 4000)
    assert {s["off_cpu"] for s in seen["stretches"]} == {True, False}
    assert 0 < looked_ns(seen) < 0.9 * said["wall"]


def test_samples_that_have_no_room_are_counted_and_what_they_stand_for_is_not_lost():
    """A reader that stands still: 2 MiB hold some hundred stacks."""
    with Target(SAMPLED, "deep", 14, 3000) as target, Probe("--hz", 1500, target.pid) as probe:
        probe.process.send_signal(signal.SIGSTOP)
        out, status = target.finish()
        probe.process.send_signal(signal.SIGCONT)
        assert status == 0
        said = dict(line.split() for line in out.splitlines())
        seen = probe.finish()
    lost = sum(s["lost"] for s in seen["stretches"])
    assert lost > 50 and total(seen, off=False) > 20
    assert cpu_ns(seen, target.pid) >= int(said["cpu"])


def test_nothing_stays_behind_and_nothing_of_the_target_changes():
    def state(pid):
        folder = pathlib.Path(f"/proc/{pid}")
        return (folder / "maps").read_text(), sorted(os.listdir(folder / "fd")), (folder / "status").read_text().split("TracerPid")[1][:5]

    def programs_of(pid):
        """The ids of the BPF programs that it holds: those of others on this machine are not ours to judge."""
        folder = pathlib.Path(f"/proc/{pid}/fdinfo")
        found = [re.search(r"^prog_id:\s*(\d+)", info.read_text(), re.MULTILINE) for info in folder.iterdir()]
        return {int(match[1]) for match in found if match}

    def programs():
        out = subprocess.run(["bpftool", "prog", "show", "-j"], capture_output=True, check=True).stdout
        return {program["id"] for program in json.loads(out)}

    with Target(SAMPLED, "spin", 10) as target:
        before = state(target.pid)
        with Probe(target.pid) as probe:
            assert state(target.pid) == before
            own = programs_of(probe.process.pid)
            assert own and own <= programs()
            probe.finish()
        assert state(target.pid) == before
        wait_for(lambda: not own & programs(), "the end of the programs")


def test_two_capabilities_suffice():
    said, pid, seen = sample("spin", 500, "child", 50, "nap", 1000, 300, "library", "libz.so.1", 300, rights=TWO_RIGHTS)
    assert on_image(seen, "sampled", pid=pid) > 50 and on_image(seen, "sampled", pid=said["child"]) > 2
    assert on_image(seen, "libz.so.1") > 20 and total(seen, pid=pid, off=True) > 0
    assert all(i["opened"] for i in seen["images"] if i["path"].startswith("/"))


def test_what_comes_after_rights_were_given_up_is_named():
    said, pid, seen = sample("spin", 200, "child", 50, "library", "libz.so.1", 300, options=["--give-up"])
    assert on_image(seen, "libz.so.1") > 20 and on_image(seen, "sampled", pid=said["child"]) > 2
    assert all(i["opened"] for i in seen["images"] if i["path"].startswith("/"))


def test_cpu_times_are_exact_without_waits_too():
    said, pid, seen = sample("spin", 100, "child", 50, options=["--no-waits"])
    assert 50e6 <= cpu_ns(seen, said["child"]) < 90e6 and total(seen, off=True) == 0
    assert {s["off_cpu"] for s in seen["stretches"]} == {False}


@pytest.mark.parametrize("rights", [(), TWO_RIGHTS], ids=["root", "two-rights"])
def test_a_file_of_another_mount_namespace_is_named_and_opened_where_rights_allow(rights):
    script = 'mount -t tmpfs none /mnt && cp "$0" /mnt/hidden && exec /mnt/hidden --wait spin 300'
    with subprocess.Popen(["unshare", "-m", "sh", "-c", script, SAMPLED], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as target:
        support.read_line(target.stdout, "the target's pid")
        with Probe(target.pid, rights=rights) as probe:
            target.communicate(b"\n", timeout=DEADLINE)
            seen = probe.finish()
    assert on_image(seen, "hidden") > 20
    (image,) = (i for i in seen["images"] if i["path"] == "/mnt/hidden")
    assert image["opened"] == (rights == ())
    notes = [note for note in seen["notes"] if "/mnt/hidden" in note]
    assert notes == [] if image["opened"] else len(notes) == 1 and "CAP_SYS_PTRACE" in notes[0]


def test_a_file_of_another_mount_namespace_that_comes_after_rights_were_given_up_is_said_to_be_unknown():
    script = 'mount -t tmpfs none /mnt && cp "$0" /mnt/hidden && exec "$0" --wait spin 100 exec /mnt/hidden spin 300'
    with subprocess.Popen(["unshare", "-m", "sh", "-c", script, SAMPLED], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as target:
        pid = int(support.read_line(target.stdout, "the target's pid").split()[1])
        with Probe("--give-up", pid) as probe:
            target.communicate(b"\n", timeout=DEADLINE)
            seen = probe.finish()
    assert on_image(seen, "hidden") > 20
    assert [i["opened"] for i in seen["images"] if i["path"] == "/mnt/hidden"] == [False]
    assert len(seen["notes"]) == 1 and "/mnt/hidden" in seen["notes"][0] and "stacks end in" in seen["notes"][0], seen["notes"]


@pytest.mark.parametrize("missing", ["bpf", "perfmon"])
def test_without_one_of_both_it_says_what_is_missing(missing):
    rights = [word.replace(f",+{missing}", "") for word in TWO_RIGHTS]
    with Target(SAMPLED, "spin", 1) as target, Probe(target.pid, rights=rights, wait=False) as probe:
        out, err = probe.process.communicate(timeout=DEADLINE)
        assert probe.process.returncode == 77, err
        assert b"CAP_BPF and CAP_PERFMON" in err or b"CAP_PERFMON" in err
