# SPDX-License-Identifier: Apache-2.0
"""The table that a terminal shows while it runs."""

import json

import pytest
import support
from support import TARGETS, Folder, OnTerminal, Target

SECONDS = 3


def shown(*options):
    """What compmond wrote to a terminal in a run of some seconds."""
    with Folder() as folder, Target(TARGETS / "hot", "1000", "1", "60") as target:
        target.release()
        (folder / "spec.json").write_text(json.dumps(support.spec(["hot_path", "cool_path"])))
        table = OnTerminal("--spec", folder / "spec.json", "--pid", target.pid, "--headless", "--duration", SECONDS, *options)
        return table.finish().decode()


def drawings(out):
    return out.count("\x1b[J")


@pytest.mark.measured
def test_it_is_redrawn_as_often_as_asked_for():
    often, seldom = drawings(shown("--refresh", "0.04")), drawings(shown("--refresh", "1"))
    assert 0.8 * SECONDS / 0.04 < often <= SECONDS / 0.04 + 2, often
    assert seldom <= SECONDS + 2, seldom
