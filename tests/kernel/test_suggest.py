# SPDX-License-Identifier: Apache-2.0
"""compmond suggest: drafts of running programs resolve, name what people know them by, and hold most of their time."""

import json
import os
import re
import signal
import subprocess
import tempfile

import pytest
import support
from support import BIN, COMPMOND, Folder, Profiler, Target
from test_harmless import text_checksum
from test_postgresql import Server

SHOP = """
#include <cstdlib>
#include <unistd.h>
#define PART __attribute__((noinline))
volatile unsigned sink;
PART void spin(unsigned n) { for (unsigned i = 0; i < n * 10000; i++) sink = sink * 31 + i; }
namespace shop::store { struct Store { PART void get(unsigned n) { spin(n); sink++; } PART void put(unsigned n) { spin(n); sink--; } }; }
namespace shop::prices { PART void look_up(unsigned n) { spin(n); sink += 2; } PART void add_up(unsigned n) { look_up(n); sink += 3; } }
namespace shop::web { PART void serve(shop::store::Store &store) { store.get(20); prices::add_up(30); store.put(10); spin(2); usleep(100); } }
int main() { shop::store::Store store; for (;;) shop::web::serve(store); }
"""


def suggest(*flags, code=0, **more):
    with Folder() as folder:
        done = subprocess.run([str(one) for one in (COMPMOND, "suggest", "-o", folder / "draft.json", *flags)], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=support.DEADLINE * 2, **more)
        assert done.returncode == code, (done.returncode, done.stderr)
        return json.loads((folder / "draft.json").read_text()) if code == 0 else None, done.stderr


def resolves(draft, pid):
    with Folder() as folder:
        (folder / "draft.json").write_text(json.dumps(draft))
        done = subprocess.run([COMPMOND, "check", "--spec", folder / "draft.json", "--pid", str(pid)], capture_output=True, text=True)
    return done.returncode == 0 and re.search(r"(\d+) of \1 operations can be attached", done.stdout)


def named_share(draft):
    """Of the samples on CPU, in %, those with a function of the draft on their stacks, as it says itself."""
    return int(re.search(r"(\d+) % of those on CPU", draft["note"]).group(1))


def names(draft):
    return {one["name"] for one in draft["components"]}


