# SPDX-License-Identifier: Apache-2.0
"""Probes copy pages of code, which are charged to the program's memory control group: it must not be killed for want of memory."""

import contextlib
import os
import pathlib
import signal
import subprocess

import pytest
import support
from support import DEADLINE, Folder, Profiler, check_accounting, read_line, wait_for

FUNCTIONS = 1500  # each on a page of its own
PAGE = 4096
CODE = FUNCTIONS * PAGE
GROUPS = pathlib.Path("/sys/fs/cgroup")

SOURCE = "#include <stdio.h>\n#include <unistd.h>\n" + "".join(
    f"__attribute__((noipa)) int work{i}(int n) {{ return n + {i}; }}\n" for i in range(FUNCTIONS)) + (
    "int main(void) { char c; long sum = 0; printf(\"pid %d\\n\", (int)getpid()); fflush(stdout); if (read(0, &c, 1) < 0) return 1;\n"
    + "while (c == 'f') { if (fork() == 0) { pause(); _exit(0); } if (read(0, &c, 1) < 0) return 1; }\n"
    + "".join(f"sum += work{i}(1);\n" for i in range(FUNCTIONS)) + 'printf("sum %ld\\n", sum); return 4; }\n')
OUTPUT = f"sum {sum(i + 1 for i in range(FUNCTIONS))}\n"


@pytest.fixture(scope="module")
def program():
    with Folder() as folder:
        (folder / "paged.c").write_text(SOURCE)
        subprocess.run(["cc", "-O1", "-falign-functions=4096", "-o", folder / "paged", folder / "paged.c"], check=True)
        yield folder / "paged"


class Group:
    """A memory control group of its own, of whichever version is here."""

    def __init__(self):
        first = (GROUPS / "memory").is_dir()
        self.folder = (GROUPS / "memory" if first else GROUPS) / f"compmond-test-{os.getpid()}"
        self.limit, self.usage = ("memory.limit_in_bytes", "memory.usage_in_bytes") if first else ("memory.max", "memory.current")

    def __enter__(self):
        try:
            with contextlib.suppress(FileNotFoundError):  # as in the first version
                (GROUPS / "cgroup.subtree_control").write_text("+memory")
            self.folder.mkdir()
        except OSError as error:
            pytest.skip(f"no memory control group can be made here: {error}")
        if not (self.folder / self.limit).exists():
            self.folder.rmdir()
            pytest.skip("no memory control group can be made here")
        return self

    def __exit__(self, *_):
        wait_for(lambda: not (self.folder / "cgroup.procs").read_text(), "the group to be empty")
        self.folder.rmdir()

    def leave_room(self, size):
        now = int((self.folder / self.usage).read_text())
        (self.folder / self.limit).write_text(str(now + size))

    def drop_files(self):
        """File pages go, which would make room."""
        for name, text in [("memory.force_empty", "0"), ("memory.reclaim", "1G")]:
            if (self.folder / name).exists():
                with contextlib.suppress(OSError):  # it says so where not all went
                    (self.folder / name).write_text(text)

    def enter(self):
        (self.folder / "cgroup.procs").write_text(str(os.getpid()))


@contextlib.contextmanager
def waiting(program, group):
    process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, preexec_fn=group.enter)
    try:
        process.target_pid = int(read_line(process.stdout, "the pid").split()[1])
        yield process
    finally:
        process.kill()
        process.wait()


def observe(program, room, options=()):
    spec = support.spec(None, components=[{"name": "all", "in": ["re:^work[0-9]+$"]}])
    with Group() as group, waiting(program, group) as process:
        group.leave_room(room)
        with Profiler(spec, "--pid", process.target_pid, options=options) as profiler:
            out, _ = process.communicate(b"\n", timeout=DEADLINE)
            assert (out.decode(), process.returncode) == (OUTPUT, 4), profiler.stderr()
            snapshot = profiler.finish()
    check_accounting(snapshot)
    return snapshot


def operations(snapshot):
    (component,) = [c for c in snapshot["components"] if c["name"] == "all"]
    assert len(component["operations"]) == FUNCTIONS
    return component["operations"]


@pytest.mark.parametrize("options", [["--samples", "off", "--engine", "uprobe"], []], ids=["probes", "auto"])
def test_as_many_are_observed_as_fit_and_the_program_lives(program, options):
    room = CODE // 2
    snapshot = observe(program, room, options)
    exact = [o for o in operations(snapshot) if o["raw_ns"] is not None and o["state"] == "attached"]
    assert 0 < len(exact) * PAGE <= room // 2, len(exact)
    assert all(o["calls"] == 1 for o in exact)
    others = [o for o in operations(snapshot) if o not in exact]
    assert all("no room" in o["reason"] for o in others), others[0]
    assert any("would not fit" in note and "memory group" in note for note in snapshot["health"]["notes"])


def test_where_they_fit_all_are_observed_and_what_it_takes_is_told(program):
    snapshot = observe(program, 5 * CODE)
    assert all(o["calls"] == 1 and o["state"] == "attached" for o in operations(snapshot))
    assert any("probes copy pages of code" in note for note in snapshot["health"]["notes"]), snapshot["health"]["notes"]


