# SPDX-License-Identifier: Apache-2.0
"""Whether two samplers of the same time agree: on-CPU shares of operations from compmond's estimates and from perf's samples.

Both chose moments of one and the same time, so the error of each is that of its choice of moments (docs/decisions/0006): of
compmond what its interval says, of perf the binomial one, widened where neighbouring samples are alike."""

import collections
import dataclasses
import math

ELSEWHERE = None  # the key of what is below no operation
REST = "rest"  # of all operations with too few samples to be held against each other
BLOCK_NS = 100e6  # longer than any phase of perf's timers lasts (perf_stacks.py)
ENOUGH = 5  # samples that both sides must expect
RANKED = 0.01  # of all time, from which on an operation's rank counts


@dataclasses.dataclass
class Share:
    """Of all time on a CPU, with its standard error."""
    value: float
    error: float


@dataclasses.dataclass
class Pair:
    ours: Share
    theirs: Share

    @property
    def difference(self):
        return self.ours.value - self.theirs.value

    @property
    def z(self):
        return apart(self.ours, self.theirs)

    @property
    def mean(self):
        return (self.ours.value + self.theirs.value) / 2


def apart(a, b):
    """The difference of two shares, in standard errors."""
    return (a.value - b.value) / math.hypot(a.error, b.error)


def shares_of_estimates(snapshot, key_of):
    """Key -> Share, of what a snapshot estimates; `key_of` says which key an operation has."""
    whole = snapshot["health"]["samples"]["cpu_ns"]
    told = [(key_of(operation), operation["estimated"]["cpu_ns"]) for component in snapshot["components"]
            for operation in component["operations"] if "estimated" in operation]
    told.append((ELSEWHERE, snapshot["health"]["samples"]["elsewhere_cpu_ns"]))
    sums = collections.defaultdict(lambda: [0.0, 0.0])
    for key, (value, low, high) in told:
        sums[key][0] += value / whole
        sums[key][1] += ((high - low) / 2 / 1.96 / whole) ** 2
    return {key: Share(value, math.sqrt(variance)) for key, (value, variance) in sums.items()}


def blocks(samples):
    """(time_ns, key)... -> a Counter of keys for each stretch of time."""
    out = collections.defaultdict(collections.Counter)
    for time_ns, key in samples:
        out[time_ns // BLOCK_NS][key] += 1
    return list(out.values())


def shares_of_samples(samples):
    """Key -> Share, of (time_ns, key)... of one weight. The error is that of clusters (Cochran, Sampling Techniques, 9A.2), where it is
    above that of single samples."""
    n, of = len(samples), blocks(samples)
    out = {}
    for key, k in collections.Counter(key for _, key in samples).items():
        p = k / n
        alone = p * (1 - p) / n
        clustered = sum((block[key] - p * block.total()) ** 2 for block in of) / n**2
        out[key] = Share(p, math.sqrt(max(alone, clustered)))
    return out


def ranks(values):
    """The mean rank where several are alike."""
    order = sorted(values)
    return [(order.index(value) + len(order) - 1 - order[::-1].index(value)) / 2 for value in values]


def spearman(xs, ys):
    """Their rank correlation; 1 where there is nothing to be ranked."""
    if len(xs) < 2:
        return 1.0
    rx, ry, middle = ranks(xs), ranks(ys), (len(xs) - 1) / 2
    up = sum((x - middle) * (y - middle) for x, y in zip(rx, ry))
    down = math.sqrt(sum((x - middle) ** 2 for x in rx) * sum((y - middle) ** 2 for y in ry))
    return up / down if down else 1.0


class Agreement:
    """`count`: how many samples there are of each side, for what it may be asked of."""

    def __init__(self, ours, theirs, counts):
        none = Share(0.0, 0.0)
        expected = {key: (ours.get(key, none).value + theirs.get(key, none).value) / 2 * min(counts) for key in {*ours, *theirs}}
        self.pairs = {key: Pair(ours.get(key, none), theirs.get(key, none)) for key, n in expected.items() if n >= ENOUGH}
        left = [key for key in expected if key not in self.pairs]
        rest = Pair(*(together([side[key] for key in left if key in side]) for side in (ours, theirs)))
        if rest.mean * min(counts) >= ENOUGH:
            self.pairs[REST] = rest

    def worst(self):
        """(key, Pair) of the largest difference in standard errors."""
        return max(self.pairs.items(), key=lambda item: abs(item[1].z))

    def chi2_per_df(self):
        """Of two samples in these classes; a class's z² overstates its part by 1/(1-p)."""
        return sum(pair.z**2 * (1 - pair.mean) for pair in self.pairs.values()) / max(1, len(self.pairs) - 1)

    def ranked(self):
        return {key: pair for key, pair in self.pairs.items() if key not in (ELSEWHERE, REST) and pair.mean >= RANKED}

    def rank_correlation(self):
        of = self.ranked().values()
        return spearman([pair.ours.value for pair in of], [pair.theirs.value for pair in of])

    def out_of_order(self, errors=3):
        """Two keys each, which both sides tell apart, by so many standard errors, and not in the same order. Unlike a rank, this
        leaves it open which of two that are alike comes first."""
        of = list(self.ranked().items())
        return {frozenset((a, b)) for i, (a, x) in enumerate(of) for b, y in of[:i]
                if min(abs(apart(x.ours, y.ours)), abs(apart(x.theirs, y.theirs))) > errors
                and (apart(x.ours, y.ours) > 0) != (apart(x.theirs, y.theirs) > 0)}

    def text(self, name=str, most=12):
        """The operations with the most time, and the worst one."""
        chosen = sorted(self.pairs, key=lambda key: -self.pairs[key].mean)[:most]
        chosen += [key for key in (self.worst()[0],) if key not in chosen]
        return "\n".join(f"{name(key):40} compmond {100 * pair.ours.value:6.2f} ± {100 * pair.ours.error:.2f} %, perf "
                         f"{100 * pair.theirs.value:6.2f} ± {100 * pair.theirs.error:.2f} %, z {pair.z:+.1f}"
                         for key, pair in ((key, self.pairs[key]) for key in chosen))


def together(shares):
    """Those of which nothing was seen add nothing, though each of them alone might be something."""
    seen = [share for share in shares if share.value > 0]
    return Share(sum(share.value for share in seen), math.sqrt(sum(share.error**2 for share in seen)))
