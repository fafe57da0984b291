# SPDX-License-Identifier: Apache-2.0
"""Time namespaces: programs in the kernel tell other times than are seen within one."""

import json
import subprocess

import pytest
import support
from support import COMPMOND, TARGETS, Folder, Target

UNAVAILABLE = 69  # exit code


def within(*command, offset="--monotonic"):
    return subprocess.run(["unshare", "--time", offset, "1000", *[str(c) for c in command]], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=support.DEADLINE)


@pytest.mark.parametrize("offset", ["--monotonic", "--boottime"])
@pytest.mark.parametrize("engine", ["auto", "sampling"])
def test_from_within_one_nothing_is_attached_and_the_reason_said(engine, offset):
    """Else all calls would be in no window, and shown as none."""
    with Folder() as folder, Target(TARGETS / "counted", "5") as target:
        (folder / "spec.json").write_text(json.dumps(support.spec(["work"])))
        done = within(COMPMOND, "--spec", folder / "spec.json", "--headless", "--engine", engine, "--pid", target.pid, offset=offset)
        assert (done.returncode, "time namespace" in done.stderr) == (UNAVAILABLE, True), done
        assert target.finish() == ("calls 5 sum 35\n", 0)


def test_doctor_tells():
    done = within(COMPMOND, "doctor")
    assert (done.returncode, "time namespace" in done.stdout) == (UNAVAILABLE, True), done
