# SPDX-License-Identifier: Apache-2.0
"""Holds the estimates of a sampled run of tests/targets/truth against the books that the program keeps of itself.

usage: truth.py [RUNS [SECONDS]]    prints the comparison: 20 runs of 5 s unless given.
What follows ± is a standard error."""

import dataclasses
import math
import os
import sys

from support import TARGETS, Profiler, Target, component

SECONDS = 5
OUTSIDE = "outside"  # of all operations, in the books
# Books say when an operation is entered and left; stacks say who is on them. Where the two differ by definition:
OTHERWISE = {"op_sort": "its comparisons' first and last instructions, before and after their books",
             "op_compare": "likewise, which fall to op_sort",
             OUTSIDE: "what the threads do beside, mostly the switch to sleep, which a timer does not see"}


@dataclasses.dataclass
class Pair:
    """One figure of one run, in ns: booked, estimated, and its interval."""
    booked: float
    value: float
    low: float
    high: float

    @property
    def standard_error(self):
        return (self.high - self.low) / 2 / 1.96

    @property
    def holds(self):
        return self.low <= self.booked <= self.high


def read_books(text):
    """Operation -> (own_cpu, own_off, all_cpu, all_off)."""
    return {words[0]: tuple(map(int, words[1:])) for words in map(str.split, text.splitlines()) if len(words) == 5}


def truth_spec():
    with Target(TARGETS / "truth", "0") as target:
        names = [name for name in read_books(target.finish()[0]) if name != OUTSIDE]
    components = [{"name": name, "in": [name] + (["op_throw_booked"] if name == "op_throw" else [])} for name in names]
    return {"schema": "compmond.spec/1", "name": "truth", "components": components}


def run_once(spec, seconds=SECONDS, options=("--engine", "sampling", "--samples", "199")):
    """(books, snapshot) of one run."""
    with Target(TARGETS / "truth", str(seconds)) as target, \
            Profiler(spec, "--pid", target.pid, options=options) as profiler:
        out, status = target.finish()
        assert status == 0, status
        return read_books(out), profiler.finish()


def pairs_of(books, snapshot):
    """Operation -> {"cpu", "off", "raw"} -> Pair."""
    out = {}
    for name, (own_cpu, own_off, all_cpu, all_off) in books.items():
        if name == OUTSIDE:
            continue
        estimated = component(snapshot, name)["estimated"]
        out[name] = {"cpu": Pair(own_cpu, *estimated["cpu_ns"]), "off": Pair(own_off, *estimated["waiting_ns"]),
                     "raw": Pair(all_cpu + all_off, *estimated["raw_ns"])}
    return out


def sums_of(books, snapshot):
    """{"cpu", "off"} -> (booked, estimated) of all operations and of what is outside of them."""
    parts = [component(snapshot, name)["estimated"] for name in books if name != OUTSIDE]
    health = snapshot["health"]["samples"]
    return {"cpu": (sum(book[0] for book in books.values()), sum(p["cpu_ns"][0] for p in parts) + health["elsewhere_cpu_ns"][0]),
            "off": (sum(book[1] for book in books.values()),
                    sum(p["waiting_ns"][0] for p in parts) + health["elsewhere_waiting_ns"][0])}


class Comparison:
    """Of several runs."""

    def __init__(self):
        self.runs = []  # (books, pairs)
        self.sums = []

    def add(self, books, snapshot):
        self.runs.append((books, pairs_of(books, snapshot)))
        self.sums.append(sums_of(books, snapshot))

    def names(self):
        return list(self.runs[0][1])

    def all(self, kind, without=()):
        return [pairs[name][kind] for _, pairs in self.runs for name in pairs if name not in without]

    def share_error(self, name):
        """Mean of estimated less booked on-CPU share, in points."""
        errors = []
        for books, pairs in self.runs:
            booked = sum(book[0] for book in books.values())
            errors.append(100 * (pairs[name]["cpu"].value - pairs[name]["cpu"].booked) / booked)
        return sum(errors) / len(errors)

    def mean_share_error(self):
        """Mean of the errors' sizes over components and runs, in points."""
        errors = []
        for books, pairs in self.runs:
            booked = sum(book[0] for book in books.values())
            errors += [100 * abs(pair["cpu"].value - pair["cpu"].booked) / booked for pair in pairs.values()]
        return sum(errors) / len(errors)

    def bias(self, name, kind):
        """Of all runs together, relative."""
        booked = sum(pairs[name][kind].booked for _, pairs in self.runs)
        return sum(pairs[name][kind].value for _, pairs in self.runs) / booked - 1 if booked else 0.0

    def bias_error(self, name, kind):
        """The standard error of the bias."""
        booked = sum(pairs[name][kind].booked for _, pairs in self.runs)
        return math.sqrt(sum(pairs[name][kind].standard_error ** 2 for _, pairs in self.runs)) / booked if booked else 0.0

    def sum_error(self, kind):
        """Of all that was estimated, relative to all that was booked."""
        return sum(sums[kind][1] for sums in self.sums) / sum(sums[kind][0] for sums in self.sums) - 1

    def holding(self, kind, without=()):
        """Share of the intervals that hold."""
        pairs = self.all(kind, without)
        return sum(pair.holds for pair in pairs) / len(pairs)

    def text(self):
        lines = [f"{len(self.runs)} runs; on-CPU shares: mean error {self.mean_share_error():.2f} points; intervals that hold: "
                 f"own on CPU {self.holding('cpu'):.3f} ({self.holding('cpu', OTHERWISE):.3f} without {', '.join(OTHERWISE)}), "
                 f"own off CPU {self.holding('off'):.3f}, raw {self.holding('raw'):.3f}; all together: CPU time "
                 f"{100 * self.sum_error('cpu'):+.1f} %, waiting {100 * self.sum_error('off'):+.1f} %; load {os.getloadavg()[0]:.1f}"]
        for name in self.names():
            own = [pairs[name]["cpu"] for _, pairs in self.runs]
            spread = math.sqrt(sum((pair.value - pair.booked) ** 2 for pair in own) / len(own))
            lines.append(f"  {name:16} cpu booked {own[0].booked / 1e6:8.1f} ms, error {self.share_error(name):+.2f} points, "
                         f"rms {spread / 1e6:6.1f} ms; off CPU bias {100 * self.bias(name, 'off'):+6.1f} % ± "
                         f"{100 * self.bias_error(name, 'off'):.1f}; raw {100 * self.bias(name, 'raw'):+6.1f} %")
        return "\n".join(lines)


if __name__ == "__main__":
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    seconds = int(sys.argv[2]) if len(sys.argv) > 2 else SECONDS
    compared, the_spec = Comparison(), truth_spec()
    for number in range(runs):
        compared.add(*run_once(the_spec, seconds))
        print(f"run {number + 1} of {runs}", file=sys.stderr)
    print(compared.text())
