# SPDX-License-Identifier: Apache-2.0
"""compmond analyze and export on small logs of the project's own."""

import gzip
import json
import os
import subprocess
import xml.etree.ElementTree

import jsonschema
import pytest
from logs import Call, EPOCH, executions, order, shop, write
from program import COMPMOND, ROOT, analyze, run

SCHEMA = json.loads((ROOT / "specs" / "compmond.analysis-1.schema.json").read_text())
FORMATS = {
    "traces": [], "message-traces": [], "equivalence-classes": [], "matrix": ["svg"], "flame-graph": ["svg"],
    "trace-timing": ["svg"], "sequence": ["svg", "plantuml"], "dependency-graph": ["svg", "plantuml", "dot"],
    "call-tree": ["svg", "plantuml", "dot"], "aggregated-call-tree": ["svg", "plantuml", "dot"],
    "markov": ["svg", "plantuml", "dot"],
}


@pytest.fixture
def log(tmp_path):
    return write(tmp_path / "log", shop())


@pytest.mark.parametrize("report", FORMATS)
def test_every_report_keeps_the_schema(log, report):
    for flags in ([], ["--with-host"], ["--level", "component"], ["--level", "host"]):
        jsonschema.validate(analyze(report, *flags, log), SCHEMA)


@pytest.mark.parametrize("report", FORMATS)
def test_every_report_is_written_in_its_formats(log, tmp_path, report):
    assert run("analyze", "--report", report, "--format", "text", log)[0]
    for format in FORMATS[report]:
        out = tmp_path / f"out.{format}"
        run("analyze", "--report", report, log, "-o", out)
        text = out.read_text()
        if format == "svg":
            assert xml.etree.ElementTree.fromstring(text).tag.endswith("svg")
        elif format == "dot":
            subprocess.run(["dot", "-Tcanon", out], check=True, capture_output=True)
        else:
            assert text.startswith("@start") and text.rstrip().splitlines()[-1].startswith("@end")


def test_other_formats_are_refused_and_named(log):
    _, err = run("analyze", "--report", "traces", "--format", "svg", log, code=64)
    assert "formats text and json" in err


def test_classes_of_the_shop(log):
    classes = analyze("equivalence-classes", log)["classes"]
    assert [(c["cardinality"], c["executions"], c["max_depth"]) for c in classes] == [(6, 6, 2), (2, 3, 1)]


def test_counts_and_times_of_the_shop(log):
    graph = analyze("dependency-graph", "--with-host", log)
    assert {(e["from"], e["to"]): e["count"] for e in graph["edges"]} == {
        (None, "web::shop.web.Shop"): 8, ("web::shop.web.Shop", "web::shop.web.Basket"): 14,
        ("web::shop.web.Shop", "db::shop.store.Stock"): 8, ("web::shop.web.Shop", "web::shop.web.Payment"): 6,
        ("web::shop.web.Payment", "db::shop.store.Accounts"): 6}
    stock = next(e for e in graph["edges"] if e["to"] == "db::shop.store.Stock")
    assert stock["raw_ns"] == {"min": 700_000, "mean": 700_000, "max": 700_000}
    assert {node["host"] for node in graph["nodes"]} == {"web", "db"}


def test_two_logs_of_one_run_give_one_distributed_trace(tmp_path):
    records = executions(order(), 5)
    web = write(tmp_path / "web", [r for r in records if r[5] == "web"])
    db = write(tmp_path / "db", [r for r in records if r[5] == "db"], host="db")
    both = analyze("sequence", "--with-host", web, db)
    assert both["trace"] == 5 and both["log"] == {"traces": 1, "executions": 6, "broken": 0, "repaired": 0,
                                                  "bad_records": 0}
    assert {line.split("::")[0] for line in both["lifelines"]} == {"web", "db"}
    _, err = run("analyze", "--report", "traces", web, code=65)
    assert "no trace that can be used: 1 trace is broken" in err


def test_broken_traces_are_told_left_out_and_mended_on_request(tmp_path):
    records = executions(order(), 1) + executions(order(), 2, EPOCH + 50_000_000)
    del records[2]
    log = write(tmp_path / "log", records)
    out, err = run("analyze", "--report", "traces", "--format", "json", log)
    assert json.loads(out)["broken"] == 1 and len(json.loads(out)["traces"]) == 1
    assert "trace 1: eoi 4 is missing" in err and "--repair" in err
    out, err = run("analyze", "--report", "traces", "--format", "json", "--repair", log)
    assert json.loads(out)["broken"] == 0 and json.loads(out)["log"]["repaired"] == 1
    assert [len(t["executions"]) for t in json.loads(out)["traces"]] == [6, 5]
    assert "repaired" in err


def test_bad_lines_are_told_with_their_place_and_the_rest_is_read(tmp_path):
    log = write(tmp_path / "log", shop(2), lines=["$1;x", "nonsense", "$9;1;2;3"])
    out, err = run("analyze", "--report", "traces", "--format", "json", log)
    assert json.loads(out)["log"]["bad_records"] == 3 and len(json.loads(out)["traces"]) == 2
    for number in (14, 15, 16):
        assert f"kieker-1.dat:{number}: " in err


def test_a_log_of_nothing_but_damage_is_an_error_with_its_place(tmp_path):
    log = write(tmp_path / "log", [], lines=["nonsense"])
    _, err = run("analyze", "--report", "traces", log, code=65)
    assert "kieker-1.dat:2" in err


@pytest.mark.parametrize("command", [["analyze", "--report", "traces"], ["export", "--format", "csv"]])
def test_what_is_no_log_has_its_own_exit_code(tmp_path, command):
    run(*command, tmp_path / "missing", code=66)
    run(*command, tmp_path, code=65)
    (tmp_path / "file").write_text("no log")
    run(*command, tmp_path / "file", code=65)


