# SPDX-License-Identifier: Apache-2.0
"""How perf's stacks are read, and when two samplers agree."""

import pathlib
import random
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "kernel"))
from agreement import ELSEWHERE, REST, Agreement, Share, blocks, shares_of_estimates, shares_of_samples, spearman  # noqa: E402
from perf_stacks import Key, Operations, code_segments, functions, read  # noqa: E402

PERIOD_NS = 5_000_000


class Ranges:
    """Operations by their places in a file."""

    def __init__(self, image, ranges):
        self.image, self.ranges = image, ranges

    def find(self, image, offset):
        return next((Key(image, start) for start, end in self.ranges if image == self.image and start <= offset < end), None)


SCRIPT = """\
    8     1.000000001: 
\tffffffff81000000 ([kernel.kallsyms])
\t            5110 ([unknown])
\t             110 (/bin/a b)
\t             210 (/bin/a b)

    8     1.000000002: 
\t             11f (/bin/other)
\t             120 (/bin/a b)
\t             22f (/bin/a b)

    9     3.000000000: 
\t             200 (/bin/a b)

    9     3.000000001: 
\tffffffff81000000 ([kernel.kallsyms])

    9     3.000000002: 
\t             200 (/bin/a b)
\t             300 (/bin/a b)

    9     3.000000003: 
\t             200 (/bin/a b)
\t             300 ([unknown])

"""


def test_a_stack_belongs_to_its_innermost_operation():
    found = read(SCRIPT.splitlines(keepends=True), Ranges("/bin/a b", [(0x110, 0x120), (0x210, 0x230)]))
    inner, outer = Key("/bin/a b", 0x110), Key("/bin/a b", 0x210)
    assert [tuple(sample) for sample in found] == [
        (1_000_000_001, 8, inner, False), (1_000_000_002, 8, outer, False), (3_000_000_000, 9, None, True),
        (3_000_000_001, 9, None, False), (3_000_000_002, 9, None, False), (3_000_000_003, 9, None, True)]


def test_functions_are_found_where_they_are_in_the_file():
    python = str(pathlib.Path(sys.executable).resolve())
    name, address, size = next(row for row in functions(python) if row[0] == "PyObject_Repr")
    snapshot = {"components": [{"operations": [{"image": python, "symbol": name}]}]}
    operations = Operations(snapshot)
    key = operations.key(snapshot["components"][0]["operations"][0])
    [offset] = [address - vaddr + start for vaddr, start, length in code_segments(python) if vaddr <= address < vaddr + length]
    assert key == Key(python, offset) == operations.find(python, offset) == operations.find(python, offset + size - 1)
    assert operations.find(python, offset - 1) is None and operations.find(python, offset + size) is None
    assert operations.find("/other", offset) is None


def draw(chance, shares, n):
    """(time_ns, key)... of one busy CPU."""
    keys = chance.choices(list(shares), list(shares.values()), k=n)
    return [(i * PERIOD_NS, key) for i, key in enumerate(keys)]


def agreement_of(one, other):
    return Agreement(shares_of_samples(one), shares_of_samples(other), (len(one), len(other)))


def test_samples_of_the_same_time_agree_and_others_do_not():
    chance, same = random.Random(5), {f"f{i}": 2.0 ** -i for i in range(1, 9)}
    found = [agreement_of(draw(chance, same, 4000), draw(chance, same, 3000)) for _ in range(100)]
    assert sum(abs(pair.z) < 1.96 for one in found for pair in one.pairs.values()) == pytest.approx(0.95 * 100 * len(found[0].pairs), rel=0.03)
    assert sum(one.chi2_per_df() for one in found) / 100 == pytest.approx(1, abs=0.15)
    other = agreement_of(draw(chance, same, 4000), draw(chance, {**same, "f2": 0.33}, 3000))
    assert other.worst()[0] == "f2" and abs(other.worst()[1].z) > 3.5 and other.chi2_per_df() > 1.5


def test_neighbours_that_are_alike_count_once():
    alone = draw(random.Random(6), {"a": 1, "b": 1}, 4000)
    lockstep = [(time_ns + cpu * 1000, key) for time_ns, key in alone for cpu in range(4)]
    assert len(blocks(lockstep)) == 200
    assert shares_of_samples(lockstep)["a"].error == pytest.approx(shares_of_samples(alone)["a"].error, rel=0.15)
    assert shares_of_samples(lockstep)["a"].error > 1.7 * (0.25 / 16000) ** 0.5


def test_what_is_seldom_is_taken_together():
    ours = shares_of_samples(draw(random.Random(7), {"a": 90, **{f"f{i}": 0.03 for i in range(300)}}, 1000))
    found = Agreement(ours, ours, (1000, 1000))
    assert set(found.pairs) == {"a", REST}
    assert sum(pair.ours.value for pair in found.pairs.values()) == pytest.approx(1)
    assert found.worst()[1].z == 0


def test_ranks_correlate():
    assert spearman([1, 2, 3], [10, 20, 30]) == 1 and spearman([1, 2, 3], [3, 2, 1]) == -1
    assert spearman([1, 2, 2, 3], [1, 2, 2, 3]) == 1 and spearman([1], [2]) == 1
    assert spearman([1, 2, 3, 4], [1, 3, 2, 4]) == pytest.approx(0.8)


def test_order_counts_where_both_tell_two_apart():
    """a is 20 %, b 10 %, and c, as far as is known, like b."""
    ours, other = ({key: Share(value, 0.01) for key, value in zip("abc", values)} for values in ((0.20, 0.10, 0.11), (0.21, 0.11, 0.10)))
    assert not Agreement(ours, other, (1000, 1000)).out_of_order()
    turned = {"a": Share(0.10, 0.01), "b": Share(0.20, 0.01), "c": Share(0.11, 0.01)}
    assert Agreement(ours, turned, (1000, 1000)).out_of_order() == {frozenset("ab")}


def test_estimates_become_shares_with_the_error_that_their_interval_tells():
    def operation(symbol, value, half):
        return {"image": "i", "symbol": symbol, "estimated": {"cpu_ns": [value, value - half, value + half]}}
    snapshot = {"health": {"samples": {"cpu_ns": 1000, "elsewhere_cpu_ns": [100, 100, 100]}},
                "components": [{"operations": [operation("f", 300, 19.6), operation("alias", 200, 0), operation("g", 400, 0)]}]}
    shares = shares_of_estimates(snapshot, lambda one: {"alias": "f"}.get(one["symbol"], one["symbol"]))
    assert shares == {"f": Share(pytest.approx(0.5), pytest.approx(0.01)), "g": Share(0.4, 0.0), ELSEWHERE: Share(0.1, 0.0)}
