# SPDX-License-Identifier: Apache-2.0
"""What the command line refuses before anything is done, and how it says so."""

import os
import subprocess

import pytest
from program import COMPMOND, ROOT, run

SPEC = ["--spec", ROOT / "specs" / "filehost.json", "--pid", str(os.getpid())]
LOG = ROOT / "tests" / "replay" / "logs" / "tail.log"


@pytest.mark.parametrize("flags, why", [
    (["--engine", "sampling", "--metric", "calls"], "--metric calls needs calls"),
    (["--engine", "sampling", "--metric", "p99"], "Choose overall, on-cpu, own-share or deviation"),
    (["--engine", "sampling", "--samples", "off"], "--engine sampling nothing to do"),
    (["--engine", "sampling", "--exit-on-slo"], "samples time no single call"),
    (["--engine", "sampling", "--attach", "multi"], "--attach does not go with --engine sampling"),
    (["--engine", "uprobe", "--samples", "50"], "--samples does not go with --engine uprobe"),
    (["--samples", "off", "--metric", "on-cpu"], "--metric on-cpu needs samples"),
    (["--engine", "uprobe", "--metric", "on-cpu"], "--metric on-cpu needs samples"),
    (["--samples", "off", "--inside", "HTTPServer"], "--inside needs samples"),
    (["--inside", ""], "'' is not the name of a component or an operation"),
    (["--snapshot", ""], "'' is not the name of a file"),
    (["--record-last", "5"], "need a file"),
    (["--record", "x", "--snapshot", "./x"], "name the same file"),
    (["--record", "x", "--snapshot", os.path.abspath("x")], "name the same file"),
    (["--record", "x", "--snapshot", "/proc/self/cwd/x"], "name the same file"),
    (["--record", "x", "--record-limit", "10", "--snapshot", "x.1"], "name the same file"),
    (["--exe", "/bin/true"], "more than one kind of target"),
    (["--user", "root"], "choose among the processes of --exe"),
    (["--cgroup", "system.slice"], "choose among the processes of --exe"),
])
def test_what_cannot_go_together_is_refused(flags, why):
    out, err = run(*SPEC, *flags, code=64)
    assert why in err and out == ""


@pytest.mark.parametrize("text", ["0", "0m", "-1", "m", "1x", "1 m"])
def test_a_duration_that_is_none_is_refused(text):
    assert f"'{text}' is not a time above 0, as in 30, 90s, 5m or 2h" in run(*SPEC, f"--duration={text}", code=64)[1]


@pytest.mark.parametrize("text", ["30", "0.5", "90s", "1m", "1.5h"])
def test_a_duration_has_a_unit(text):
    error = run("--duration", text, code=64)[1]
    assert "--spec is missing" in error and "time above 0" not in error


@pytest.mark.parametrize("percent", ["0", "100.1", "1000", "much"])
def test_a_budget_above_all_of_the_cpu_time_is_refused(percent):
    assert "a percentage above 0, at most 100, or off" in run(*SPEC, "--max-overhead", percent, code=64)[1]


@pytest.mark.parametrize("flags, why", [
    (["--metric", "on-cpu"], "--metric on-cpu needs samples"),
    (["--inside", "A"], "--inside needs samples"),
    (["--from", "1e6"], "nothing to show from 1000000 s on"),
    (["--from", "2", "--to", "1"], "--to is not after --from"),
    (["--from", "0x10"], "is not a time: seconds, or a time of day"),
    (["--to", "2024-05-17T08:30:00Z"], "nothing to show up to 2024-05-17T"),
    (["--from", "1", "--to", "2024-05-17T08:30:00Z"], "is not before 2024-05-17T"),
    (["--window", "2", "--to", "1"], "Give one of them"),
])
def test_what_a_log_cannot_show_is_refused(flags, why):
    assert why in run("replay", LOG, "--headless", *flags, code=64)[1]


def test_a_log_that_begins_and_ends_elsewhere_says_where():
    assert "the log is of 0.0 s to " in run("replay", LOG, "--from", "1e6", code=64)[1]


def test_where_nothing_can_be_written_no_run_begins(tmp_path):
    old = tmp_path / "old.json"
    old.write_text("kept")
    _, err = run("replay", LOG, "--headless", "--snapshot", tmp_path / "nope" / "x.json", code=73)
    assert "cannot write" in err and "No such file" in err and "Choose another path" in err
    run("replay", LOG, "--headless", "--snapshot", old / "x.json", code=73)
    run("replay", LOG, "--headless", "--snapshot", old, "--from", "1e6", code=64)
    assert old.read_text() == "kept" and list(tmp_path.iterdir()) == [old]


@pytest.mark.parametrize("command", [["check"], ["replay", LOG], ["doctor"]])
def test_only_a_run_starts_a_command(command):
    assert "starts nothing" in run(*command, "--", "/bin/true", code=64)[1]


def test_help_names_the_engines_and_every_flag_once():
    out, _ = run("--help")
    assert "sampling places no probe" in out and "199 with --engine sampling" in out
    for flag in ("--inside", "--samples", "--record-last", "--max-overhead", "--history"):
        assert sum(line.strip().startswith(flag) for line in out.splitlines()) == 1


def test_too_small_a_stack_is_said():
    done = subprocess.run(["prlimit", f"--stack={64 << 10}", COMPMOND, "doctor"], capture_output=True, text=True, check=False)
    assert done.returncode == 69 and "the stack is limited to 64 KiB" in done.stderr, done
