# SPDX-License-Identifier: Apache-2.0
"""Where a build is, and how tests wait: for a condition, never for a time."""

import os
import pathlib
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("COMPMOND_BUILD", ROOT / "build" / "dev"))
BIN = BUILD / "bin"
DEADLINE = 60  # seconds until a test gives up waiting; never a measure of anything


def wait_for(condition, what):
    """The first true value of condition(), polled."""
    end = time.monotonic() + DEADLINE
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.01)
    raise AssertionError(f"waited in vain for {what}")
