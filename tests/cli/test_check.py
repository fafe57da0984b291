# SPDX-License-Identifier: Apache-2.0
"""The plan of the in-process engine, `compmond check --engine in-process`: which functions it would patch, how, and why not."""

import json
import random
import re
import subprocess

import pytest
from program import COMPMOND, ROOT, run

# Each function with 6-byte instructions between entry and exit, where nothing else is said.
CODE = """
.macro fn name
.text
.globl \\name
.type \\name, @function
.p2align 4, 0x90
\\name:
.endm
.macro end name
.size \\name, .-\\name
.endm
.macro six
add $0x1000, %rax
.endm
fn _start
mov $60, %eax
syscall
hlt
end _start
fn pushed
push %rbx
six
six
six
pop %rbx
ret
end pushed
fn calling
sub $8, %rsp
call pushed
add $8, %rsp
six
ret
end calling
fn jumping
six
six
test %edi, %edi
je pushed
jmp calling
end jumping
fn keyed
xor %edi, %edi
six
six
ret
end keyed
fn looping
dec %edi
jne looping
ret
end looping
fn blind
push %rbx
jmp *%rax
end blind
.p2align 4, 0x90
.skip 14, 0x90
.globl tiny
.type tiny, @function
tiny: ret
.size tiny, 1
.globl after
.type after, @function
after: six
six
six
ret
.size after, .-after
.section .note.GNU-stack,"",@progbits
"""
GO = '.section .gopclntab,"a",@progbits\n.quad 1\n'
FIXED, MOVABLE = ["-no-pie", "-static"], ["-pie"]


def built(folder, flags=FIXED, code=CODE):
    source, program = folder / "code.s", folder / "program"
    source.write_text(code)
    subprocess.run(["cc", "-nostdlib", *flags, "-o", str(program), str(source)], check=True)
    return program


def spec_of(folder, *operations, image=None):
    component = {"name": "All", "in": list(operations)}
    if image:
        component["image"] = image
    path = folder / "spec.json"
    path.write_text(json.dumps({"schema": "compmond.spec/1", "name": "code", "components": [component]}))
    return path


def checked(*arguments, code=0):
    return json.loads(run("check", "--engine", "in-process", "--json", *arguments, code=code)[0])


def by_name(answer):
    return {operation["name"]: operation for operation in answer["operations"]}


@pytest.mark.parametrize("flags", [FIXED, MOVABLE])
def test_each_function_says_how_it_would_be_patched_or_why_not(tmp_path, flags):
    program = built(tmp_path, flags)
    spec = spec_of(tmp_path, "pushed", "calling", "jumping", "looping", "blind", "tiny", "after")
    answer = checked("--spec", spec, "--exe", program)
    of = by_name(answer)
    kinds = {name: [patch["kind"] for patch in one["patches"]] for name, one in of.items() if one["status"] == "attachable"}
    assert kinds == {"pushed": ["behind-first", "return"], "calling": ["first-call", "return"], "jumping": ["behind-first", "tail-jump"],
                     "after": ["behind-first", "return-with-preceding"]}
    assert (of["pushed"]["site"], of["pushed"]["moved_by"], of["pushed"]["exit_mode"]) == ("jump", 1, "ret-sites")
    assert (of["calling"]["site"], of["calling"]["moved_by"]) == ("call", 4)
    assert len(of["jumping"]["exit_offsets"]) == 2
    assert "jumps back to its start" in of["looping"]["reason"]
    assert "not all ways out of it are known" in of["blind"]["reason"]
    assert "no jump fits at its entry: no room" in of["tiny"]["reason"]
    assert answer["cost_measured"] is True
    assert answer["patching"]["refused"] == 3 == sum(answer["patching"]["refusals"].values())
    assert answer["patching"]["patchable"] == 4 == sum(one["status"] == "attachable" for one in of.values())


def test_the_bytes_that_would_be_written_over_are_those_of_the_function(tmp_path):
    program = built(tmp_path)
    entry, leave = by_name(checked("--spec", spec_of(tmp_path, "pushed"), "--exe", program))["pushed"]["patches"]
    code = program.read_bytes()
    assert code[entry["offset"] - 1] == 0x53 and code[entry["offset"]:][:2] == b"\x48\x05"  # push %rbx; add $…,%rax
    assert (entry["bytes"], entry["instructions"], entry["moved_bytes"], entry["exits"]) == (5, 1, 6, 0)
    assert code[leave["offset"]] == 0xc3 and leave["exits"] == 1


def test_an_argument_that_is_read_is_read_before_it_changes(tmp_path):
    program = built(tmp_path)
    for argument, moved_by in ((1, 0), (2, 2)):
        spec = spec_of(tmp_path, {"symbol": "keyed", "trace_id": {"argument": argument, "type": "pointer"}})
        assert by_name(checked("--spec", spec, "--exe", program))["keyed"]["moved_by"] == moved_by


