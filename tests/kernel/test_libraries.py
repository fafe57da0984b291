# SPDX-License-Identifier: Apache-2.0
"""A library inside any process: SQLite through python3, libcrypto through openssl."""

import contextlib
import os
import pathlib
import subprocess

import pytest
import support
from support import ROOT, Folder, Profiler, Target, check_accounting, component, operation

SQLITE = """
import sqlite3, sys
db = sqlite3.connect(":memory:")
db.execute("create table t (i integer, s text)")
for i in range(500):
    db.execute("insert into t values (?, ?)", (i, str(i)))
print(db.execute("select sum(i) from t").fetchone()[0])
db.close()
"""


def test_sqlite_inside_python():
    """The library is mapped by import, long after the start: python waits on stdin until probes are placed."""
    waits = "import sqlite3, os, sys; print('pid', os.getpid(), flush=True); sys.stdin.readline()\n" + SQLITE
    process = subprocess.Popen(["/usr/bin/python3", "-c", waits], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    pid = int(support.read_line(process.stdout, "python's pid").split()[1])
    with Profiler(ROOT / "specs" / "sqlite.json", "--pid", pid) as profiler:
        out, _ = process.communicate(b"\n", timeout=support.DEADLINE)
        snapshot = profiler.finish()
    assert out == b"124750\n"
    assert process.returncode == 0
    check_accounting(snapshot)
    # 500 inserts, one create, one select, BEGIN; a select steps once per row and once for the end.
    steps = operation(snapshot, "sqlite3_step")["calls"]
    assert 503 <= steps <= 510
    assert operation(snapshot, "sqlite3_step")["closed"]["returned"] == steps
    assert snapshot["health"]["lost"] == 0


def test_libcrypto_inside_openssl():
    with Profiler(ROOT / "specs" / "openssl.json", "--", "/usr/bin/openssl", "dgst", "-sha256", "/etc/debian_version") as profiler:
        snapshot = profiler.finish()
        expected = subprocess.check_output(["sha256sum", "/etc/debian_version"], text=True).split()[0]
        assert expected in profiler.stdout.decode()
    check_accounting(snapshot)
    assert sum(c["calls"] for c in snapshot["components"]) > 0
    assert all(pathlib.Path(o["image"]).name.startswith(("libcrypto", "libssl"))
               for c in snapshot["components"] for o in c["operations"])


LOADS = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
/* loads CALLS LIBRARY... calls inside() of each library so often; of one after "memfd:" a copy in memory. */
static void *load(const char *name) {
    static char path[64], bytes[1 << 20];
    FILE *from;
    int memory = memfd_create("liblate.so.1", 0);
    if (strncmp(name, "memfd:", 6) != 0) return dlopen(name, RTLD_NOW);
    from = fopen(name + 6, "r");
    if (!from || write(memory, bytes, fread(bytes, 1, sizeof bytes, from)) <= 0) return NULL;
    sprintf(path, "/proc/self/fd/%d", memory);
    return dlopen(path, RTLD_NOW);
}
int main(int argc, char **argv) {
    char line[8];
    long sum = 0;
    void *first = load(argv[3]);
    printf("pid %d\n", (int)getpid()); fflush(stdout);
    if (!first || !fgets(line, sizeof line, stdin)) return 1;
    for (int i = 3; i < argc; i++) {
        void *library = i == 3 ? first : load(argv[i]);
        if (!library) { puts(dlerror()); return 1; }
        for (int n = 0; n < atoi(argv[2]); n++) sum += ((long (*)(long))dlsym(library, "inside"))(n);
    }
    printf("sum %ld\n", sum);
    return 0;
}
"""


@pytest.fixture(name="place")
def program_and_libraries():
    """A program, and two builds of a library in folders of their own."""
    with Folder() as folder:
        (folder / "loads.c").write_text(LOADS)
        subprocess.run(["cc", "-D_GNU_SOURCE", "-O2", "-o", folder / "loads", folder / "loads.c"], check=True)
        for build in (3, 5):
            (folder / str(build)).mkdir()
            library = f"__attribute__((noipa)) long inside(long x) {{ return x * {build} + 1; }}"
            subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", folder / str(build) / "liblate.so.1", "-x", "c", "-"],
                           input=library, text=True, check=True)
        yield folder


def inside_of(image):
    return support.spec(["inside"], image=image)


def replace(place):
    (place / "5" / "liblate.so.1").rename(place / "3" / "liblate.so.1")


def check_missed(snapshot, calls, words):
    inside = operation(snapshot, "inside")
    assert (inside["calls"], inside["at_least"]) == (calls, True), inside
    notes = snapshot["health"]["notes"]
    assert any(all(word in note for word in (*words, "start compmond again")) for note in notes), notes
    check_accounting(snapshot)


def test_two_builds_of_one_library_in_two_processes_are_both_observed(place):
    """As after an upgrade: the older process runs what was deleted."""
    library = place / "3" / "liblate.so.1"
    with Target(place / "loads", "10", library) as older:
        replace(place)
        with Target(place / "loads", "7", library) as newer, \
                Profiler(inside_of("liblate.so"), "--pid", older.pid, "--pid", newer.pid) as profiler:
            older.finish()
            newer.finish()
            snapshot = profiler.finish()
    calls = [o["calls"] for c in snapshot["components"] for o in c["operations"]]
    assert sorted(calls) == [7, 10] and not component(snapshot, "inside")["at_least"]
    assert not [note for note in snapshot["health"]["notes"] if "deleted" in note], snapshot["health"]["notes"]
    check_accounting(snapshot)


def test_a_library_that_is_replaced_while_it_is_observed_is_told_however_soon_all_ends(place):
    library = place / "3" / "liblate.so.1"
    with Target(place / "loads", "10", library) as older, \
            Profiler(inside_of("liblate.so"), "--exe", place / "loads") as profiler:
        replace(place)
        with Target(place / "loads", "7", library) as newer:
            newer.finish()
        older.finish()
        check_missed(profiler.finish(end=True), 10, [str(library), "replaced or deleted"])


@pytest.mark.parametrize("image, prefix", [("liblate.so", ""), ("*liblate.so.1", ""), ("*liblate.so.1", "memfd:")],
                         ids=["file", "pattern", "memory"])
def test_another_library_of_the_name_that_is_loaded_later_is_told(place, image, prefix):
    first, other = place / "3" / "liblate.so.1", f"{prefix}{place}/5/liblate.so.1"
    with Target(place / "loads", "10", first, other) as target, Profiler(inside_of(image), "--pid", target.pid) as profiler:
        assert not operation(profiler.snapshot_now(), "inside")["at_least"]
        assert target.finish() == ("sum 380\n", 0)
        check_missed(profiler.finish(), 10, ["another file", "memfd" if prefix else str(other)])


def test_another_process_with_another_library_of_the_name_is_told(place):
    with Target(place / "loads", "10", place / "3" / "liblate.so.1") as target, \
            Profiler(inside_of("liblate.so"), "--exe", place / "loads") as profiler:
        with Target(place / "loads", "7", place / "5" / "liblate.so.1") as newer:
            newer.finish()
        target.finish()
        check_missed(profiler.finish(end=True), 10, ["another file", str(place / "5" / "liblate.so.1")])


@contextlib.contextmanager
def second_name(how, name, other):
    if how == "hard link":
        os.link(name, other)
        yield
        return
    other.touch()
    subprocess.run(["mount", "--bind", name, other], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", other], check=True)


@pytest.mark.parametrize("how", ["hard link", "bind mount"])
def test_a_library_with_two_names_is_observed_by_either_path_and_by_the_mapped_name(place, how):
    first, other = place / "3" / "liblate.so.1", place / "3" / "libother.so.1"
    with second_name(how, first, other):
        for image in (first, other, "libother.so"):
            with Target(place / "loads", "10", other) as target, Profiler(inside_of(image), "--pid", target.pid) as profiler:
                target.finish()
                inside = operation(profiler.finish(), "inside")
            assert (inside["calls"], inside["at_least"]) == (10, False), image
        with Target(place / "loads", "10", other) as target:
            profiler = Profiler(inside_of("liblate.so"), "--pid", target.pid, wait=False)
            assert profiler.process.wait(support.DEADLINE) == 65
            assert "no file that the target maps is called liblate.so" in profiler.stderr()
            assert "libother.so.1" in profiler.stderr()


def test_code_in_memory_alone_is_observed_by_its_name(place):
    with Target(place / "loads", "10", f"memfd:{place}/3/liblate.so.1") as target, \
            Profiler(inside_of("memfd:liblate.so"), "--pid", target.pid) as profiler:
        target.finish()
        snapshot = profiler.finish()
    inside = operation(snapshot, "inside")
    assert (inside["calls"], inside["at_least"]) == (10, False)
    assert not [note for note in snapshot["health"]["notes"] if "deleted" in note], snapshot["health"]["notes"]
    check_accounting(snapshot)
