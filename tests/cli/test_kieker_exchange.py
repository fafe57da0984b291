# SPDX-License-Identifier: Apache-2.0
"""Logs of Kieker in all their forms, there and back: read by a reader of the test's own, and by compmond."""

import bz2
import collections
import gzip
import json
import lzma
import shutil
import tarfile
import zipfile
import zlib

import kieker_log
import pytest
from logs import EPOCH, shop, write
from program import ROOT, analyze, run

REPORTS = ["traces", "equivalence-classes", "dependency-graph", "aggregated-call-tree", "markov", "matrix"]
FORMATS = ["kieker", "kieker-binary", "kieker-events", "kieker-events-binary"]


@pytest.fixture
def log(tmp_path):
    return write(tmp_path / "log", one_host())


def one_host():
    """The shop on one host and in one session per trace, which event records can tell."""
    return [(*record[:5], "web", *record[6:]) for record in shop()]


def recorded():
    """A log of compmond's own in which executions ended by exceptions."""
    return ROOT / "tests" / "replay" / "logs" / "exception.log"


def figures(log, report, *flags):
    out = analyze(report, *flags, log)
    return {key: value for key, value in out.items() if key not in ("schema", "log")}




@pytest.mark.parametrize("format", FORMATS)
def test_what_is_written_is_what_was_read(log, tmp_path, format):
    _, err = run("export", "--format", format, log, "-o", tmp_path / "out")
    assert err == ""
    theirs = {}
    for signature, session, trace, start, end, host, eoi, ess in one_host():
        theirs.setdefault(trace, []).append((eoi, ess, signature, host, session, start, end, False))
    assert kieker_log.executions(tmp_path / "out") == {trace: sorted(of) for trace, of in theirs.items()}
    for report in REPORTS:
        assert figures(tmp_path / "out", report) == figures(log, report), report


@pytest.mark.parametrize("format", ["kieker-events", "kieker-events-binary"])
@pytest.mark.parametrize("name", ["exception", "longjmp", "siglongjmp", "thread_exit", "deep", "mutual_tail"])
def test_a_recorded_log_comes_back_with_what_failed(tmp_path, format, name):
    ours = ROOT / "tests" / "replay" / "logs" / f"{name}.log"
    run("export", "--format", format, ours, "-o", tmp_path / "out")
    read = kieker_log.executions(tmp_path / "out")
    before, after = figures(ours, "traces"), figures(tmp_path / "out", "traces")
    assert len(before["traces"]) == len(after["traces"]) == len(read) > 0
    failed = 0
    by_id = {trace["id"]: trace for trace in after["traces"]}
    for one in before["traces"]:
        other = by_id[one["id"]]
        assert one["session"] == other["session"]
        keys = ("eoi", "ess", "host", "start_ns", "end_ns", "failed")
        assert [[e[k] for k in keys] for e in one["executions"]] == [[e[k] for k in keys] for e in other["executions"]]
        assert [(e["eoi"], e["ess"], e["start_ns"], e["end_ns"], e["failed"]) for e in one["executions"]] == \
            [(e[0], e[1], e[5], e[6], e[7]) for e in read[one["id"]]]
        failed += sum(e["failed"] for e in one["executions"])
    assert failed > 0 or name in ("deep", "mutual_tail")
    for report in REPORTS[1:]:
        # Kieker's logs do not say what probes cost.
        one, other = (json.dumps(figures(log, report, "--raw-costs")) for log in (ours, tmp_path / "out"))
        assert numbers(one) == numbers(other), report


def numbers(text):
    """All numbers of a document in its order: names change where Kieker takes others."""
    out = []
    json.loads(text, parse_int=lambda n: out.append(n), parse_float=lambda n: out.append(n))
    return out


def test_failed_executions_that_a_format_cannot_tell_are_told_of(tmp_path):
    _, err = run("export", "--format", "kieker", recorded(), "-o", tmp_path / "out")
    assert "failed, which only event records (kieker-events) can tell" in err


