# SPDX-License-Identifier: Apache-2.0
"""Bad input: the documented exit code, and a message that says what, why, and what to do next."""

import json
import os
import subprocess

import pytest
import support
from support import COMPMOND, ROOT, TARGETS, Folder, Target

CHAIN = ROOT / "specs" / "filehost-chain.json"


def run(*arguments, user=None, env=None):
    command = [str(a) for a in (COMPMOND, *arguments)]
    if user:
        command = ["setpriv", f"--reuid={user}", "--clear-groups", *command]
    return subprocess.run(command, capture_output=True, text=True, timeout=support.DEADLINE, env=env)


def write(folder, text):
    path = folder / "spec.json"
    path.write_text(text if isinstance(text, str) else json.dumps(text))
    return path


def check(done, code, *words):
    assert done.returncode == code, (done.returncode, done.stderr)
    assert done.stderr.startswith("compmond: "), done.stderr
    for word in words:
        assert word in done.stderr, (word, done.stderr)
    assert "→" in done.stderr, done.stderr


def test_no_spec():
    check(run("--pid", "1"), 64, "--spec is missing")


def test_no_target():
    check(run("--spec", CHAIN), 64, "no target")


def test_two_kinds_of_target():
    check(run("--spec", CHAIN, "--pid", "1", "--exe", "/bin/true"), 64, "more than one kind of target")


def test_unknown_option():
    check(run("--spec", CHAIN, "--pid", "1", "--no-such-option"), 64, "--no-such-option")


def test_unknown_metric():
    check(run("--spec", CHAIN, "--pid", "1", "--metric", "beauty"), 64, "beauty")


def test_no_such_spec_file():
    check(run("--spec", "/nonexistent.json", "--pid", str(os.getpid())), 66, "/nonexistent.json")


def test_no_such_pid():
    check(run("--spec", CHAIN, "--pid", "4194303"), 66, "4194303")


def test_no_such_program():
    check(run("--spec", CHAIN, "--exe", "/nonexistent"), 66, "/nonexistent")


def test_a_device_or_a_folder_is_no_program():
    """Not even opened: that could do something."""
    for path in ("/dev/full", "/tmp"):
        check(run("--spec", CHAIN, "--exe", path), 66, "no regular file")


def test_no_such_command():
    check(run("--spec", CHAIN, "--", "/nonexistent-command"), 66, "/nonexistent-command")


def test_a_command_that_is_no_program():
    check(run("--spec", CHAIN, "--", "/etc/passwd"), 77, "/etc/passwd")


def test_broken_json_names_line():
    with Folder() as folder:
        check(run("--spec", write(folder, '{\n  "schema": "compmond.spec/1",\n  oops\n}'), "--pid", os.getpid()), 65, "spec.json:3:3")


def test_unknown_key_names_the_nearest():
    with Folder() as folder:
        spec = {"schema": "compmond.spec/1", "name": "x", "componets": []}
        check(run("--spec", write(folder, spec), "--pid", os.getpid()), 65, "componets", "components")


def test_missing_symbol_names_the_candidates():
    with Folder() as folder, Target(TARGETS / "counted", "1", "1") as target:
        done = run("--spec", write(folder, support.spec(["wrok"])), "--pid", target.pid)
        check(done, 65, "wrok", "work", "/components/0/in/0")
        assert target.finish()[1] == 0


def test_that_the_program_is_packed_is_said_where_a_symbol_is_missing():
    """UPX leaves its name near the program headers; here it stands in the build id."""
    with Folder() as folder:
        packed = bytearray((TARGETS / "counted").read_bytes())
        build_id = packed.index(b"\x03\0\0\0GNU\0") + 8
        packed[build_id:build_id + 4] = b"UPX!"
        (folder / "packed").write_bytes(packed)
        (folder / "packed").chmod(0o755)
        check(run("check", "--spec", write(folder, support.spec(["wrok"])), "--exe", folder / "packed"), 65, "is packed by UPX", "upx -d")
        twice = support.spec(None, components=[{"name": name, "in": ["work"]} for name in "ab"])
        done = run("check", "--spec", write(folder, twice), "--exe", folder / "packed")
        check(done, 65, "both claim work")
        assert "UPX" not in done.stderr


def test_an_optional_symbol_may_be_missing():
    with Folder() as folder, Target(TARGETS / "counted", "1", "1") as target:
        components = [{"name": "c", "in": ["work", {"symbol": "not_there", "optional": True}]}]
        done = run("check", "--spec", write(folder, support.spec(None, components=components)), "--pid", target.pid, "--json")
        assert done.returncode == 0, done.stderr
        assert [(o["symbol"], o["engine"]) for o in json.loads(done.stdout)["operations"]] == [("work", "uprobe")]


def test_an_image_that_is_not_mapped_names_those_that_are():
    with Folder() as folder, Target(TARGETS / "counted", "1", "1") as target:
        done = run("--spec", write(folder, support.spec(["work"], image="libnothere.so.9")), "--pid", target.pid)
        check(done, 65, "libnothere.so.9", "libc.so.6")


def test_two_components_at_one_address():
    with Folder() as folder, Target(TARGETS / "counted", "1", "1") as target:
        components = [{"name": "a", "in": ["work"]}, {"name": "b", "in": ["wor?"]}]
        check(run("--spec", write(folder, support.spec(None, components=components)), "--pid", target.pid), 65, "work")


