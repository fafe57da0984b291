# SPDX-License-Identifier: Apache-2.0
"""Files that are linked in every way, exchanged while they are read, or written to where somebody else plays tricks."""

import json
import os
import resource
import shutil
import signal
import subprocess
import threading

import pytest
import support
from support import COMPMOND, TARGETS, Folder, Profiler, Target, check_accounting, operation

WORK = support.spec(["work"])

PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
void fill(void); /* long instructions, none of which begins where a function of another build begins */
__asm__(".text\n.globl fill\n.type fill,@function\nfill: .rept " FILL "\nmovabs $0x1122334455667788,%rax\n.endr\nret\n.size fill,.-fill\n");
__attribute__((noipa)) long work(long n) { return n * 3 + 1; }
int main(int argc, char **argv) {
    char c; long sum = 0;
    if (argc > 1) { printf("pid %d\n", (int)getpid()); fflush(stdout); if (read(0, &c, 1) < 0) return 1; }
    for (int i = 0; i < 100; i++) { fill(); sum += work(i); }
    printf("sum %ld\n", sum);
    return 0;
}
"""
OUTPUT = "sum 14950\n"


def build(folder, name, fill=1, flags=()):
    source = folder / f"{name}.c"
    source.write_text(PROGRAM)
    command = ["cc", "-O2", "-fno-toplevel-reorder", f'-DFILL="{fill}"', "-o", str(folder / name), str(source), *flags]
    subprocess.run(command, check=True)
    return folder / name


LINKED = {
    "pie": ["-fPIE", "-pie"],
    "no-pie": ["-fno-PIE", "-no-pie"],
    "static": ["-static"],
    "static-pie": ["-fPIE", "-static-pie"],
    "code-and-data-in-one-segment": ["-fno-PIE", "-no-pie", "-Wl,-z,noseparate-code"],
    "old-style": ["-fno-PIE", "-no-pie", "-Wl,-z,noseparate-code,-z,norelro,-z,lazy,--hash-style=sysv,--build-id=none"],
    "high-address": ["-fno-PIE", "-no-pie", "-Wl,-Ttext-segment=0x10000000"],
}


@pytest.mark.parametrize("flags", LINKED.values(), ids=LINKED.keys())
def test_every_way_of_linking_is_counted_exactly(flags):
    with Folder() as folder:
        out, status, snapshot = support.observe(WORK, build(folder, "program", 3, flags))
    assert (out, status) == (OUTPUT, 0)
    assert operation(snapshot, "work")["closed"]["returned"] == 100
    check_accounting(snapshot)


class Exchange:
    """Does place(round) over and over beside the block, until it ends."""

    def __init__(self, place):
        self.place, self.end, self.rounds = place, threading.Event(), 0
        self.thread = threading.Thread(target=self.run)

    def run(self):
        while not self.end.is_set():
            self.place(self.rounds)
            self.rounds += 1

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.end.set()
        self.thread.join()


def renamed_over(name, files):
    """For Exchange: a hard link to the next file, renamed over the name, which always leads to one of them."""

    def place(number):
        temporary = f"{name}.next"
        os.link(files[number % len(files)], temporary)
        os.rename(temporary, name)
        if os.path.lexists(temporary):  # both names were links to one file already: rename does nothing then
            os.unlink(temporary)

    return place


def test_a_program_exchanged_while_it_is_read_gets_no_probe_of_another_build():
    with Folder() as folder:
        builds = [build(folder, f"build{i}", fill) for i, fill in enumerate((1, 8, 500))]
        name = folder / "program"
        name.write_bytes(builds[0].read_bytes())
        name.chmod(0o755)
        with Exchange(renamed_over(name, builds)) as exchange:
            for _ in range(3):  # the build that was started is the one that is observed
                with Profiler(WORK, "--", name) as profiler:
                    snapshot = profiler.finish()
                    assert profiler.stdout.decode().startswith(OUTPUT)
                assert operation(snapshot, "work")["closed"]["returned"] == 100
                check_accounting(snapshot)
            for _ in range(3):
                out, status, snapshot = support.observe(WORK, name)
                assert (out, status) == (OUTPUT, 0)
                assert operation(snapshot, "work")["closed"]["returned"] == 100
            for _ in range(2):  # by name, any of them may be read: its processes are observed, all others left in peace
                with Target(name) as target, Profiler(WORK, "--exe", name) as profiler:
                    assert target.finish() == (OUTPUT, 0)
                    snapshot = profiler.finish(end=True)
                assert operation(snapshot, "work")["calls"] in (0, 100)
                check_accounting(snapshot)
            assert exchange.rounds > 8


def test_a_link_put_in_place_of_the_snapshot_again_and_again_is_never_followed():
    with Folder() as folder:
        victim = folder / "victim"
        victim.write_text("untouched")
        seen = []

        def place(_):
            link = folder / "link"
            link.symlink_to(victim)
            os.rename(link, name)
            while not exchange.end.is_set() and name.is_symlink():
                pass
            if not name.is_symlink():
                seen.append(json.loads(name.read_text()))

        with Target(TARGETS / "counted", "10", "1") as target, Profiler(WORK, "--pid", target.pid) as profiler:
            name = profiler.snapshot_path
            exchange = Exchange(place)  # place(), which begins with the block, asks it
            with exchange:
                for count in range(1, 31):
                    profiler.process.send_signal(signal.SIGUSR1)
                    support.wait_for(lambda: len(seen) >= count, "the snapshot in place of the link")
        assert victim.read_text() == "untouched"
        assert all(snapshot["health"]["balanced"] for snapshot in seen)


def test_a_folder_above_the_snapshot_exchanged_again_and_again_leads_it_nowhere_else():
    with Folder() as foreign, Target(TARGETS / "counted", "10", "1") as target, Profiler(WORK, "--pid", target.pid) as profiler:
        profiler.snapshot_now()
        mine = profiler.snapshot_path.parent
        away = mine.with_name(f"{mine.name}.away")
        held = os.open(mine, os.O_PATH)  # wherever it is

        def written():
            return os.stat("snapshot.json", dir_fd=held).st_ino

        def place(_):
            mine.rename(away)
            mine.symlink_to(foreign)
            mine.unlink()
            away.rename(mine)

        with Exchange(place) as exchange:
            for _ in range(30):
                before = written()
                profiler.process.send_signal(signal.SIGUSR1)
                support.wait_for(lambda: written() != before, "the snapshot in the folder that was meant")
        os.close(held)
        assert exchange.rounds > 0
        assert os.listdir(foreign) == []
        target.finish()
        assert operation(profiler.finish(), "work")["calls"] == 10


def run_with_snapshot(folder, name, **options):
    spec = folder / "spec.json"
    spec.write_text(json.dumps(WORK))
    command = [str(a) for a in (COMPMOND, "--spec", spec, "--snapshot", name, "--", TARGETS / "counted", "10", "1")]
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=support.DEADLINE, **options)


def test_without_room_for_a_snapshot_the_old_one_stays_whole():
    def no_room():
        resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))

    with Folder() as folder:
        name = folder / "snapshot.json"
        name.write_text("the old one")
        done = run_with_snapshot(folder, name, preexec_fn=no_room)
        assert done.returncode == 73, done.stderr
        assert str(name) in done.stderr
        assert name.read_text() == "the old one"
        assert sorted(p.name for p in folder.iterdir()) == ["snapshot.json", "spec.json"]


def test_kill_9_while_snapshots_are_written_leaves_a_whole_one():
    with Target(TARGETS / "counted", "10", "1") as target:
        for _ in range(3):
            with Profiler(WORK, "--pid", target.pid) as profiler:
                first = profiler.snapshot_now()
                while not list(profiler.snapshot_path.parent.glob(".snapshot.json.*")):
                    profiler.process.send_signal(signal.SIGUSR1)
                profiler.process.kill()
                profiler.process.wait()
                whole = json.loads(profiler.snapshot_path.read_text())
                assert whole["window"]["end_ns"] >= first["window"]["end_ns"]
        assert target.finish()[1] == 0


@pytest.mark.parametrize("how", ["replaced", "deleted", "written"])
def test_a_file_that_changes_while_it_is_observed_is_told(how):
    with Folder() as folder:
        program = folder / "counted"
        shutil.copy(TARGETS / "counted", program)
        with Target(program, "10", "1") as target, Profiler(WORK, "--pid", target.pid) as profiler:
            assert not any(str(program) in note for note in profiler.snapshot_now()["health"]["notes"])
            if how == "replaced":
                shutil.copy(program, folder / "new")
                (folder / "new").rename(program)
            elif how == "deleted":
                program.unlink()
            else:
                os.utime(program)
            told = "was written to" if how == "written" else "was replaced or deleted"
            notes = support.wait_for(lambda: [n for n in profiler.snapshot_now()["health"]["notes"] if str(program) in n], "the note")
            assert len(notes) == 1 and told in notes[0], notes
            target.finish()
            assert operation(profiler.finish(), "work")["calls"] == 10


def same_in_the_log(log, expected):
    """The replay of a log has the same calls, with the same mark."""
    out = log.with_name("replayed.json")
    subprocess.run([COMPMOND, "replay", log, "--snapshot", out], check=True, capture_output=True)
    replayed = operation(json.loads(out.read_text()), expected["symbol"])
    assert {k: replayed[k] for k in ("calls", "at_least")} == {k: expected[k] for k in ("calls", "at_least")}


def test_a_program_that_an_overlay_copies_up_later_is_told():
    """Probes are in the lower file; what starts afterwards runs the copy, under the same name."""
    with Folder() as folder:
        names = ("lower", "upper", "work", "merged")
        subprocess.run(["mount", "-t", "tmpfs", "none", folder], check=True)
        try:
            lower, upper, work, merged = (folder / name for name in names)
            for place in (lower, upper, work, merged):
                place.mkdir()
            shutil.copy(TARGETS / "counted", lower)
            subprocess.run(["mount", "-t", "overlay", "none", "-o",
                            f"lowerdir={lower},upperdir={upper},workdir={work}", merged], check=True)
            program = merged / "counted"
            log = folder / "log"
            with Target(program, "10", "1") as target, Profiler(WORK, "--exe", program, options=["--record", log]) as profiler:
                before = profiler.snapshot_now()
                assert not any(str(program) in note for note in before["health"]["notes"])
                assert not operation(before, "work")["at_least"]
                program.chmod(0o700)
                assert (upper / "counted").exists()
                support.wait_for(lambda: [n for n in profiler.snapshot_now()["health"]["notes"]
                                          if str(program) in n and "overlay" in n], "the note")
                target.finish()
                run = subprocess.run([program, "7", "1"], stdout=subprocess.PIPE, check=True)
                assert run.stdout.startswith(b"calls 7 ")
                work = operation(profiler.finish(end=True), "work")
                assert (work["calls"], work["at_least"]) == (10, True)
            same_in_the_log(log, work)
        finally:
            subprocess.run(["umount", merged], check=False)
            subprocess.run(["umount", folder], check=True)


def test_a_function_that_is_inlined_here_and_there_says_so():
    with Target(TARGETS / "inline", "10") as target, Profiler(support.spec(["partly"]), "--pid", target.pid) as profiler:
        target.finish()
        assert "inlined at 3 places, whose calls are not counted" in operation(profiler.finish(), "partly")["reason"]