PACKED = {
    "dat.gz": gzip.compress, "gz": gzip.compress, "dat.xz": lzma.compress, "xz": lzma.compress, "dat.bz2": bz2.compress,
    "deflate": zlib.compress, "df": zlib.compress,
}


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("ending", PACKED)
def test_files_may_be_packed(log, tmp_path, ending, binary):
    folder = tmp_path / "plain"
    if binary:
        kieker_log.write_binary(folder, kieker_log.read(log))
    else:
        shutil.copytree(log, folder)
    file = next(f for f in folder.iterdir() if f.suffix in (".dat", ".bin"))
    if binary and ending.startswith("dat."):
        ending = ending.replace("dat", "bin")
    (folder / f"kieker-1.{ending}").write_bytes(PACKED[ending.replace("bin", "dat")](file.read_bytes()))
    file.unlink()
    assert figures(folder, "traces") == figures(log, "traces")


@pytest.mark.parametrize("ending", ["zip", "tar", "tar.gz", "tar.xz"])
def test_a_whole_log_may_be_an_archive(log, tmp_path, ending):
    archive = tmp_path / f"log.{ending}"
    files = sorted(log.iterdir(), reverse=True)
    if ending == "zip":
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
            for file in files:
                out.write(file, f"log/{file.name}")
    else:
        with tarfile.open(archive, "w:" + ending[4:]) as out:
            for file in files:
                out.add(file, f"log/{file.name}")
    assert figures(archive, "traces") == figures(log, "traces")


def test_zips_as_kieker_writes_them(log, tmp_path):
    folder = tmp_path / "zipped"
    folder.mkdir()
    shutil.copy(log / "kieker.map", folder)
    with zipfile.ZipFile(folder / "kieker-20240517-083000-UTC-001.zip", "w", zipfile.ZIP_DEFLATED) as out:
        out.write(log / "kieker-1.dat", "/tmp/kieker/kieker-20240517-083000-UTC-001.zip.dat")
    assert figures(folder, "traces") == figures(log, "traces")


def test_a_bomb_is_not_unpacked(log, tmp_path):
    folder = tmp_path / "bomb"
    shutil.copytree(log, folder)
    packer = zlib.compressobj(9)
    zeros = b"\n" * (16 << 20)
    bomb = b"".join(packer.compress(zeros) for _ in range(20)) + packer.flush()
    (folder / "kieker-2.df").write_bytes(bomb)
    _, err = run("analyze", "--report", "traces", "--format", "json", folder)
    assert "kieker-2.df: it becomes more than 300 times as large as it is" in err


def test_damaged_packing_is_told_and_the_rest_read(log, tmp_path):
    folder = tmp_path / "damaged"
    shutil.copytree(log, folder)
    (folder / "kieker-2.dat.gz").write_bytes(gzip.compress((log / "kieker-1.dat").read_bytes())[:20])  # before its first record
    (folder / "kieker-3.dat.xz").write_bytes(b"nothing of the kind")
    out, err = run("analyze", "--report", "traces", "--format", "json", folder)
    assert "kieker-2.dat.gz" in err and "kieker-3.dat.xz" in err
    assert json.loads(out)["traces"]


def test_binary_records_of_unknown_length_end_their_file_only(log, tmp_path):
    folder = kieker_log.write_binary(tmp_path / "binary", kieker_log.read(log))
    names = (folder / "kieker.map").read_text().splitlines()
    (folder / "kieker.map").write_text("\n".join([*names, f"${len(names)}=com.example.OwnRecord"]) + "\n")
    (folder / "kieker-0.bin").write_bytes(len(names).to_bytes(4, "big") + bytes(8) + b"who knows")
    out, err = run("analyze", "--report", "traces", "--format", "json", folder)
    assert "the length of a OwnRecord is not known" in err and "kieker-0.bin, byte 0" in err
    assert json.loads(out)["traces"] == analyze("traces", log)["traces"]


