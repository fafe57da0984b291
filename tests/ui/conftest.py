# SPDX-License-Identifier: Apache-2.0
"""A test of the window without what it needs skips with the reason; in CI that is a failure."""

import os
import pathlib
import shutil
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import screen  # noqa: E402


def missing():
    if not screen.UI.exists():
        return f"{screen.UI} is not built"
    for program in ("Xvfb", "xdotool", "identify"):
        if not shutil.which(program):
            return f"{program} is not installed"
    return None


def pytest_collection_modifyitems(items):
    reason = missing()
    if reason is None:
        return
    for item in items:
        item.add_marker(pytest.mark.skip(reason=reason))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if report.skipped and os.environ.get("CI") == "true":
        report.outcome = "failed"
        report.longrepr = f"skipped in CI: {item.nodeid}: {call.excinfo.value if call.excinfo else report.longrepr}"


@pytest.fixture(scope="session")
def display():
    with screen.Display() as made:
        yield made
