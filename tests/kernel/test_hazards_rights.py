# SPDX-License-Identifier: Apache-2.0
"""Each set of capabilities does what the documentation says: enough to observe, or an error that names what is missing."""

import json
import shutil
import subprocess

import pytest
import support
from support import COMPMOND, TARGETS, Folder, Target, check_accounting, operation

NOBODY = 65534


def as_nobody(*capabilities):
    """Command words that run what follows as a user without rights but for these capabilities."""
    words = ",".join(["-all", *(f"+{c}" for c in capabilities)])
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", f"--inh-caps={words}", f"--ambient-caps={words}",
            f"--bounding-set={words}"]


@pytest.fixture(scope="module", name="place")
def place_for_everybody():
    """Copies of compmond, a target and a spec where every user may read: a build folder need not be such a place."""
    with Folder() as folder:
        for program in (COMPMOND, TARGETS / "counted"):
            shutil.copy(program, folder)
        (folder / "spec.json").write_text(json.dumps(support.spec(["work"])))
        (folder / "spec.json").chmod(0o644)
        (folder / "out").mkdir()
        (folder / "out").chmod(0o777)
        folder.chmod(0o755)
        yield folder


class NobodysTarget(Target):
    """As Target, of the user without rights."""

    def __init__(self, place):
        self.process = subprocess.Popen([*as_nobody(), str(place / "counted"), "--wait", "10", "1"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.pid = int(support.read_line(self.process.stdout, "the target's pid").split()[1])


def observe(place, capabilities, target):
    """(exit status, messages, last snapshot or None) of compmond with these capabilities on the target."""
    snapshot, messages = place / "out" / f"{target.pid}.json", place / "out" / f"{target.pid}.stderr"
    command = [*as_nobody(*capabilities), place / "compmond", "--spec", place / "spec.json", "--pid", target.pid, "--snapshot", snapshot]
    with open(messages, "wb") as stderr:
        process = subprocess.Popen([str(c) for c in command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr)
    support.wait_for(lambda: "compmond: ready" in messages.read_text() or process.poll() is not None, "compmond: ready")
    assert target.finish() == ("calls 10 sum 145\n", 0)
    status = process.wait(timeout=support.DEADLINE)
    return status, messages.read_text(), json.loads(snapshot.read_text()) if snapshot.exists() else None


def check_observed(status, messages, snapshot):
    assert status == 0, messages
    assert operation(snapshot, "work")["closed"]["returned"] == 10
    check_accounting(snapshot)


def test_bpf_and_perfmon_suffice_for_ones_own_process(place):
    with NobodysTarget(place) as target:
        check_observed(*observe(place, ("bpf", "perfmon"), target))


def test_ptrace_adds_the_processes_of_others(place):
    with Target(place / "counted", "10", "1") as target:
        check_observed(*observe(place, ("bpf", "perfmon", "sys_ptrace"), target))


@pytest.mark.parametrize("capabilities", [(), ("bpf",), ("perfmon",)], ids=lambda c: "-".join(c) or "none")
def test_without_both_the_error_names_them(place, capabilities):
    with NobodysTarget(place) as target:
        status, messages, snapshot = observe(place, capabilities, target)
    assert (status, snapshot) == (77, None), messages
    for word in ("CAP_BPF", "CAP_PERFMON", "sudo", "→"):
        assert word in messages, messages


def test_without_ptrace_a_process_of_another_user_is_refused(place):
    with Target(place / "counted", "10", "1") as target:
        status, messages, snapshot = observe(place, ("bpf", "perfmon"), target)
    assert (status, snapshot) == (77, None), messages
    assert str(target.pid) in messages and "sudo" in messages and "→" in messages, messages


def doctor(place, *capabilities):
    return subprocess.run([*as_nobody(*capabilities), str(place / "compmond"), "doctor"], capture_output=True, text=True,
                          timeout=support.DEADLINE)


@pytest.mark.parametrize("capabilities", [(), ("bpf",), ("perfmon",)], ids=lambda c: "-".join(c) or "none")
def test_doctor_names_the_capability_that_is_missing_and_how_to_get_it(place, capabilities):
    done = doctor(place, *capabilities)
    assert done.returncode == 77
    rights = next(line for line in done.stdout.splitlines() if line.startswith("MISS  rights"))
    for name in ("bpf", "perfmon"):
        assert f"CAP_{name.upper()} {'yes' if name in capabilities else 'no'}" in rights, rights
    assert "→ run with sudo, or: sudo setcap cap_bpf,cap_perfmon" in done.stdout


def test_doctor_finds_that_two_capabilities_suffice_and_what_they_do_not_reach(place):
    done = doctor(place, "bpf", "perfmon")
    assert done.returncode == 0, done.stdout
    assert "without CAP_SYS_PTRACE only your own can be looked at" in done.stdout
    assert "needs CAP_SYS_ADMIN" in done.stdout  # for the oldest way to attach
    assert "Ready" in done.stdout
