# SPDX-License-Identifier: Apache-2.0
"""Which processes are observed: given, forked, future ones, and those that compmond starts."""

import json
import pathlib
import shutil
import subprocess

import pytest
import support
from support import TARGETS, Folder, Profiler, Target, check_accounting, component, operation

COUNTED = TARGETS / "counted"


def test_several_pids_add_up():
    with Target(COUNTED, "100", "1") as one, Target(COUNTED, "50", "2") as two:
        with Profiler(support.spec(["work"]), "--pid", one.pid, "--pid", two.pid) as profiler:
            one.finish()
            two.finish()
            snapshot = profiler.finish()
    assert operation(snapshot, "work")["calls"] == 150
    assert {t["pid"] for t in snapshot["targets"]} == {one.pid, two.pid}
    assert not any(t["alive"] for t in snapshot["targets"])


def test_another_process_of_the_same_program_is_not_counted():
    with Target(COUNTED, "100", "1") as mine, Target(COUNTED, "70", "1") as stranger:
        with Profiler(support.spec(["work"]), "--pid", mine.pid) as profiler:
            stranger.finish()
            mine.finish()
            snapshot = profiler.finish()
    assert operation(snapshot, "work")["calls"] == 100


def test_exe_covers_running_and_future_processes():
    with Target(COUNTED, "100", "1") as running:
        with Profiler(support.spec(["work"]), "--exe", COUNTED) as profiler:
            running.finish()
            for _ in range(3):
                subprocess.run([str(COUNTED), "10", "2"], stdout=subprocess.DEVNULL, check=True)
            support.wait_for(lambda: operation(profiler.snapshot_now(), "work")["calls"] == 130, "all calls")
            snapshot = profiler.finish(end=True)
    assert operation(snapshot, "work")["calls"] == 130
    assert len(snapshot["targets"]) == 4
    check_accounting(snapshot)


def test_exe_without_a_running_process_waits_for_one():
    with Profiler(support.spec(["work"]), "--exe", COUNTED) as profiler:
        subprocess.run([str(COUNTED), "25", "1"], stdout=subprocess.DEVNULL, check=True)
        support.wait_for(lambda: operation(profiler.snapshot_now(), "work")["calls"] == 25, "all calls")
        snapshot = profiler.finish(end=True)
    assert operation(snapshot, "work")["calls"] == 25


def test_exe_finds_the_libraries_of_a_program_that_does_not_run_yet():
    with Profiler(support.ROOT / "specs" / "filehost-chain.json", "--exe", support.BIN / "filehost-chain") as profiler:
        subprocess.run([str(support.BIN / "filehost-chain"), "--scale", "0.01"], stdout=subprocess.DEVNULL, check=True)
        support.wait_for(lambda: component(profiler.snapshot_now(), "FSWriter")["calls"] == 1, "the call")
        snapshot = profiler.finish(end=True)
    assert [component(snapshot, name)["closed"]["returned"] for name in ("FileHandler", "FileEncrypter", "FSWriter")] == [1, 1, 1]


def test_exe_finds_the_libraries_of_a_program_in_a_private_folder():
    """As in /root: nobody but the owner may look there."""
    with Folder() as folder:
        assert folder.stat().st_mode & 0o077 == 0
        for name in ("filehost-chain", "libfilehost.so.1"):
            shutil.copy(support.BIN / name, folder / name)
        plan = json.loads(subprocess.run(
            [str(support.COMPMOND), "check", "--json", "--spec", str(support.ROOT / "specs" / "filehost-chain.json"), "--exe",
             str(folder / "filehost-chain")], capture_output=True, check=True).stdout)
    assert {operation["image"] for operation in plan["operations"]} == {str(folder / "libfilehost.so.1")}, plan


