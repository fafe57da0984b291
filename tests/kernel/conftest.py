# SPDX-License-Identifier: Apache-2.0
"""Tests on real processes: what they need."""

import os
import pathlib
import sys

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


def pytest_collection_modifyitems(items):
    skipping.skip_below(FOLDER, items, missing())
