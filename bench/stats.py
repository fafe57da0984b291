# SPDX-License-Identifier: Apache-2.0
"""From single measurements to medians, ratios with an interval, and straight lines."""

import math
import random
import statistics

LEVEL = 0.95  # of every interval


def interval(values, draws=2000):
    """Bootstrap interval of the median."""
    chance = random.Random(1)
    medians = sorted(statistics.median(chance.choices(values, k=len(values))) for _ in range(draws))
    cut = int(draws * (1 - LEVEL) / 2)
    return medians[cut], medians[-1 - cut]


def spread(values):
    return {"median": statistics.median(values), "min": min(values), "max": max(values), "rounds": list(values)}


def ratio(values, bases):
    """Of neighbours in time, round by round: what both share of the machine's mood cancels out."""
    ratios = [value / base for value, base in zip(values, bases)]
    low, high = interval(ratios)
    return {"ratio": statistics.median(ratios), "low": low, "high": high}


def line(xs, ys):
    """Least squares: y = slope * x + start, and Pearson's r."""
    x_mean, y_mean = statistics.mean(xs), statistics.mean(ys)
    xx = sum((x - x_mean) ** 2 for x in xs)
    yy = sum((y - y_mean) ** 2 for y in ys)
    xy = sum((x - x_mean) * (y - y_mean) for x, y in zip(xs, ys))
    slope = xy / xx
    return {"slope": slope, "start": y_mean - slope * x_mean, "r": xy / math.sqrt(xx * yy) if yy > 0 else 0.0}


def show(of, form=".2f"):
    """A ratio with its interval, as text."""
    return f"{of['ratio']:{form}} [{of['low']:{form}}–{of['high']:{form}}]"