def test_the_table_says_what_why_and_what_next(tmp_path):
    out, _ = run("check", "--engine", "in-process", "--spec", spec_of(tmp_path, "pushed", "blind"), "--exe", built(tmp_path))
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert any(re.match(r"pushed behind-first \+1 1 return 10 2 [\d.]+ ns uprobe ", line) for line in lines), out
    assert any(line.startswith("blind refused uprobe ") and line.endswith("[1]") for line in lines), out
    for text in ("1 of 2 operations can be patched: 1 entry and 1 exit; 10 bytes written over, 2 instructions executed elsewhere",
                 "1 refused, of which uprobe can observe all", "measured on this machine, where caches are warm", "Nothing was patched: --engine in-process --allow-patching does it"):
        assert text in out, out


def test_where_nothing_can_be_patched_the_exit_code_says_so(tmp_path):
    out, _ = run("check", "--engine", "in-process", "--spec", spec_of(tmp_path, "blind"), "--exe", built(tmp_path), code=65)
    assert "0 of 1 operations can be patched" in out and "A call" not in out


def test_go_code_is_refused(tmp_path):
    answer = checked("--spec", spec_of(tmp_path, "pushed"), "--exe", built(tmp_path, code=CODE + GO), code=65)
    assert "Go" in by_name(answer)["pushed"]["reason"]


@pytest.mark.parametrize("mode, status", [("entry-only", "attachable"), ("return-probe", "refused"), ("ret-sites", "attachable")])
def test_how_exits_are_asked_for_counts(tmp_path, mode, status):
    answer = checked("--spec", spec_of(tmp_path, "pushed"), "--exe", built(tmp_path), "--exit-mode", mode, code=0 if status == "attachable" else 65)
    pushed = by_name(answer)["pushed"]
    assert pushed["status"] == status
    if status == "attachable":
        assert (pushed["exit_mode"], bool(pushed["exit_offsets"])) == (mode, mode == "ret-sites")
        assert answer["cost_measured"] and sum(pushed["cost_ns"].values()) > 0


SQLITE = ("/usr/bin/sqlite3", "libsqlite3.so.0", ["sqlite3_*"], 250)
POSTGRES = ("/usr/lib/postgresql/15/bin/postgres", None, ["re:^(heap|exec|Exec).*", "smgr*"], 500)


@pytest.mark.parametrize("program, image, patterns, least", [SQLITE, POSTGRES])
def test_of_stripped_programs_nearly_all_that_they_export(tmp_path, program, image, patterns, least):
    answer = checked("--spec", spec_of(tmp_path, *patterns, image=image), "--exe", program)
    operations, summed = answer["operations"], answer["patching"]
    assert summed["operations"] == len(operations) >= least
    assert summed["patchable"] >= 0.95 * len(operations)
    assert all(one["reason"] for one in operations if one["status"] == "refused")
    spans = sorted((patch["offset"], patch["offset"] + min(patch["bytes"], 5 if patch["bytes"] < 7 else 2))
                   for one in operations for patch in one.get("patches", []))
    assert all(end <= begin for (_, end), (begin, _) in zip(spans, spans[1:]))
    assert {one["otherwise"]["engine"] for one in operations} == {"uprobe"}
    # Every way out is told of once.
    assert all(sum(patch["exits"] for patch in one["patches"]) == len(one["exit_offsets"]) for one in operations if "patches" in one)


def test_damaged_programs_end_no_plan(tmp_path):
    """Whatever the bytes are, the process that reads them comes back with an answer or an error about the file."""
    whole, rolled = built(tmp_path).read_bytes(), random.Random(28)
    spec = spec_of(tmp_path, {"symbol": "*", "optional": True})
    damaged = tmp_path / "damaged"
    for turn in range(24):
        code = bytearray(whole[:rolled.randrange(64, len(whole))] if turn % 4 == 0 else whole)
        for _ in range(0 if turn % 4 == 0 else 2 ** (turn % 9)):
            code[rolled.randrange(16, len(code))] = rolled.randrange(256)
        damaged.write_bytes(code)
        damaged.chmod(0o755)
        done = subprocess.run([COMPMOND, "check", "--engine", "in-process", "--spec", spec, "--exe", damaged], capture_output=True, check=False, timeout=120)
        err = done.stderr.decode(errors="replace")
        assert done.returncode in (0, 65, 66) and "ended by" not in err and "killed by" not in err, (turn, done.returncode, err)


@pytest.mark.parametrize("arguments", [["--pid", "1"], ["--exe", "/bin/true"], ["--", "/bin/true"]])
def test_a_run_with_the_engine_wants_to_be_allowed_to(arguments):
    _, err = run("--engine", "in-process", "--spec", ROOT / "specs" / "sqlite.json", *arguments, code=64)
    assert "--engine in-process writes into the code of running programs, which nobody allowed" in err
    assert "--allow-patching" in err
    assert "compmond check --engine in-process" in err and "observe with --engine uprobe" in err


def test_help_names_it():
    assert "in-process would patch jumps into functions" in run("check", "--help")[0]
    assert "--allow-patching" not in run("check", "--help")[0]
    assert "in-process patches jumps into functions" in run("--help")[0]


def test_allowing_what_is_not_asked_for_is_an_error():
    _, err = run("--allow-patching", "--engine", "sampling", "--spec", ROOT / "specs" / "sqlite.json", "--pid", "1", code=64)
    assert "--allow-patching does not go with --engine sampling" in err
