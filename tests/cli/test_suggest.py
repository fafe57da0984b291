# SPDX-License-Identifier: Apache-2.0
"""compmond suggest without privileges: what is refused, and drafts of files that nobody runs."""

import json
import os
import shutil
import subprocess

import pytest
from program import BUILD, run

FILEHOST = BUILD / "bin" / "filehost"


def test_help_tells_what_it_does():
    out = run("suggest", "--help")[0]
    for words in ("draft a spec", "--pid", "--exe", "--output", "--seconds", "--no-look", "--interactive", "Examples:"):
        assert words in out


@pytest.mark.parametrize("flags, why", [
    ([], "no target"),
    (["--pid", "1", "--exe", "/bin/true"], "more than one kind of target"),
    (["--pid", "1", "--user", "root"], "choose among the processes of --exe"),
    (["--exe", FILEHOST, "--seconds", "0.5"], "--seconds"),
    (["--exe", FILEHOST, "--seconds", "601"], "--seconds"),
    (["--exe", FILEHOST, "--interactive"], "stdin is no terminal"),
])
def test_what_makes_no_sense_is_refused(flags, why):
    out, err = run("suggest", *flags, code=64)
    assert why in err and out == ""


def test_a_file_that_cannot_be_written_is_told_before_anything_is_looked_at():
    out, err = run("suggest", "--pid", os.getpid(), "-o", "/nowhere/draft.json", code=73)
    assert "cannot write '/nowhere/draft.json'" in err and "samples" not in err and out == ""


@pytest.mark.parametrize("target, code", [(["--pid", str(2**22 - 1)], 66), (["--exe", "/nowhere/app"], 66)])
def test_a_target_that_is_not_there_is_told(target, code):
    assert run("suggest", *target, code=code)[0] == ""


def test_a_file_that_is_no_program_is_told(tmp_path):
    (tmp_path / "text").write_text("no program")
    assert "text" in run("suggest", "--exe", tmp_path / "text", code=65)[1]


def test_a_draft_of_code_alone_resolves(tmp_path):
    draft = tmp_path / "draft.json"
    err = run("suggest", "--exe", FILEHOST, "--no-look", "-o", draft)[1]
    assert "from names and calls in the code alone" in err
    spec = json.loads(draft.read_text())
    assert {"HTTPServer", "UploadManager", "FileHandler"} <= {one["name"] for one in spec["components"]}
    assert set(spec["build_ids"]) == {"filehost", "libfilehost.so.1"}
    checked = json.loads(run("check", "--spec", draft, "--exe", FILEHOST, "--json")[0])
    assert checked


def test_without_a_file_the_draft_is_on_stdout_alone():
    out, err = run("suggest", "--exe", FILEHOST, "--no-look")
    assert json.loads(out)["schema"] == "compmond.spec/1" and "components" not in err


def test_a_program_without_names_is_told_where_names_come_from(tmp_path):
    shutil.copy(shutil.which("sleep"), tmp_path / "nameless")
    subprocess.run(["strip", tmp_path / "nameless"], check=True)
    out, err = run("suggest", "--exe", tmp_path / "nameless", "--no-look", code=65)
    assert "no function of" in err and "it is stripped" in err and "dbgsym" in err and out == ""


def test_names_of_any_bytes_make_a_spec_that_resolves(tmp_path):
    odd = ["odd*", "odd?", "odd@x", "odd+0x10", "re:odd", 'odd"quote', "odd\\\\", "odd\x1b", "odd\u2028", "odd" + "y" * 5000, "odd\u00e9"]
    work = "{ for (volatile int i = 0; i < x; i++) x ^= i * 31 + x / (i + 1); return x; }"
    functions = "".join(f"__attribute__((noinline)) int f{i}(int x) {work}\n" for i in range(len(odd)))
    (tmp_path / "odd.c").write_text(functions + "int main(int c, char **v) { return " + " + ".join(f"f{i}(c)" for i in range(len(odd))) + "; }\n")
    subprocess.run(["cc", "-O1", "-o", tmp_path / "plain", tmp_path / "odd.c"], check=True)
    subprocess.run(["objcopy", *(f"--redefine-sym=f{i}={name}" for i, name in enumerate(odd)), tmp_path / "plain", tmp_path / "odd"], check=True)
    draft = tmp_path / "draft.json"
    run("suggest", "--exe", tmp_path / "odd", "--no-look", "-o", draft)
    run("check", "--spec", draft, "--exe", tmp_path / "odd")
    operations = [one for component in json.loads(draft.read_text())["components"] for one in component["in"]]
    assert 'odd"quote' in operations