@pytest.mark.parametrize("name, why", [
    ("x\ny", "is called libodd.so"),  # the answer has a line that the loader does not write
    ("x\n\tz => /dev/full (0x1)\n\tq => ", "cannot open '/libodd.so'"),  # all its lines could be the loader's
])
def test_a_folder_named_like_the_loaders_answer_is_taken_for_none(name, why):
    with Folder() as folder:
        odd = pathlib.Path(f"{folder}/{name}")
        odd.mkdir(parents=True)
        (folder / "lib.c").write_text("int inner(void) { return 1; }")
        (folder / "main.c").write_text("int inner(void); int main(void) { return inner(); }")
        (folder / "spec.json").write_text(json.dumps(support.spec(["inner"], "libodd.so")))
        library = [str(odd / "libodd.so"), f"-Wl,-rpath,{odd}"]
        subprocess.run(["cc", "-shared", "-Wl,-soname,libodd.so", "-o", library[0], str(folder / "lib.c")], check=True)
        subprocess.run(["cc", "-o", str(folder / "odd"), str(folder / "main.c"), *library], check=True)
        done = subprocess.run(["strace", "-f", "-e", "openat", str(support.COMPMOND), "check", "--spec", str(folder / "spec.json"),
                               "--exe", str(folder / "odd")], capture_output=True, text=True)
    assert done.returncode in (65, 66) and why in done.stderr, done
    opened = [line for line in done.stderr.splitlines() if '"/dev/full"' in line]
    assert all("O_PATH" in line for line in opened) and bool(opened) == ("/dev/full" in name), opened


def test_a_command_is_observed_from_its_first_instruction_of_main():
    with Profiler(support.spec(["work", "main"]), "--", COUNTED, "33", "3") as profiler:
        snapshot = profiler.finish()
        assert profiler.stdout.decode().startswith("calls 33 ")
        assert "exited with status 0" in profiler.stderr()
    assert component(snapshot, "work")["calls"] == 33
    assert component(snapshot, "main")["calls"] == 1
    assert component(snapshot, "main")["closed"]["returned"] == 1


def test_a_failing_command_says_how_it_ended():
    with Profiler(support.spec(["main"]), "--", TARGETS / "exec_inside", "--no-such") as profiler:
        profiler.finish()
        assert "exited with status" in profiler.stderr() or "was killed" in profiler.stderr()


def test_forked_children_count_and_can_be_left_out():
    """A shell-like parent: each child makes its own calls."""
    source = r"""
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noipa)) int work(int n) { return n + 1; }
int main(void) {
    char c; int i; printf("pid %d\n", (int)getpid()); fflush(stdout);
    if (read(0, &c, 1) < 0) return 1;
    work(1);
    for (i = 0; i < 5; ++i) { if (fork() == 0) { work(i); work(i); _exit(0); } wait(NULL); }
    return 0;
}
"""
    with Folder() as folder:
        (folder / "forks.c").write_text(source)
        subprocess.run(["cc", "-O2", "-o", str(folder / "forks"), str(folder / "forks.c")], check=True)
        for options, calls in ((), 11), (("--no-children",), 1):
            with Target(folder / "forks") as target:
                with Profiler(support.spec(["work"]), "--pid", target.pid, options=options) as profiler:
                    target.finish()
                    snapshot = profiler.finish()
            assert operation(snapshot, "work")["calls"] == calls, options
            check_accounting(snapshot)