def test_no_room_for_a_thread_is_an_error_and_the_target_goes_on():
    """The threads come last, once everything is attached; started by root, they count as those of nobody."""
    with Folder() as folder, Target(TARGETS / "counted", "10", "1") as target:
        log = folder / "log"
        for options in ([], ["--record", log]):
            done = subprocess.run(["prlimit", "--nproc=3", COMPMOND, "--spec", write(folder, support.spec(["work"])), "--pid", str(target.pid), *options],
                                  capture_output=True, text=True, timeout=support.DEADLINE)
            check(done, 69, "there may be no more threads", "ulimit -u")
        out, status = target.finish()
        assert status == 0 and out


def test_a_command_does_not_run_where_there_is_no_room_for_a_thread():
    with Folder() as folder:
        done = subprocess.run(["prlimit", "--nproc=3", COMPMOND, "--spec", write(folder, support.spec(["work"])), "--", TARGETS / "counted", "10", "1"],
                              capture_output=True, text=True, timeout=support.DEADLINE)
        check(done, 69, "there may be no more threads")
        assert done.stdout == ""


@pytest.mark.parametrize("files", [12, 24, 40])
def test_too_few_open_files_are_named(files):
    with Folder() as folder, Target(TARGETS / "counted", "1", "1") as target:
        done = subprocess.run(["prlimit", f"--nofile={files}", COMPMOND, "--spec", write(folder, support.spec(["work"])), "--pid", str(target.pid)],
                              capture_output=True, text=True, timeout=support.DEADLINE)
        check(done, 69, "open files", "ulimit -n")
        assert target.finish()[1] == 0


def test_without_privileges():
    with Target(TARGETS / "counted", "1", "1") as target:
        done = run("--spec", CHAIN, "--pid", target.pid, user=65534)
        check(done, 77)
        assert "sudo" in done.stderr or "root" in done.stderr


def test_an_unwritable_snapshot_is_an_error_and_the_target_runs_on():
    with Folder() as folder, Target(TARGETS / "counted", "3", "1") as target:
        spec = write(folder, support.spec(["work"]))
        done = run("--spec", spec, "--pid", target.pid, "--duration", "0.2", "--snapshot", "/nonexistent-folder/x.json")
        check(done, 73, "/nonexistent-folder/x.json")
        assert target.finish()[1] == 0


@pytest.mark.parametrize("arguments", [("--help",), ("check", "--help"), ("doctor", "--help"), ("--version",)])
def test_help_goes_to_stdout(arguments):
    done = run(*arguments)
    assert done.returncode == 0
    assert "compmond" in done.stdout
    assert done.stderr == ""


def test_doctor_says_that_this_machine_can():
    done = run("doctor")
    assert done.returncode == 0, done.stdout
    assert "this one is used" in done.stdout
    assert done.stdout.count("rights") == 1, "what both engines need is said once"
    assert "each call is seen, and samples are taken" in done.stdout


def test_doctor_without_privileges_names_the_remedy():
    done = run("doctor", user=65534)
    assert done.returncode == 77
    assert "CAP_BPF" in done.stdout and "sudo" in done.stdout
    for right, what in (("CAP_SYS_PTRACE", "only a container"), ("CAP_CHECKPOINT_RESTORE", "whose file was replaced")):
        assert right in done.stdout and what in done.stdout


@pytest.mark.parametrize("calls, path, words", [
    ("bpf", None, ["MISS  attach: session", "needs kernel 6.13", "needs kernel 6.6", "Nothing works here"]),
    ("access,faccessat,faccessat2", "/sys/kernel/btf/vmlinux", ["MISS  kernel types (BTF)", "CONFIG_DEBUG_INFO_BTF=y"]),
    ("perf_event_open", None, ["MISS  samples", "this one is used", "each call is seen; no samples are taken"]),
    ("seccomp,prctl", None, ["MISS  reading programs", "CONFIG_SECCOMP_FILTER"])], ids=["bpf", "btf", "perf", "seccomp"])
def test_doctor_names_what_the_kernel_lacks_and_the_remedy(calls, path, words):
    """A kernel without it, played by strace."""
    if calls == "perf_event_open" and support.attach_kinds() == ["per-symbol"]:
        pytest.skip("without perf events nothing can be attached on this kernel")
    with Folder() as folder:
        only = ["-P", path] if path else []
        done = subprocess.run(["strace", "-f", "-o", folder / "trace", *only, "-e", f"trace={calls}",
                               "-e", f"inject={calls}:error=EINVAL", COMPMOND, "doctor"],
                              capture_output=True, text=True, timeout=support.DEADLINE)
    for word in words:
        assert word in done.stdout, done.stdout


@pytest.mark.parametrize("error, code, word", [("EINVAL", 69, "doctor"), ("EPERM", 77, "sudo")])
def test_a_kernel_that_lacks_or_forbids_what_is_needed(error, code, word):
    """An old or a locked kernel, played by strace: every bpf() fails in the same way."""
    with Folder() as folder, Target(TARGETS / "counted", "5", "1") as target:
        spec = write(folder, support.spec(["work"]))
        done = subprocess.run(["strace", "-f", "-o", folder / "trace", "-e", "trace=bpf", "-e", f"inject=bpf:error={error}",
                               COMPMOND, "--spec", spec, "--pid", str(target.pid)],
                              capture_output=True, text=True, timeout=support.DEADLINE)
        check(done, code, word)
        assert target.finish()[1] == 0
