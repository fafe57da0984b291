# SPDX-License-Identifier: Apache-2.0
"""Reading a log where memory is short: what a control group allows counts, not what the machine has."""

import contextlib
import json
import pathlib
import subprocess

import support

MIB = 1 << 20
GROUP_MIB = 300


@contextlib.contextmanager
def group(mib):
    """A control group that has so much memory; its folder."""
    old = pathlib.Path("/sys/fs/cgroup/memory")
    first_version = (old / "cgroup.procs").exists()
    folder = (old if first_version else pathlib.Path("/sys/fs/cgroup")) / f"compmond-test-{support.os.getpid()}"
    if not first_version:
        (folder.parent / "cgroup.subtree_control").write_text("+memory")
    folder.mkdir()
    try:
        (folder / ("memory.limit_in_bytes" if first_version else "memory.max")).write_text(str(mib * MIB))
        yield folder
    finally:
        support.wait_for(lambda: not folder.exists() or not folder.rmdir(), "an empty group")


def run_in(folder, *arguments):
    inside = ["sh", "-c", f'echo $$ > {folder}/cgroup.procs; exec "$0" "$@"', str(support.COMPMOND)]
    return subprocess.run([*inside, *map(str, arguments)], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120)


def test_what_has_no_room_is_not_read_and_that_is_told(tmp_path):
    log, snapshot = tmp_path / "hostile.log", tmp_path / "snapshot.json"
    subprocess.run([support.BUILD / "bin" / "hostile_log", "deep", "1000", log], check=True)
    with group(GROUP_MIB) as folder:
        replayed = run_in(folder, "replay", log, "--snapshot", snapshot)
        analyzed = run_in(folder, "analyze", "--report", "dependency-graph", "--format", "json", "--repair", log)
    assert replayed.returncode == 0, replayed.stderr
    assert f"{GROUP_MIB // 2} MiB of memory are used up" in replayed.stderr
    said = json.loads(snapshot.read_text())
    assert any("the rest of the log is missing in all figures" in note for note in said["health"]["notes"])
    assert said["health"]["lost_causes"]["log"] > 0 and said["health"]["balanced"]
    assert analyzed.returncode == 0, analyzed.stderr
    assert "MiB of memory are used up" in analyzed.stderr
    assert json.loads(analyzed.stdout)["log"]["bad_records"] == 1
