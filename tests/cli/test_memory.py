# SPDX-License-Identifier: Apache-2.0
"""What logs that are small on disk and ask much of their readers make them take."""

import os
import subprocess

import pytest

from program import BUILD, COMPMOND

MIB = 1 << 20


def peak_mib(*arguments):
    """Of a run that ends well."""
    process = subprocess.Popen([str(COMPMOND), *map(str, arguments)], stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, said
    return used.ru_maxrss / 1024


@pytest.fixture
def log(tmp_path):
    def make(kind, count):
        path = tmp_path / "hostile.log"
        subprocess.run([BUILD / "bin" / "hostile_log", kind, str(count), path], check=True)
        return path

    return make


# Each took three to ten times as much: all bounds stood per thread or per operation, none over all of them.
@pytest.mark.parametrize("kind, count, most_mib", [
    ("threads", 400_000, 240),  # that call once and are not heard of again
    ("open", 300_000, 400),  # that are inside of a call
    ("deep", 1_000, 750),  # that are inside of 8,000 calls each
    ("spread", 10_000, 450),  # operations with the shortest and the longest times
])
def test_memory_is_bounded_however_much_a_small_log_asks_for(log, kind, count, most_mib):
    path = log(kind, count)
    assert path.stat().st_size < 8 * MIB
    assert peak_mib("replay", path) < most_mib
    assert peak_mib("analyze", "--report", "dependency-graph", path) < most_mib


def test_a_log_of_as_many_operations_as_there_may_be_is_read_although_their_names_are_alike(log):
    assert peak_mib("replay", log("operations", 100_000)) < 700