def test_with_much_room_nothing_is_said(program):
    snapshot = observe(program, 30 * CODE)
    assert all(o["calls"] == 1 for o in operations(snapshot))
    assert not [note for note in snapshot["health"]["notes"] if "memory group" in note]


def test_where_nothing_fits_it_is_an_error_that_names_the_group(program):
    spec = support.spec(None, components=[{"name": "all", "in": ["re:^work[0-9]+$"]}])
    with Group() as group, waiting(program, group) as process:
        group.drop_files()
        group.leave_room(PAGE)
        with Profiler(spec, "--pid", process.target_pid, options=["--engine", "uprobe"], wait=False) as profiler:
            profiler.process.wait(timeout=DEADLINE)
            assert profiler.process.returncode == 69, profiler.stderr()
            assert "no room" in profiler.stderr() and group.folder.name in profiler.stderr()
        group.leave_room(100 * CODE)
        out, _ = process.communicate(b"\n", timeout=DEADLINE)
        assert (out.decode(), process.returncode) == (OUTPUT, 4)


def test_where_records_of_patched_functions_do_not_fit_it_is_not_patched_and_told():
    with Group() as group, support.Target(support.TARGETS / "counted", "10", "1") as target:
        (group.folder / "cgroup.procs").write_text(str(target.pid))
        group.leave_room(1 << 20)
        with Profiler(support.spec(["work"]), "--pid", target.pid, options=("--engine", "in-process", "--allow-patching")) as profiler:
            assert target.finish()[1] == 0
            snapshot = profiler.finish()
    operation = support.operation(snapshot, "work")
    assert (operation["engine"], operation["calls"]) == ("uprobe", 10)
    assert any("the records of its 1 thread could take" in note for note in snapshot["health"]["notes"]), snapshot["health"]["notes"]


def test_strangers_that_run_the_program_have_room_for_what_is_copied_into_them(program):
    """A file that is attached for all is copied in processes of others, too."""
    spec = support.spec(None, components=[{"name": "all", "in": ["re:^work[0-9]+$"]}])
    program.parent.chmod(0o755)
    with Group() as group, support.Target(program) as target, contextlib.ExitStack() as stack:
        stranger = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, user="nobody")
        stack.callback(stranger.kill)
        read_line(stranger.stdout, "the pid")
        (group.folder / "cgroup.procs").write_text(str(stranger.pid))
        group.leave_room(CODE // 4)
        with Profiler(spec, "--exe", program, "--user", "root") as profiler:
            out, _ = stranger.communicate(b"\n", timeout=DEADLINE)
            assert (out.decode(), stranger.returncode) == (OUTPUT, 4), profiler.stderr()
            assert target.finish() == (OUTPUT, 4)
            snapshot = profiler.finish(end=True)
    assert any("would not fit" in note and group.folder.name in note for note in snapshot["health"]["notes"])


def test_of_a_process_that_comes_later_it_is_told_where_there_is_no_room_for_another(program):
    spec = support.spec(None, components=[{"name": "all", "in": ["re:^work[0-9]+$"]}])
    with Group() as group, Profiler(spec, "--exe", program) as profiler:
        group.leave_room(CODE + CODE // 2)
        with waiting(program, group) as process:
            wait_for(lambda: any("came while observing, and memory group" in note for note in profiler.snapshot_now()["health"]["notes"]),
                     "the note")
            out, _ = process.communicate(b"\n", timeout=DEADLINE)
            assert (out.decode(), process.returncode) == (OUTPUT, 4)
        profiler.finish(end=True)


def test_forked_processes_have_room_for_what_each_copies_when_probes_go(program):
    """They share what was copied into their parent, until then."""
    spec = support.spec(None, components=[{"name": "all", "in": ["re:^work[0-9]+$"]}])
    with Group() as group, waiting(program, group) as process, contextlib.ExitStack() as stack:
        group.leave_room(12 * CODE)
        with Profiler(spec, "--pid", process.target_pid) as profiler:
            for count in range(1, 16):
                process.stdin.write(b"f")
                process.stdin.flush()
                wait_for(lambda: len(alive := [t for t in profiler.snapshot_now()["targets"] if t["alive"]]) == count + 1 and alive, "a child")
            children = [t["pid"] for t in profiler.snapshot_now()["targets"] if t["pid"] != process.target_pid]
            for child in children:
                stack.callback(os.kill, child, signal.SIGKILL)
            snapshot = profiler.finish(end=True)
        assert process.poll() is None and all(pathlib.Path(f"/proc/{child}/exe").exists() for child in children)
        stack.close()
        out, _ = process.communicate(b"\n", timeout=DEADLINE)
        assert (out.decode(), process.returncode) == (OUTPUT, 4)
    assert any("not observed any more" in note and group.folder.name in note for note in snapshot["health"]["notes"]), snapshot["health"]["notes"]
    gone = [o for o in operations(snapshot) if "that the program forked" in (o.get("reason") or "")]
    assert 0 < len(gone) < FUNCTIONS and all(o["at_least"] for o in gone), gone[:1]
    assert {o["state"] for o in operations(snapshot) if o not in gone} == {"attached"}
