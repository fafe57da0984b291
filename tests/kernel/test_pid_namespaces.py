# SPDX-License-Identifier: Apache-2.0
"""Pid namespaces: programs in the kernel know processes by other numbers than are seen within one."""

import contextlib
import json
import os
import pathlib
import subprocess

import pytest
import support
from support import COMPMOND, TARGETS, Folder, Profiler, Target, operation

COUNTED = TARGETS / "counted"
WITHIN = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child", "sh", "-c"]
UNAVAILABLE = 69  # exit code


def with_number(number, command):
    """Shell words that start a command in the background, with this number in a pid namespace of its own."""
    return f"echo {number - 1} >/proc/sys/kernel/ns_last_pid; {command} <&3 & test $! = {number} || exit 1; "


def run(*command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=support.DEADLINE)


def check_refused(done, snapshot, words=("pid namespace", "--pid=host", "→")):
    assert done.returncode == UNAVAILABLE, done
    for word in words:
        assert word in done.stderr, done
    assert "compmond: ready" not in done.stderr, done
    assert not snapshot.exists()


@pytest.fixture(name="place")
def place_with_spec():
    with Folder() as folder:
        (folder / "spec.json").write_text(json.dumps(support.spec(["work"])))
        yield folder


def compmond_in(place):
    return f"{COMPMOND} --spec {place}/spec.json --headless --snapshot {place}/out.json"


@pytest.mark.parametrize("engine", ["auto", "uprobe", "sampling"])
@pytest.mark.parametrize("target", ["--pid $!", f"--exe {COUNTED}"], ids=["pid", "exe"])
def test_from_within_one_nothing_is_attached_and_the_reason_said(place, target, engine):
    """Outside, a stranger that calls the same function has the number that the target has within."""
    with Target(COUNTED, "10") as stranger:
        script = with_number(stranger.pid, f"{COUNTED} --wait 5")
        script = f"mkfifo {place}/held; exec 3<>{place}/held; {script} {compmond_in(place)} --engine {engine} {target}; exit $?"
        check_refused(run(*WITHIN, script), place / "out.json")
        assert stranger.finish() == ("calls 10 sum 145\n", 0)


def test_from_within_one_no_command_is_run(place):
    done = run(*WITHIN, f"{compmond_in(place)} -- {COUNTED} 5; exit $?")
    check_refused(done, place / "out.json")
    assert "calls" not in done.stdout, done


def test_a_proc_of_another_namespace_is_told_by_doctor(place):
    """compmond's own numbers are the machine's, those of the processes that it sees are not."""
    other = f"mount -t proc proc /proc; echo >{place}/mounted; exec {COUNTED} --wait 1 <&3"
    script = (f"mkfifo {place}/held {place}/mounted; exec 3<>{place}/held; unshare --pid --fork --kill-child sh -c '{other}' & "
              f"read nothing <{place}/mounted; {COMPMOND} doctor; status=$?; echo >&3; wait; exit $status")
    done = run("unshare", "--mount", "sh", "-c", script)
    assert done.returncode == UNAVAILABLE, done
    assert "/proc is of another pid namespace" in done.stdout, done


def test_doctor_tells_of_it():
    done = run(*WITHIN, f"{COMPMOND} doctor; exit $?")
    assert done.returncode == UNAVAILABLE, done
    assert "process numbers" in done.stdout and "pid namespace" in done.stdout, done


@contextlib.contextmanager
def held_within(calls, number):
    """The machine's number of a program that has `number` in a pid namespace. Released in the end."""
    reading, writing = os.pipe()
    shell = subprocess.Popen([*WITHIN, f"exec 3<&0; {with_number(number, f'{COUNTED} --wait {calls}')} wait"], stdin=reading,
                             stdout=subprocess.PIPE)
    os.close(reading)
    try:
        support.read_line(shell.stdout, "the target's pid")
        yield children(children(shell.pid)[0])[0]
    finally:
        os.write(writing, b"\n")
        os.close(writing)
        shell.communicate(timeout=support.DEADLINE)


def children(pid):
    return [int(p) for p in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_a_target_in_a_child_namespace_is_told_from_a_stranger_with_its_number_there():
    with Target(COUNTED, "10") as stranger:
        with held_within("5", stranger.pid) as outer:
            assert f"NSpid:\t{outer}\t{stranger.pid}\n" in pathlib.Path(f"/proc/{outer}/status").read_text()
            profiler = Profiler(support.spec(["work"]), "--pid", outer)
            assert stranger.finish() == ("calls 10 sum 145\n", 0)
        with profiler:
            assert operation(profiler.finish(), "work")["closed"]["returned"] == 5
