# SPDX-License-Identifier: Apache-2.0
"""What compmond may still do while it observes: next to nothing, and all that it promises still works."""

import json
import os
import pathlib
import shutil
import subprocess

import pytest
import support
from support import COMPMOND, TARGETS, Folder, Profiler, Target, operation

CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_FOWNER, CAP_SYS_PTRACE, CAP_SYS_ADMIN, CAP_PERFMON, CAP_BPF = 0, 1, 3, 19, 21, 38, 39
NOBODY = 65534
SPEC = support.spec(["work"])


def status(pid, tid=None):
    """/proc/PID/status of a process or one of its threads, as a dict."""
    path = pathlib.Path(f"/proc/{pid}/task/{tid}/status" if tid else f"/proc/{pid}/status")
    return dict(line.split(":\t", 1) for line in path.read_text().splitlines())


def mask(*capabilities):
    return sum(1 << c for c in capabilities)


def check_confined(pid, capabilities):
    for tid in os.listdir(f"/proc/{pid}/task"):
        facts = status(pid, tid)
        for which in ("CapPrm", "CapEff", "CapBnd"):
            assert int(facts[which], 16) & ~capabilities == 0, (which, facts[which], tid)
        assert int(facts["CapEff"], 16) == capabilities, facts["CapEff"]
        assert (int(facts["CapInh"], 16), int(facts["CapAmb"], 16)) == (0, 0)
        assert facts["NoNewPrivs"].strip() == "1"
        assert facts["Seccomp"].strip() == "2"


def children(pid):
    return [int(child) for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_while_observing_every_thread_has_two_capabilities_and_a_filter():
    with Target(TARGETS / "counted", "10", "1") as target, Profiler(SPEC, "--pid", target.pid) as profiler:
        profiler.snapshot_now()
        assert len(os.listdir(f"/proc/{profiler.process.pid}/task")) > 1  # the one that drains
        more = [CAP_SYS_ADMIN] if support.attach_kinds() == ["per-symbol"] else []  # which perf events take
        check_confined(profiler.process.pid, mask(CAP_BPF, CAP_PERFMON, *more))
        target.finish()
        assert operation(profiler.finish(), "work")["calls"] == 10


def test_while_observing_it_is_another_user_than_root_whom_nobody_may_look_into():
    with Target(TARGETS / "counted", "10", "1") as target, Profiler(SPEC, "--pid", target.pid) as profiler:
        profiler.snapshot_now()
        pid = profiler.process.pid
        for tid in os.listdir(f"/proc/{pid}/task"):
            facts = status(pid, tid)
            assert facts["Uid"].split() == facts["Gid"].split() == [str(NOBODY)] * 4
            assert facts["Groups"].strip() == ""
        assert os.stat(f"/proc/{pid}/mem").st_uid == 0  # not dumpable: its own user may not
        target.finish()
        assert operation(profiler.finish(), "work")["calls"] == 10


def test_the_process_that_writes_snapshots_may_write_files_and_nothing_else():
    with Target(TARGETS / "counted", "10", "1") as target, Profiler(SPEC, "--pid", target.pid) as profiler:
        profiler.snapshot_now()
        files = mask(CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_FOWNER)
        rights = {child: int(status(child, child)["CapEff"], 16) for child in children(profiler.process.pid)}
        (writer,) = [child for child in rights if rights[child] == files]
        assert set(rights.values()) == {files, mask(CAP_SYS_PTRACE), mask(CAP_BPF, CAP_PERFMON), 0}, rights  # those who unwind have none
        check_confined(writer, files)
        # Of open files it has the socket to compmond and the snapshot's folder, and no probe.
        files = {os.readlink(f"/proc/{writer}/fd/{fd}").split(":")[0] for fd in os.listdir(f"/proc/{writer}/fd")}
        assert files == {"socket", str(profiler.snapshot_path.parent)}
        profiler.process.kill()
        profiler.process.wait()
        support.wait_for(lambda: not os.path.exists(f"/proc/{writer}"), "the end of the writer")


def test_the_process_that_looks_at_code_may_look_and_nothing_else():
    with Target(TARGETS / "counted", "10", "1") as target, Profiler(SPEC, "--pid", target.pid) as profiler:
        profiler.snapshot_now()
        (looker,) = [child for child in children(profiler.process.pid) if status(child, child)["Name"].strip() == "compmond-look"]
        check_confined(looker, mask(CAP_SYS_PTRACE))
        assert status(looker, looker)["Uid"].split() == [str(NOBODY)] * 4
        assert [os.readlink(f"/proc/{looker}/fd/{fd}").split(":")[0] for fd in os.listdir(f"/proc/{looker}/fd")] == ["socket"]
        profiler.process.kill()
        profiler.process.wait()
        support.wait_for(lambda: not os.path.exists(f"/proc/{looker}"), "its end")


def test_one_link_per_symbol_keeps_the_capability_that_it_takes():
    with Target(TARGETS / "counted", "10", "1") as target:
        with Profiler(SPEC, "--pid", target.pid, options=["--attach", "per-symbol"]) as profiler:
            check_confined(profiler.process.pid, mask(CAP_BPF, CAP_PERFMON, CAP_SYS_ADMIN))
            target.finish()
            profiler.finish()


@pytest.mark.parametrize("mode", [0o700, 0o1777], ids=["private", "sticky"])
def test_snapshots_go_where_root_may_write_although_compmond_may_no_more(mode):
    with Folder() as folder:
        os.chown(folder, NOBODY, NOBODY)
        folder.chmod(mode)
        path = folder / "snapshot.json"
        path.write_text("old")
        os.chown(path, NOBODY, NOBODY)
        spec = folder.parent / f"{folder.name}.spec.json"
        command = [COMPMOND, "--spec", spec, "--headless", "--snapshot", path]
        environment = {**os.environ, "SUDO_UID": str(NOBODY), "SUDO_GID": str(NOBODY)}
        try:
            spec.write_text(json.dumps(SPEC))
            subprocess.run([*command, "--", TARGETS / "counted", "10"], env=environment, check=True, capture_output=True,
                           timeout=support.DEADLINE)
        finally:
            spec.unlink()
        assert operation(json.loads(path.read_text()), "work")["calls"] == 10
        assert os.listdir(folder) == ["snapshot.json"]
        assert (path.stat().st_uid, path.stat().st_gid) == (NOBODY, NOBODY)


class NobodysTarget(Target):
    """As Target, of a user without rights."""

    def __init__(self, program):
        self.process = subprocess.Popen(["setpriv", f"--reuid={NOBODY}", "--clear-groups", program, "--wait", "17"],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.pid = int(support.read_line(self.process.stdout, "the target's pid").split()[1])


def test_processes_of_another_user_that_come_later_are_observed():
    with Folder() as folder:
        program = folder / "counted"
        shutil.copy(TARGETS / "counted", program)
        folder.chmod(0o755)
        with Profiler(SPEC, "--exe", program) as profiler, NobodysTarget(program) as target:
            support.wait_for(lambda: [t["pid"] for t in profiler.snapshot_now()["targets"]] == [target.pid], "the process")
            target.finish()
            snapshot = profiler.finish(end=True)
    support.check_accounting(snapshot)
    assert operation(snapshot, "work")["closed"]["returned"] == 17
    assert [(t["exe"], t["alive"]) for t in snapshot["targets"]] == [(str(program), False)]