def test_records_of_no_trace_are_counted_by_type(log, tmp_path):
    with (log / "kieker.map").open("a") as map_:
        map_.write("$9=kieker.common.record.system.CPUUtilizationRecord\n")
    with (log / "kieker-1.dat").open("a") as data:
        data.write(f"$9;{EPOCH};{EPOCH};web;0;0;0;0;0;0;0;0\n" * 3)
    _, err = run("analyze", "--report", "traces", "--format", "json", log)
    assert "records that belong to no trace were skipped: 3 CPUUtilizationRecord" in err


@pytest.mark.parametrize("lines,why", [
    (["$1;1;void C.f();s;-1;1;2;host;-1;-1"], "neither order nor depth"),
    (["$3;1;1;7;0;void C.f();C", "$4;1;2;7;1;void C.f();C"], "it has no TraceMetadata"),
    (["$9;1;2"], "kieker.map does not name the record type $9"),
    ([], "no execution ended in it"),
])
def test_a_log_without_a_usable_trace_is_an_error(tmp_path, lines, why):
    folder = write(tmp_path / "log", [], lines=lines)
    with (folder / "kieker.map").open("a") as map_:
        map_.write(f"$3={kieker_log.BEFORE}\n$4={kieker_log.AFTER}\n")
    for command in (["analyze", "--report", "traces"], ["export", "--format", "csv"], ["replay", "--headless"]):
        _, err = run(*command, folder, code=65)
        assert why in err, (command, err)


def test_what_repair_mends_is_what_is_said(tmp_path):
    folder = write(tmp_path / "log", one_host(), lines=[
        "$1;1;void C.f();s;99;1;2;host;3;0",     # its eoi 0 is missing: can be mended
        "$2;1;98;1;s;host;98;-1", "$4;1;5;98;0;void C.f();C",   # ends what never began: nothing to mend
    ])
    with (folder / "kieker.map").open("a") as map_:
        map_.write(f"$2={kieker_log.TRACE}\n$3={kieker_log.BEFORE}\n$4={kieker_log.AFTER}\n")
    _, err = run("analyze", "--report", "traces", "--format", "json", folder)
    assert "2 traces are broken and left out (compmond analyze --repair mends 1 of them)" in err
    out, err = run("analyze", "--report", "traces", "--format", "json", "--repair", folder)
    assert json.loads(out)["log"]["repaired"] == 1
    assert "1 trace is broken and left out; nothing is known of executions that could be mended" in err


def test_a_part_of_the_time(log):
    everything = analyze("traces", log)["traces"]
    begin = EPOCH

    def ids(*flags):
        return [trace["id"] for trace in analyze("traces", *flags, log)["traces"]]

    def expected(start, end):
        return [t["id"] for t in everything if t["start_ns"] < end and t["end_ns"] >= start]

    assert len(everything) == 8 and ids() == expected(0, 1 << 63)
    assert 0 < len(expected(begin + 20_000_000, begin + 45_000_000)) < 8
    assert ids("--from", "0.02", "--to", "0.045") == expected(begin + 20_000_000, begin + 45_000_000)
    stamp = "2023-11-14T22:13:20.045Z"  # EPOCH + 45 ms
    assert ids("--from", stamp) == expected(begin + 45_000_000, 1 << 63)
    csv = run("export", "--format", "csv", "--to", "0.02", log)[0].splitlines()
    assert {int(line.split(",")[0]) for line in csv[1:]} == set(expected(0, begin + 20_000_000))
    _, err = run("analyze", "--report", "traces", "--from", "1000", log, code=65)
    assert "none of its 8 traces is of the time between --from and --to" in err
    for command in (["analyze", "--report", "traces"], ["export", "--format", "csv"]):
        _, err = run(*command, "--from", "2", "--to", "1", log, code=64)
        assert "--to is not after --from" in err
    _, err = run("analyze", "--report", "traces", "--from", "soon", log, code=64)
    assert "is not a time" in err


