# SPDX-License-Identifier: Apache-2.0
"""Tests on real processes: what they need."""

import os
import pathlib
import sys

import pytest

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))
import support  # noqa: E402
import skipping  # noqa: E402
from skipping import pytest_runtest_makereport  # noqa: E402, F401


def missing():
    if not support.COMPMOND.exists():
        return f"{support.COMPMOND} is not built"
    if os.geteuid() != 0:
        return "attaching probes needs root"
    return None


RERUNS = 2  # of a test that holds a figure against a clock
RERUNS_BESIDE_OTHERS = 1  # of any other one in CI and in `pytest -n`: the neighbours are as demanding as itself


def pytest_configure(config):
    config.addinivalue_line("markers", "alone: what runs beside it would spoil it, or it looks at the whole machine")
    config.addinivalue_line("markers", "measured: holds a figure against a clock, so that a neighbour on a shared machine may spoil a run; "
                                       "what is wrong is so in each, and the report counts the reruns")


def pytest_collection_modifyitems(items):
    for item in items:
        if item.get_closest_marker("measured"):
            item.add_marker(pytest.mark.flaky(reruns=RERUNS))
            item.add_marker(pytest.mark.alone)
        elif "PYTEST_XDIST_WORKER" in os.environ or os.environ.get("CI"):
            item.add_marker(pytest.mark.flaky(reruns=RERUNS_BESIDE_OTHERS))
    skipping.skip_below(FOLDER, items, missing())
