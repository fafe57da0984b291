# SPDX-License-Identifier: Apache-2.0
"""Names that come from a program: escape sequences, format directives, bytes that are no text, endless ones."""

import json
import os
import re
import subprocess

import support
from support import Folder, OnTerminal, Profiler, Target, check_accounting

# Each function is built under a name of its length, which is then replaced in the finished file.
NAMES = {
    "clear": b"evil_\x1b[2J\x1b[31m\x1b]0;t\x07_end",
    "lines": b"evil_\r\n\t\b\x7f_forged line_end",
    "bytes": b"evil_\xff\xfe\xc3\x28\xed\xa0\x80\xf4\x90\x80\x80_end",
    "c1": b"evil_\xc2\x9b31m\xe2\x80\xae\xe2\x80\x8b_end",
    "format": b"evil_%s%n%s%n%1000000d{}{0}{:>1000000}_end",
    "json": b'evil_","calls":-1,"x":"\\u0000\\_end',
    "long": b"evil_" + b"L" * 5000 + b"_end",
    "mangled": b"_ZN4evil" + b"I" * 2000 + b"E_end",
}
THREAD_NAME = rb"\x1b[31m\xff%n\n"


def placeholder(key, name):
    return f"{key}_".ljust(len(name), "z")


def source():
    text = '#include <stdio.h>\n#include <sys/prctl.h>\n#include <unistd.h>\n'
    for key, name in NAMES.items():
        text += f"__attribute__((noipa)) int {placeholder(key, name)}(int n) {{ return n + 1; }}\n"
    text += 'int main(void) {\n  char c;\n'
    text += f'  prctl(PR_SET_NAME, "{THREAD_NAME.decode()}");\n'
    text += '  printf("pid %d\\n", (int)getpid()); fflush(stdout); if (read(0, &c, 1) < 0) return 1;\n'
    for key, name in NAMES.items():
        text += f"  for (int i = 0; i < 7; i++) {placeholder(key, name)}(i);\n"
    return text + '  printf("done\\n");\n  return 0;\n}\n'


def evil_program(folder):
    """The program, in a file whose own name is no better."""
    (folder / "evil.c").write_text(source())
    subprocess.run(["cc", "-O2", "-o", str(folder / "plain"), str(folder / "evil.c")], check=True)
    data = (folder / "plain").read_bytes()
    for key, name in NAMES.items():
        assert data.count(placeholder(key, name).encode()) == 1
        data = data.replace(placeholder(key, name).encode(), name)
    path = os.fsencode(folder) + b"/evil\x1b[31m\xff%n\nname"
    with open(path, "wb") as file:
        file.write(data)
    os.chmod(path, 0o755)
    return os.fsdecode(path)


SPEC = support.spec(None, components=[{"name": "%n%s{}", "in": ["evil_*", "_ZN4evil*"]}])


def check_snapshot(snapshot):
    operations = [o for c in snapshot["components"] for o in c["operations"]]
    assert len(operations) == len(NAMES)
    for got in operations:
        assert got["closed"]["returned"] == 7, got
        assert len(got["symbol"].encode()) <= 64 << 10  # no longer name is read at all
    check_accounting(snapshot)


def check_lines(text):
    """Nothing but text and line ends, and no line that a name made up."""
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text), repr(text)
    assert not re.search(r"^\s*_?forged line", text, re.MULTILINE), text


def test_names_reach_neither_the_summary_nor_the_messages_raw():
    with Folder() as folder, Target(evil_program(folder)) as target:
        with Profiler(SPEC, "--pid", target.pid) as profiler:
            assert target.finish() == ("done\n", 0)
            check_snapshot(profiler.finish())
            check_lines(profiler.stdout.decode())
            assert max(map(len, profiler.stdout.decode().splitlines())) < 1000
            check_lines(profiler.stderr())


def test_names_reach_a_terminal_without_their_escape_sequences():
    with Folder() as folder, Target(evil_program(folder)) as target:
        (folder / "spec.json").write_text(json.dumps(SPEC))
        table = OnTerminal("--spec", folder / "spec.json", "--pid", target.pid, "--refresh", "0.1", "--snapshot", folder / "s.json")
        table.wait_for(b"ready")
        target.release()
        shown = table.finish()
        assert target.finish() == ("done\n", 0)
        check_snapshot(json.loads((folder / "s.json").read_text()))
    assert b"evil_" in shown
    for sequence in (b"\x1b[2J\x1b[31m", b"\x1b]0;", b"\x07", b"\xff", b"\xc2\x9b", b"\xe2\x80\xae", b"\x7f", b"\x08"):
        assert sequence not in shown, sequence


def test_an_error_names_a_hostile_file_escaped():
    spec = support.spec(["evil_31_end"])
    with Folder() as folder, Target(evil_program(folder)) as target:
        with Profiler(spec, "--pid", target.pid, wait=False) as profiler:
            assert profiler.process.wait(timeout=support.DEADLINE) == 65
            check_lines(profiler.stderr_path.read_bytes().decode(errors="surrogateescape"))
            assert "of evil" in profiler.stderr()  # the file is named
        assert target.finish() == ("done\n", 0)
