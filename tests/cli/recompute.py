# SPDX-License-Identifier: Apache-2.0
"""Figures computed anew from nothing but an exported CSV. No code and no order of computing is compmond's: callers follow
from times, not from eoi and ess, and everything is added up execution by execution."""

import collections
import csv
import io


class Execution:
    def __init__(self, row):
        self.trace, self.eoi, self.ess = int(row["trace"]), int(row["eoi"]), int(row["ess"])
        self.host, self.session = row["host"], row["session"]
        self.component, self.name = row["component"], row["operation"]
        self.operation = f"{self.component}.{self.name}"
        self.start, self.end = int(row["start_ns"]), int(row["end_ns"])
        self.told_real, self.told_raw, self.failed = int(row["real_ns"]), int(row["raw_ns"]), row["failed"] == "1"
        self.caller, self.called = None, []

    raw = property(lambda self: self.end - self.start)
    real = property(lambda self: self.raw - sum(c.raw for c in self.called))

    def below(self):
        one = self.caller
        while one:
            yield one
            one = one.caller


def clip(start, end, window):
    return max(0, min(end, window[1]) - max(start, window[0]))


class Recomputation:
    """Of a CSV: `traces`, each a list of its executions by start."""

    def __init__(self, text):
        rows = list(csv.DictReader(io.StringIO(text)))
        self.all = [Execution(row) for row in rows]
        traces = collections.defaultdict(list)
        for one in self.all:
            traces[one.trace].append(one)
        self.traces = [sorted(of, key=lambda e: (e.start, -e.end, e.eoi)) for of in traces.values()]
        for trace in self.traces:
            around = []
            for one in trace:
                while around and (around[-1].end <= one.start or around[-1].end < one.end):
                    around.pop()
                if around:
                    one.caller = around[-1]
                    around[-1].called.append(one)
                around.append(one)

    def differences(self):
        """Where the CSV contradicts what follows from its times."""
        out = []
        for trace in self.traces:
            for i, one in enumerate(trace):
                found = (i, len(list(one.below())), one.raw, one.real)
                if found != (one.eoi, one.ess, one.told_raw, one.told_real):
                    out.append((one.trace, one.eoi, found))
        return out

    def edges(self, level):
        """(from, to) -> (count, least, mean, most)."""
        raw = collections.defaultdict(list)
        for one in self.all:
            to = getattr(one, level)
            by = getattr(one.caller, level) if one.caller else None
            if by != to or level == "operation":
                raw[by, to].append(one.raw)
        return {key: (len(of), min(of), sum(of) // len(of), max(of)) for key, of in raw.items()}

    def classes(self):
        """How many traces have each control flow."""
        def shape(one):
            return one.operation, tuple(shape(c) for c in one.called)
        return collections.Counter(tuple(shape(e) for e in trace if not e.caller) for trace in self.traces)

    def tree(self):
        """Path of operations -> (count, raw, real)."""
        out = collections.defaultdict(lambda: [0, 0, 0])
        for one in self.all:
            path = tuple(e.operation for e in [*reversed(list(one.below())), one])
            for i, value in enumerate((1, one.raw, one.real)):
                out[path][i] += value
        return {path: tuple(of) for path, of in out.items()}

    def markov(self):
        """(message, next message) -> count."""
        out = collections.Counter()

        def messages(one):
            by = one.caller.operation if one.caller else "$"
            yield f"{by} -> {one.operation}"
            for called in one.called:
                yield from messages(called)
            yield f"{by} <-- {one.operation}"

        for trace in self.traces:
            all_ = [m for one in trace if not one.caller for m in messages(one)]
            out.update(zip(all_, all_[1:]))
        return out

    def window(self, start, end, passes=lambda e: True, ended=False):
        """Per component: calls, open, raw, real, ended; `ended`: nothing is later than the window."""
        out = collections.defaultdict(lambda: collections.Counter())
        for one in self.all:
            if not passes(one):
                continue
            of = out[one.component]
            begins = start <= one.start < end
            of["calls"] += begins
            of["open"] += one.start < end <= one.end and not ended
            of["ended"] += start <= one.end < end or (ended and one.end >= start)
            raw = clip(one.start, one.end, (start, end))
            of["real_ns"] += raw - sum(clip(c.start, c.end, (start, end)) for c in one.called)
            if not any(e.component == one.component and passes(e) for e in one.below()):
                of["raw_ns"] += raw
        return out
