# SPDX-License-Identifier: Apache-2.0
"""`compmond restore` where there is nothing to restore; what it puts back: tests/kernel/test_in_process.py."""

import os

from program import run


def test_of_a_process_without_anything_of_compmond_that_is_said():
    out, _ = run("restore", str(os.getpid()))
    assert out == f"process {os.getpid()}: nothing of compmond is in it\n"


def test_a_process_that_there_is_not_is_no_input():
    _, err = run("restore", "999999999", code=66)
    assert "cannot look into process 999999999: there is none" in err


def test_what_is_no_process_is_wrong_usage():
    _, err = run("restore", "filehost", code=64)
    assert "compmond restore --help" in err


def test_the_help_of_restore_and_doctor_has_examples_of_their_own():
    for command in ("restore", "doctor"):
        out, _ = run(command, "--help")
        assert f"sudo compmond {command}" in out and "--spec" not in out, out
