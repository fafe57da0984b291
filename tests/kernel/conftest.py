# SPDX-License-Identifier: Apache-2.0
"""A kernel test that lacks a privilege skips with the reason; in CI that is a failure."""

import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import support  # noqa: E402


def missing():
    if not support.COMPMOND.exists():
        return f"{support.COMPMOND} is not built"
    if os.geteuid() != 0:
        return "attaching probes needs root"
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
