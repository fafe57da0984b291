# SPDX-License-Identifier: Apache-2.0
"""Tests of the real screen: what they need."""

import pathlib
import shutil
import sys

import pytest

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))
import desktop  # noqa: E402
import skipping  # noqa: E402
from skipping import pytest_runtest_makereport  # noqa: E402, F401


def missing():
    if not desktop.UI.exists():
        return f"{desktop.UI} is not built"
    for program in ("Xvfb", "xdotool", "identify"):
        if not shutil.which(program):
            return f"{program} is not installed"
    return None


def pytest_collection_modifyitems(items):
    skipping.skip_below(FOLDER, items, missing())


@pytest.fixture(scope="session")
def display():
    with desktop.Display() as made:
        yield made