def test_the_report_of_samples_says_what_it_needs(log):
    assert "several logs" in run("analyze", "--report", "inside", log, log, code=64)[1]
    assert "traces" in run("analyze", "--report", "inside", "--trace", "1", log, code=64)[1]
    assert "text and json" in run("analyze", "--report", "inside", "--format", "svg", log, code=64)[1]
    assert "--report inside" in run("analyze", "--report", "traces", "--component", "A", log, code=64)[1]
    assert "--samples" in run("export", "--format", "folded", "--component", "A", log, code=64)[1]
    no_samples = ROOT / "tests" / "replay" / "logs" / "deep.log"
    for command in ("analyze", "--report", "inside"), ("export", "--format", "folded", "--samples"):
        assert "holds no samples" in run(*command, no_samples, code=65)[1]
        assert "not a regular file" in run(*command, log, code=66)[1]  # Kieker's


def test_a_trace_that_is_not_there_is_an_error(log):
    _, err = run("analyze", "--report", "sequence", "--trace", "999", log, code=66)
    assert "there is no trace 999" in err
    run("analyze", "--report", "sequence", "--class", "3", log, code=66)
    run("analyze", "--report", "sequence", "--class", "1", "--trace", "1", log, code=64)


def test_output_appears_whole_or_not_at_all(log, tmp_path):
    out = tmp_path / "out.json"
    out.write_text("precious")
    run("analyze", "--report", "sequence", "--trace", "999", log, "-o", out, code=66)
    assert out.read_text() == "precious" and os.listdir(tmp_path) in (["log", "out.json"], ["out.json", "log"])
    run("analyze", "--report", "traces", log, "-o", tmp_path / "no" / "out.json", code=73)
    full = subprocess.run([COMPMOND, "analyze", "--report", "traces", log], stdout=open("/dev/full", "wb"),
                          stderr=subprocess.PIPE, text=True)
    assert full.returncode == 73 and "stdout" in full.stderr


def test_output_is_packed_where_its_name_says_so(log, tmp_path):
    """Twice, as what is packed does not depend on when; and the name before .gz chooses the format as ever."""
    for name, command in (("chrome.json.gz", ["export", "--format", "chrome"]), ("graph.svg.gz", ["analyze", "--report", "dependency-graph"])):
        run(*command, log, "-o", tmp_path / name)
        run(*command, log, "-o", tmp_path / name.removesuffix(".gz"))
        packed = (tmp_path / name).read_bytes()
        assert gzip.decompress(packed) == (tmp_path / name.removesuffix(".gz")).read_bytes()
        run(*command, log, "-o", tmp_path / name)
        assert (tmp_path / name).read_bytes() == packed


def test_a_log_goes_to_kieker_and_back(log, tmp_path):
    run("export", "--format", "kieker", log, "-o", tmp_path / "copy")
    for report in ("traces", "dependency-graph", "aggregated-call-tree"):
        assert analyze(report, log) == analyze(report, tmp_path / "copy")
    run("export", "--format", "kieker", log, "-o", tmp_path / "copy", code=73)
    run("export", "--format", "kieker", log, code=64)


def test_exports_of_a_log(log):
    events = json.loads(run("export", "--format", "chrome", log)[0])["traceEvents"]
    assert sum(e["ph"] == "X" for e in events) == 42
    rows = run("export", "--format", "csv", log)[0].splitlines()
    assert len(rows) == 43 and rows[1].startswith("1,0,0,web,")
    folded = run("export", "--format", "folded", log)[0].splitlines()
    profile = json.loads(run("export", "--format", "speedscope", log)[0])["profiles"][0]
    raw = analyze("aggregated-call-tree", log)["root"]["raw_ns"]
    assert sum(int(line.rsplit(" ", 1)[1]) for line in folded) == sum(profile["weights"]) == raw
    assert "chrome" in run("export", "--format", "perfetto", log, code=64)[1]


def test_exports_of_a_snapshot(tmp_path):
    verdict = COMPMOND.parent / "spec_verdict"
    snapshot = tmp_path / "snapshot.json"
    snapshot.write_bytes(subprocess.run([verdict, "--snapshot"], check=True, capture_output=True).stdout)
    parts = json.loads(snapshot.read_text())["components"]
    rows = run("export", "--format", "csv", snapshot)[0].splitlines()
    assert len(rows) == 1 + len(parts) + sum(len(p["operations"]) for p in parts)
    run("export", "--format", "svg", snapshot, "-o", tmp_path / "graph.svg")
    assert xml.etree.ElementTree.parse(tmp_path / "graph.svg").getroot().tag.endswith("svg")
    assert "single executions" in run("export", "--format", "chrome", snapshot, code=64)[1]
    (tmp_path / "bad.json").write_text("{}")
    assert "bad.json" in run("export", "--format", "csv", tmp_path / "bad.json", code=65)[1]


def test_a_pipe_is_no_log_and_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert "not a regular file" in run("export", "--format", "csv", tmp_path / "pipe", code=66)[1]


def test_self_calls_are_edges_on_request(tmp_path):
    call = Call("void a.C.f()", 100, Call("void a.C.g()", 50))
    log = write(tmp_path / "log", executions(call, 1))
    edges = [(e["from"], e["to"]) for e in analyze("dependency-graph", log)["edges"]]
    assert edges == [(None, "a.C")]
    edges = [(e["from"], e["to"]) for e in analyze("dependency-graph", "--self-calls", log)["edges"]]
    assert edges == [(None, "a.C"), ("a.C", "a.C")]
