# SPDX-License-Identifier: Apache-2.0
"""A small reader of Kieker's logs, written from the definitions of its records, that checks what it reads, and a writer of
its binary form. It knows nothing of compmond."""

import struct

FLOW = "kieker.common.record.flow.trace."
METADATA = "kieker.common.record.misc.KiekerMetadataRecord"
EXECUTION = "kieker.common.record.controlflow.OperationExecutionRecord"
TRACE = FLOW + "TraceMetadata"
BEFORE = FLOW + "operation.BeforeOperationEvent"
AFTER = FLOW + "operation.AfterOperationEvent"
FAILED = FLOW + "operation.AfterOperationFailedEvent"
# The types of their fields: text, long, int, truth.
RECORDS = {
    METADATA: "tttibltl",
    EXECUTION: "ttllltii",
    TRACE: "llttli",
    BEFORE: "llitt",
    AFTER: "llitt",
    FAILED: "llittt",
}
SIZES = {"l": ">q", "i": ">i", "t": ">i", "b": ">b"}


def unescaped(text):
    out, rest = [], iter(text)
    for c in rest:
        if c == "\\":
            n = next(rest)
            out.append({"n": "\n", "r": "\r"}.get(n, n))
        else:
            out.append(c)
    return "".join(out)


def fields_of(line):
    out, field, escaped = [], "", False
    for c in line:
        if escaped:
            field += {"n": "\n", "r": "\r"}.get(c, c)
            escaped = False
        elif c == "\\":
            escaped = True
        elif c == ";":
            out.append(field)
            field = ""
        else:
            field += c
    return [*out, field]


def read_map(folder):
    out = {}
    for line in (folder / "kieker.map").read_text().split("\n"):
        if line:
            key, value = line.split("=", 1)
            assert key[0] == "$" and int(key[1:]) not in out
            out[int(key[1:])] = unescaped(value)
    return out


def value(kind, text):
    if kind == "t":
        return text
    if kind == "b":
        assert text in ("true", "false")
        return text == "true"
    return int(text)


def read(folder):
    """(type, logged, fields) of each record, in order."""
    names, out = read_map(folder), []
    for file in sorted(folder.iterdir()):
        if file.suffix == ".dat":
            text = file.read_text()
            assert text.endswith("\n")
            for line in text[:-1].split("\n"):
                kind, logged, *fields = fields_of(line)
                name = names[int(kind.removeprefix("$"))]
                assert len(fields) == len(RECORDS[name]), line
                out.append((name, int(logged), [value(k, f) for k, f in zip(RECORDS[name], fields)]))
        elif file.suffix == ".bin":
            data, at = file.read_bytes(), 0

            def take(kind):
                nonlocal at
                got = struct.unpack_from(SIZES[kind], data, at)[0]
                at += struct.calcsize(SIZES[kind])
                return names[got] if kind == "t" else bool(got) if kind == "b" else got

            while at < len(data):
                name = take("t")
                out.append((name, take("l"), [take(kind) for kind in RECORDS[name]]))
            assert at == len(data)
    assert out and out[0][0] == METADATA and out[0][2][6] == "NANOSECONDS"
    return out


def executions(folder):
    """Per trace id the executions in the order of their starts: (eoi, ess, signature, host, session, start, end, failed)."""
    out, traces, open_, orders = {}, {}, {}, {}
    for name, _, f in read(folder):
        if name == EXECUTION:
            out.setdefault(f[2], []).append((f[6], f[7], f[0], f[5], f[1], f[3], f[4], False))
        elif name == TRACE:
            assert f[0] not in traces and f[4:] == [-1, -1]
            traces[f[0]] = f
            open_[f[0]], orders[f[0]] = [], 0
        elif name in (BEFORE, AFTER, FAILED):
            time, trace, order, signature, class_name = f[:5]
            assert order == orders[trace] and class_name and class_name in signature
            orders[trace] += 1
            if name == BEFORE:
                eoi = len(out.setdefault(trace, []))
                open_[trace].append((eoi, len(open_[trace]), signature, time))
                out[trace].append(None)
            else:
                eoi, ess, begun, start = open_[trace].pop()
                assert begun == signature and (name != FAILED or f[5])
                out[trace][eoi] = (eoi, ess, signature, traces[trace][3], traces[trace][2], start, time, name == FAILED)
    assert not any(open_.values())
    return {trace: sorted(of) for trace, of in out.items()}


def write_binary(folder, records):
    """Records as read() gives them, as a binary log."""
    names, data = {}, b""

    def put(kind, of):
        nonlocal data
        if kind == "t":
            of = names.setdefault(of, len(names))
        data += struct.pack(SIZES[kind], of)

    for name, logged, fields in records:
        put("t", name)
        put("l", logged)
        for kind, of in zip(RECORDS[name], fields):
            put(kind, of)
    folder.mkdir(exist_ok=True)
    (folder / "kieker-1.bin").write_bytes(data)
    (folder / "kieker.map").write_text("".join(f"${i}={n}\n" for n, i in names.items()))
    return folder
