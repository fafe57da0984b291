# SPDX-License-Identifier: Apache-2.0
"""Which of the processes of --exe are meant: those of a user, of a cgroup, of a pid namespace."""

import contextlib
import pathlib
import shutil
import subprocess

import support
from support import TARGETS, Folder, Profiler, operation

NOBODY = 65534


@contextlib.contextmanager
def program():
    """A program that anybody may execute; calls work() as often as told."""
    with Folder() as folder:
        folder.chmod(0o755)
        path = folder / "counted"
        shutil.copy(TARGETS / "counted", path)
        path.chmod(0o755)
        yield path


class Held:
    """Processes that call work() `calls` times when released. `before`: what the command begins with."""

    def __init__(self, path, calls, before=(), **how):
        self.process = subprocess.Popen([*before, str(path), "--wait", str(calls)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, **how)
        support.read_line(self.process.stdout, "its start")

    def finish(self):
        self.process.communicate(b"\n", timeout=support.DEADLINE)
        assert self.process.returncode == 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def run(path, calls, before=(), **how):
    subprocess.run([*before, str(path), str(calls)], stdout=subprocess.DEVNULL, check=True, **how)


def children(pid):
    return [int(p) for p in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def observe(path, meant, other, options, later):
    """Calls of two held processes, one of them meant, and of what `later` runs while they are observed."""
    with Profiler(support.spec(["work"]), "--exe", path, options=options) as profiler:
        meant.finish()
        other.finish()
        expected = later()
        support.wait_for(lambda: operation(profiler.snapshot_now(), "work")["calls"] >= expected, "the calls")
        return profiler.finish(end=True)


def test_a_user():
    with program() as path, Held(path, 100, user=NOBODY) as meant, Held(path, 10) as other:

        def later():
            run(path, 7)
            run(path, 1000, user=NOBODY)
            return 1100

        snapshot = observe(path, meant, other, ["--user", "nobody"], later)
    assert operation(snapshot, "work")["calls"] == 1100
    assert len(snapshot["targets"]) == 2
    assert not any("several users" in note for note in snapshot["health"]["notes"])


def test_that_others_are_observed_as_well_is_said():
    with program() as path, Held(path, 100, user=NOBODY) as one, Held(path, 10) as two:
        snapshot = observe(path, one, two, [], lambda: 110)
    assert operation(snapshot, "work")["calls"] == 110
    note = next(n for n in snapshot["health"]["notes"] if "several users" in n)
    assert "nobody" in note and "root" in note and "--user" in note


def test_a_pid_namespace():
    apart = ["unshare", "--pid", "--fork", "--kill-child"]
    with program() as path, Held(path, 100, apart) as meant, Held(path, 10) as other:
        pid = children(meant.process.pid)[0]

        def later():
            run(path, 7)
            run(path, 9, apart)  # in one of its own
            return 100

        snapshot = observe(path, meant, other, ["--pid-namespace", str(pid)], later)
        assert operation(snapshot, "work")["calls"] == 100
        assert len(snapshot["targets"]) == 1


def test_a_pid_namespace_is_looked_at_where_processes_come():
    with program() as path, Held(path, 10) as meant:
        with Profiler(support.spec(["work"]), "--exe", path, options=["--pid-namespace", meant.process.pid]) as profiler:
            run(path, 9, ["unshare", "--pid", "--fork"])
            run(path, 1000)
            support.wait_for(lambda: operation(profiler.snapshot_now(), "work")["calls"] >= 1000, "the calls")
            snapshot = profiler.finish(end=True)
    assert operation(snapshot, "work")["calls"] == 1000


@contextlib.contextmanager
def cgroup():
    """A new cgroup of the unified hierarchy."""
    with Folder() as mount:
        subprocess.run(["mount", "-t", "cgroup2", "none", str(mount)], check=True)
        inner = mount / "compmond-test" / "inner"
        try:
            inner.mkdir(parents=True)
            yield inner.parent
        finally:
            for folder in (inner, inner.parent):
                support.wait_for(lambda f=folder: not f.exists() or not f.rmdir(), "an empty cgroup")
            subprocess.run(["umount", str(mount)], check=True)


def test_a_cgroup():
    with cgroup() as folder, program() as path:
        inside = ["sh", "-c", f'echo $$ > {folder}/inner/cgroup.procs; exec "$0" "$@"']
        with Held(path, 100, inside) as meant, Held(path, 10) as other:

            def later():
                run(path, 7)
                run(path, 1000, inside)
                return 1100

            snapshot = observe(path, meant, other, ["--cgroup", folder], later)
    assert operation(snapshot, "work")["calls"] == 1100
    assert len(snapshot["targets"]) == 2
