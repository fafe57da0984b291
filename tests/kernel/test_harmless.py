# SPDX-License-Identifier: Apache-2.0
"""Nothing stays behind: not after a hundred attaches, not after kill -9."""

import hashlib
import pathlib
import random
import re
import signal
import subprocess
import time

import pytest
import support
from support import TARGETS, Folder, Profiler, Target
from test_in_process import code_of, running

pytestmark = pytest.mark.alone

WORK = support.spec(["work"])


def text_checksum(pid, binary):
    """Of the executable mappings of the process, as they are in its memory."""
    digest = hashlib.sha256()
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb") as memory:
        for line in maps:
            match = re.match(r"([0-9a-f]+)-([0-9a-f]+) r-xp .*" + re.escape(str(binary)), line)
            if match:
                start, end = (int(x, 16) for x in match.groups())
                memory.seek(start)
                digest.update(memory.read(end - start))
    return digest.hexdigest()


def uprobe_programs():
    """Programs of compmond's names in the kernel, whoever holds them."""
    out = subprocess.run(["bpftool", "prog", "show"], capture_output=True, text=True, check=True,
                         env={"PATH": "/usr/sbin:/sbin:/usr/bin:/bin"}).stdout
    return len(re.findall(r"name on_(session|entry|return|exit_site|entry_plain|thread_exit|fork|exec)\b", out))


def test_the_original_bytes_come_back_after_detaching():
    with Target(TARGETS / "counted", "10", "1") as target:
        before = text_checksum(target.pid, TARGETS / "counted")
        with Profiler(WORK, "--pid", target.pid) as profiler:
            assert text_checksum(target.pid, TARGETS / "counted") != before
            profiler.finish(end=True)
        assert text_checksum(target.pid, TARGETS / "counted") == before
        assert target.finish()[1] == 0


def test_kill_9_leaves_the_target_running_with_its_original_bytes():
    programs_before = uprobe_programs()
    plain = subprocess.run([str(TARGETS / "counted"), "1000", "2"], capture_output=True, text=True, check=True).stdout
    with Target(TARGETS / "counted", "1000", "2") as target:
        before = text_checksum(target.pid, TARGETS / "counted")
        for _ in range(5):
            with Profiler(WORK, "--pid", target.pid) as profiler:
                profiler.process.kill()
                profiler.process.wait()
            support.wait_for(lambda: text_checksum(target.pid, TARGETS / "counted") == before, "the original bytes")
        assert target.finish() == (plain, 0)
    support.wait_for(lambda: uprobe_programs() <= programs_before, "the kernel to let the programs go")


def test_killed_while_probes_come_or_go_it_leaves_no_breakpoint():
    """The kernel does neither to the end for who has a fatal signal."""
    dice = random.Random(5)
    with running(support.BIN / "filehost", "--rate", 400) as target:
        before = code_of(target.pid)
        for i in range(12):
            coming = i % 2 == 0
            with Profiler(support.ROOT / "specs" / "filehost.json", "--pid", target.pid, wait=not coming) as profiler:
                if coming:
                    support.wait_for(lambda: code_of(target.pid) != before, "its first probe")
                else:
                    profiler.process.terminate()
                time.sleep(dice.uniform(0, 0.02))
                profiler.process.kill()
                profiler.process.wait()
            support.wait_for(lambda: code_of(target.pid) == before, "the original bytes")
        assert target.poll() is None


def test_a_hundred_shell_targets_around_attach_and_detach_leave_nothing_behind():
    """Targets come and go while compmond attaches to all of them; each does its job."""
    before = uprobe_programs()
    with Folder() as folder:
        copy = folder / "shell"
        copy.write_bytes(pathlib.Path("/bin/dash").read_bytes())
        copy.chmod(0o755)
        script = 'i=0; while [ $i -lt 20 ]; do x=$(echo $i); i=$((i + 1)); done; echo done $x'
        spec = support.spec(None, components=[{"name": "libc", "image": "libc.so.6", "in": ["malloc", "free"]}])
        pids = []
        for round_number in range(100):
            shell = subprocess.Popen([str(copy), "-c", "read line; " + script], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            pids.append(shell.pid)
            if round_number % 10 == 0:
                with Profiler(spec, "--pid", shell.pid) as profiler:
                    if round_number % 20 == 0:  # ends while attached
                        assert shell.communicate(b"\n", timeout=support.DEADLINE)[0] == b"done 19\n"
                        profiler.finish()
                    else:  # detaches under its feet
                        shell.stdin.write(b"\n")
                        shell.stdin.flush()
                        profiler.finish(end=True)
            out = shell.communicate(timeout=support.DEADLINE)[0] if not shell.stdin.closed and shell.poll() is None else b""
            shell.wait(timeout=support.DEADLINE)
            assert shell.returncode == 0
    support.wait_for(lambda: uprobe_programs() <= before, "the kernel to let the programs go")
    left = [p for p in pathlib.Path("/sys/fs/bpf").glob("*compmond*")]
    assert left == []


def test_attaching_and_detaching_while_threads_call():
    """Calls under way at both edges are ignored, counted, and never guessed."""
    hot = support.spec(["hot_path", "cool_path"])
    with Target(TARGETS / "hot", "20000", "4", "600") as target:
        target.release()
        for _ in range(6):
            with Profiler(hot, "--pid", target.pid) as profiler:
                support.wait_for(lambda: support.operation(profiler.snapshot_now(), "hot_path")["calls"] > 0, "calls")
                snapshot = profiler.finish(end=True)
            support.check_accounting(snapshot)
            assert support.operation(snapshot, "hot_path")["closed"]["abandoned"] == 0
            assert snapshot["health"]["orphan_exits"] <= 8  # at most one call per thread and edge
            assert target.process.poll() is None
        target.process.terminate()
        assert target.process.wait(timeout=support.DEADLINE) == -signal.SIGTERM


def test_a_signal_ends_compmond_and_not_the_target():
    for number in (signal.SIGINT, signal.SIGTERM):
        with Target(TARGETS / "counted", "10", "1") as target:
            with Profiler(WORK, "--pid", target.pid) as profiler:
                profiler.process.send_signal(number)
                profiler.finish()
            assert target.finish()[1] == 0
