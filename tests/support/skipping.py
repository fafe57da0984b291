# SPDX-License-Identifier: Apache-2.0
"""A test that lacks what it needs skips with the reason; in CI that is a failure."""

import os

import pytest


def skip_below(folder, items, reason):
    """All tests in a folder, where there is a reason to; `items` are those of the whole session."""
    if reason is None:
        return
    for item in items:
        if folder in item.path.parents:
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if report.skipped and os.environ.get("CI") == "true":
        report.outcome = "failed"
        report.longrepr = f"skipped in CI: {item.nodeid}: {call.excinfo.value if call.excinfo else report.longrepr}"