def running(*command, **more):
    return subprocess.Popen([str(one) for one in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, **more)


@pytest.fixture
def ended():
    """Processes that end with the test."""
    all_of_them = []
    yield all_of_them
    for one in all_of_them:
        one.kill()
        one.wait()


@pytest.fixture(scope="module")
def shop():
    with Folder() as folder:
        (folder / "shop.cpp").write_text(SHOP)
        subprocess.run(["c++", "-O1", "-o", folder / "shop", folder / "shop.cpp"], check=True)
        subprocess.run(["strip", "-o", folder / "nameless", folder / "shop"], check=True)
        yield folder


def test_the_file_host_is_drafted_as_its_own_spec_has_it(ended):
    ended.append(running(BIN / "filehost"))
    draft, said = suggest("--pid", ended[0].pid, "--seconds", "2")
    assert len(names(draft) & {"HTTPServer", "UploadManager", "FileHandler", "FileEncrypter", "FileDecrypter"}) >= 3, said
    assert named_share(draft) >= 80, said
    assert resolves(draft, ended[0].pid)
    assert ended[0].poll() is None


def test_namespaces_of_a_program_become_components_and_it_goes_on_unharmed(shop, ended):
    ended.append(running(shop / "shop"))
    before = text_checksum(ended[0].pid, shop / "shop")
    draft, said = suggest("--pid", ended[0].pid, "--seconds", "1.5")
    assert "Store" in names(draft) and names(draft) & {"prices", "add_up"}, said
    assert {"shop::store::Store::get", "shop::store::Store::put"} <= {o for c in draft["components"] for o in c["in"] if isinstance(o, str)}, said
    assert named_share(draft) >= 80, said
    assert set(draft["build_ids"]) == {"shop"}
    assert resolves(draft, ended[0].pid)
    assert ended[0].poll() is None and text_checksum(ended[0].pid, shop / "shop") == before
    # main never ends; what it does again and again is on all its stacks as well, and is there.
    assert "serve" in names(draft) and "main" not in names(draft), said


def test_a_draft_of_another_build_is_told_to_be_one(shop, ended):
    draft = suggest("--exe", shop / "shop", "--no-look")[0]
    ended.append(running(shop / "shop"))
    for build_id, told in (draft["build_ids"]["shop"], False), ("00ab", True):
        with Profiler({**draft, "build_ids": {"shop": build_id}}, "--pid", ended[0].pid) as profiler:
            notes = profiler.finish(end=True)["health"]["notes"]
            assert any("is another build than the spec was made for" in note for note in notes) == told, notes


def test_a_program_without_names_is_told(shop, ended):
    ended.append(running(shop / "nameless"))
    _, said = suggest("--pid", ended[0].pid, "--seconds", "1", code=65)
    assert "no function of" in said and "it is stripped" in said
    assert ended[0].poll() is None


def test_what_does_nothing_is_drafted_of_its_code(ended):
    with Target(support.TARGETS / "counted", "10", "1") as target:
        draft, said = suggest("--pid", target.pid, "--seconds", "1")
        assert "of names and code alone" in said or "samples in 1 s" in said
        assert draft["components"] and resolves(draft, target.pid)
        assert target.finish()[1] == 0


def test_what_ends_meanwhile_is_drafted_of_what_was_seen(shop):
    program = running("timeout", "2.5", shop / "shop")
    support.wait_for(lambda: subprocess.run(["pgrep", "-P", str(program.pid)], capture_output=True, text=True).stdout, "the program")
    pid = int(subprocess.run(["pgrep", "-P", str(program.pid)], capture_output=True, text=True).stdout)
    draft, said = suggest("--pid", pid, "--seconds", "4")
    program.wait()
    assert "Store" in names(draft), said
    assert "how often it is called" in draft["note"], said


def test_without_rights_the_draft_is_of_its_code_and_says_so(shop):
    os.chmod(shop, 0o755)
    nobody = {"user": 65534, "group": 65534, "extra_groups": []}
    program = running(shop / "shop", **nobody)
    with tempfile.TemporaryDirectory() as folder:
        os.chown(folder, 65534, 65534)
        done = subprocess.run([COMPMOND, "suggest", "--pid", str(program.pid), "--seconds", "1"], capture_output=True, text=True, cwd=folder, **nobody)
    program.kill()
    program.wait()
    assert done.returncode == 0, done.stderr
    assert "the draft is of names and code alone: " in done.stderr
    assert "web" in names(json.loads(done.stdout))


@pytest.mark.parametrize("signal_, after", [(signal.SIGINT, "taking samples"), (signal.SIGTERM, "counting calls")])
def test_a_signal_leaves_no_process_no_folder_and_no_draft(shop, ended, signal_, after):
    ended.append(running(shop / "shop"))
    with Folder() as folder:
        (folder / "tmp").mkdir()
        with open(folder / "said", "wb") as said:
            process = subprocess.Popen([COMPMOND, "suggest", "--pid", str(ended[0].pid), "--seconds", "2", "-o", folder / "draft.json"], stderr=said,
                                       env={**os.environ, "TMPDIR": str(folder / "tmp")})
        support.wait_for(lambda: after in (folder / "said").read_text() and list((folder / "tmp").iterdir()), after)
        child = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True).stdout
        process.send_signal(signal_)
        assert process.wait(timeout=support.DEADLINE) == 128 + signal_
        assert list((folder / "tmp").iterdir()) == [] and sorted(one.name for one in folder.iterdir()) == ["said", "tmp"]
        assert all(not os.path.exists(f"/proc/{pid}") for pid in child.split())
    assert ended[0].poll() is None


def test_postgresql_is_drafted_by_its_steps():
    server = Server()
    try:
        server.pgbench("-i", "-s", "1", "-q")
        bench = running("runuser", "-u", "postgres", "--", server.bin / "pgbench", "-h", server.folder, "-p", server.port, "-U", "postgres",
                        "-c", "2", "-T", "60", "-n", "postgres")
        try:
            draft, said = suggest("--pid", server.pid, "--seconds", "1.5")
            assert resolves(draft, server.pid)
        finally:
            bench.terminate()
            bench.wait()
        operations = " ".join(o if isinstance(o, str) else o["symbol"] for c in draft["components"] for o in c["in"])
        assert named_share(draft) >= 80, said
        # Of so few samples not each step has enough.
        assert sum(bool(re.search(step, operations)) for step in ("plan", "Exec", "parse", "Portal|exec_simple", "secure_|pq_", "Commit")) >= 3, said
        assert server.psql("SELECT 1").strip() == "1"
    finally:
        server.stop()