def test_stacks_of_a_trace_that_is_too_deep_for_them_are_refused_and_nothing_is_left(tmp_path):
    """Each stack names all its frames: a square of the depth."""
    log, depth = tmp_path / "deep", 20_000
    log.mkdir()
    (log / "kieker.map").write_text(f"$1={kieker_log.EXECUTION}\n")
    (log / "kieker-1.dat").write_text("".join(
        f"$1;{EPOCH + 9 * depth};void p.Deep.f{i}();s;7;{EPOCH + i};{EPOCH + 9 * depth - i};h;{i};{i}\n" for i in reversed(range(depth))))
    for command in (["export", "--format", "folded"], ["export", "--format", "speedscope"], ["analyze", "--report", "flame-graph"]):
        out = tmp_path / "out.txt"
        _, err = run(*command, log, "-o", out, code=65)
        assert "cannot write the call tree as stacks" in err and "more than 100,000,000" in err
    assert [entry.name for entry in tmp_path.iterdir()] == ["deep"]


def test_every_view_of_a_replay_takes_it(log, tmp_path):
    out = tmp_path / "snapshot.json"
    _, err = run("replay", "--headless", log, "--snapshot", out)
    snapshot = json.loads(out.read_text())
    graph = {(e["from"], e["to"]): e["count"] for e in analyze("dependency-graph", log)["edges"]}
    assert {(e["from"], e["to"]): e["count"] for e in snapshot["edges"]} == graph
    assert sum(c["calls"] for c in snapshot["components"]) == len(one_host())
    assert snapshot["health"]["balanced"] and snapshot["health"]["lost"] == 0


def test_a_replay_of_several_hosts_has_the_calls_between_them(tmp_path):
    log, out = write(tmp_path / "log", shop()), tmp_path / "snapshot.json"
    hosts = {record[5] for record in shop()}
    assert len(hosts) > 1
    run("replay", "--headless", log, "--snapshot", out)
    snapshot = json.loads(out.read_text())
    assert {c["name"] for c in snapshot["components"] if "/" not in c["name"]} == hosts

    def class_of(path):
        return path and path.rsplit("/", 1)[-1]

    edges, real, books, callers = (collections.Counter() for _ in range(4))
    for edge in snapshot["edges"]:
        edges[class_of(edge["from"]), class_of(edge["to"])] += edge["count"]
    assert edges == {(e["from"], e["to"]): e["count"] for e in analyze("dependency-graph", log)["edges"]}
    for part in snapshot["components"]:
        if "/" in part["name"]:
            real[class_of(part["name"])] += part["real_ns"]
    for signature, _, trace, start, end, _, eoi, ess in sorted(shop(), key=lambda record: (record[2], record[6])):
        callers[trace, ess] = name = signature.split("(")[0].split()[-1].rsplit(".", 1)[0]
        books[name] += end - start
        if ess:
            books[callers[trace, ess - 1]] -= end - start
    assert real == books


def test_a_replay_keeps_what_failed(tmp_path):
    run("export", "--format", "kieker-events", recorded(), "-o", tmp_path / "kieker")
    for log in (recorded(), tmp_path / "kieker"):
        run("replay", "--headless", log, "--snapshot", tmp_path / f"{log.name}.json")
    ours, theirs = (json.loads((tmp_path / f"{name}.json").read_text()) for name in (recorded().name, "kieker"))

    def total(snapshot, *ends):
        return sum(c["closed"][end] for c in snapshot["components"] for end in ends)

    without_return = ("abandoned", "thread_exit", "exec", "lossy")
    assert total(ours, "returned") == total(theirs, "returned")
    assert total(ours, *without_return) == total(theirs, *without_return) == total(theirs, "failed") > 0
    for key in ("calls", "real_ns", "raw_ns"):
        assert sorted(c[key] for c in ours["components"]) == sorted(c[key] for c in theirs["components"])