def test_calls_of_children_that_are_over_at_once_are_missed_and_that_is_said():
    """Other programs use the C library as well, so it is probed process by process: too late for these."""
    source = """
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
    char line[8];
    int i;
    printf("pid %d\\n", getpid());
    fflush(stdout);
    fgets(line, sizeof line, stdin);
    for (i = 0; i < 20; ++i) { if (fork() == 0) { strtol("12", NULL, 10); _exit(0); } wait(NULL); }
    return 0;
}
"""
    spec = support.spec(None, components=[{"name": "libc", "image": "libc.so.6", "in": ["strtol"]}])
    with Folder() as folder:
        (folder / "forks.c").write_text(source)
        subprocess.run(["cc", "-O2", "-fno-builtin", "-o", folder / "forks", folder / "forks.c"], check=True)
        with Target(folder / "forks") as target, Profiler(spec, "--pid", target.pid) as profiler:
            target.finish()
            snapshot = profiler.finish()
    assert operation(snapshot, "strtol")["calls"] < 20
    assert operation(snapshot, "strtol")["at_least"] is True and component(snapshot, "libc")["at_least"] is True
    notes = snapshot["health"]["notes"]
    assert any("processes came, and ended" in note and "libc.so.6" in note for note in notes), notes
    check_accounting(snapshot)


def test_a_process_of_another_mount_namespace():
    """The binary is reached through the target's own root."""
    with Target(TARGETS / "mountns", "40") as target:
        with Profiler(support.spec(["work"]), "--pid", target.pid) as profiler:
            assert target.finish()[1] == 0
            snapshot = profiler.finish()
    assert operation(snapshot, "work")["calls"] == 40


def test_an_absolute_link_of_a_container_leads_to_the_containers_library():
    """The host has a file where the link points, too: another one, which the target never sees."""
    program = """
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv) {
    char line[8];
    void *library;
    if (argc < 4 || chroot(argv[2]) != 0 || chdir("/") != 0) return 77;
    printf("pid %d\\n", getpid());
    fflush(stdout);
    fgets(line, sizeof line, stdin);
    library = dlopen(argv[3], RTLD_NOW);
    if (!library) { puts(dlerror()); return 1; }
    for (int i = 0; i < 30; i++) ((int (*)(int))dlsym(library, "of_container"))(i);
    return 0;
}
"""
    library = "__attribute__((noinline)) int %s(int x) { return x * 3 + 1; }"
    with Folder() as host:
        container = host / "container"
        for root, name in ((host, "of_host"), (pathlib.Path(f"{container}{host}"), "of_container")):
            root.mkdir(parents=True, exist_ok=True)
            (root / "library.c").write_text(library % name)
            subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-nostdlib", "-o", root / "real.so", root / "library.c"],
                           check=True)
        (container / "link.so").symlink_to(host / "real.so")
        (host / "program.c").write_text(program)
        subprocess.run(["cc", "-O2", "-o", host / "program", host / "program.c"], check=True)
        with Target(host / "program", container, "/link.so") as target:
            with Profiler(support.spec(["of_container"], image="/link.so"), "--pid", target.pid) as profiler:
                assert target.finish() == ("", 0)
                snapshot = profiler.finish()
    assert operation(snapshot, "of_container")["calls"] == 30
    check_accounting(snapshot)


def test_a_deleted_binary_is_observed_through_its_mapping():
    with Folder() as folder:
        copy = folder / "copy"
        copy.write_bytes(COUNTED.read_bytes())
        copy.chmod(0o755)
        with Target(copy, "12", "1") as target:
            copy.unlink()
            with Profiler(support.spec(["work"]), "--pid", target.pid) as profiler:
                target.finish()
                snapshot = profiler.finish()
    assert operation(snapshot, "work")["calls"] == 12


def test_a_target_that_becomes_another_program_is_no_target_any_more():
    """What python3 allocates after the shell has become it is not the shell's."""
    spec = support.spec(None, components=[{"name": "libc", "image": "libc.so.6", "in": ["malloc"]}])
    shell = subprocess.Popen(["/bin/sh", "-c", "read line; exec python3 -c 'print(7)'"], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE)
    with Profiler(spec, "--pid", shell.pid) as profiler:
        out, _ = shell.communicate(b"\n", timeout=support.DEADLINE)
        snapshot = profiler.finish()
    assert out == b"7\n"
    assert operation(snapshot, "malloc")["calls"] < 1000  # python3 makes many thousands
    check_accounting(snapshot)
