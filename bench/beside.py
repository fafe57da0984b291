# SPDX-License-Identifier: Apache-2.0
"""A program under load, looked at by compmond and by perf at the same time: the same clock, the same rule."""

import dataclasses
import sys
import time

from agreement import ELSEWHERE, Agreement, shares_of_estimates, shares_of_samples
from perf_stacks import Operations, Perf, Unreadable
from support import Folder, Profiler


@dataclasses.dataclass
class Beside:
    load: object
    snapshot: dict
    samples: list  # perf's, but for those around slices, as compmond's samples do not tell of them either
    agreement: Agreement
    names: dict

    def row(self):
        """What both agree on, for a table."""
        worst, pair = self.agreement.worst()
        window, health = self.snapshot["window"], self.snapshot["health"]["samples"]
        lost = sum(sample.lost for sample in self.samples)
        return {"load": self.load.name, "seconds": (window["end_ns"] - window["start_ns"]) / 1e9, "samples": health["taken"],
                "perf_samples": len(self.samples), "perf_lost": 100 * lost / len(self.samples), "compared": len(self.agreement.pairs), "z": abs(pair.z),
                "z_of": self.name(worst), "points": 100 * pair.difference, "chi2": self.agreement.chi2_per_df(),
                "rank": self.agreement.rank_correlation(), "ranked": len(self.agreement.ranked()),
                "elsewhere": 100 * health["elsewhere_cpu_ns"][0] / health["cpu_ns"]}

    def name(self, key):
        return "elsewhere" if key is ELSEWHERE else self.names.get(key, key)


# Samples are left out from before probes come until they are gone; a slice is the time in which all are there. Slices that lost
# records, which are few, are in no list: their time is among perf's samples.
COMING_NS, GOING_NS = 10_000_000, 30_000_000


def within(slices, time_ns):
    return any(one["start_ns"] - COMING_NS <= time_ns < one["end_ns"] + GOING_NS for one in slices)


def beside_perf(load, options, seconds, meanwhile=lambda profiler: None):
    """`meanwhile` is called with the profiler at the end of that time."""
    with Folder() as folder, Perf(folder) as perf:
        with Profiler(load.spec, *load.target(), options=options) as profiler:
            time.sleep(seconds)
            meanwhile(profiler)
            snapshot = profiler.finish(end=True)
        perf.stop()
        operations, window = Operations(snapshot), snapshot["window"]
        samples = perf.samples(load.pid, operations, window["start_ns"], window["end_ns"])
    slices = snapshot["health"].get("slices", [])
    samples = [sample for sample in samples if not within(slices, sample.time_ns)]
    known = [(sample.time_ns, sample.key) for sample in samples if not sample.lost]
    agreement = Agreement(shares_of_estimates(snapshot, operations.key), shares_of_samples(known), (snapshot["health"]["samples"]["taken"], len(known)))
    names = {operations.key(one): one["name"] for component in snapshot["components"] for one in component["operations"]}
    out = Beside(load, snapshot, samples, agreement, names)
    print(f"{load.name}:\n{agreement.text(out.name)}", file=sys.stderr)
    return out


def patiently(*arguments):
    """The same, once more where perf cannot read what it wrote."""
    try:
        return beside_perf(*arguments)
    except Unreadable as reason:
        print(f"{arguments[0].name}: once more, since perf said: {reason}", file=sys.stderr)
        return beside_perf(*arguments)
