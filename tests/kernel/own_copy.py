# SPDX-License-Identifier: Apache-2.0
"""A probe is in a file, for whoever runs it: tests that run beside others have programs of their own."""

import os
import re
import shutil

OTHERS = re.compile(r"unit_|fuzz_|bench$|strip_log$")  # what is built beside them, and large


def own_programs(build):
    """The folder of programs for this process: what was built, or a copy for each worker of `pytest -n`."""
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if not worker:
        return build / "bin"
    own = build / "workers" / worker
    shutil.rmtree(own, ignore_errors=True)
    shutil.copytree(build / "bin", own / "bin", symlinks=True,
                    ignore=lambda _, names: [name for name in names if OTHERS.match(name)])
    return own / "bin"
