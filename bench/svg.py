# SPDX-License-Identifier: Apache-2.0
"""Line and bar charts as SVG: axes, a legend, nothing else."""

import html
import math

WIDTH, HEIGHT = 760, 380
LEFT, RIGHT, TOP, BOTTOM = 70, 170, 46, 56
# By Okabe and Ito: they differ for every kind of sight.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#999999")


class Axis:
    """Values to pixels, and where its ticks are."""

    def __init__(self, values, start, end, log, zero=False):
        self.log = log
        low, high = min(values), max(values)
        if log:
            self.low, self.high = math.floor(math.log10(low)), math.ceil(math.log10(high) - 1e-9)
            self.high = max(self.high, self.low + 1)
            self.ticks = [10.0**power for power in range(self.low, self.high + 1)]
        else:
            low = min(0, low) if zero or low < 0 or low < 0.5 * high else low
            step = nice_step((high - low) or abs(high) or 1)
            self.low, self.high = math.floor(low / step) * step, math.ceil(high / step) * step
            if self.high == self.low:
                self.high += step
            count = round((self.high - self.low) / step)
            self.ticks = [self.low + step * i for i in range(count + 1)]
        self.start, self.end = start, end

    def at(self, value):
        inner = math.log10(max(value, 1e-300)) if self.log else value
        share = (inner - self.low) / (self.high - self.low)
        return self.start + min(1, max(0, share)) * (self.end - self.start)


def nice_step(span):
    power = 10.0 ** math.floor(math.log10(span / 5))
    return next(power * factor for factor in (1, 2, 5, 10) if span / (power * factor) <= 6)


def number(value):
    if value == 0:
        return "0"
    if abs(value) >= 1000:
        for size, unit in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
            if abs(value) >= size:
                return f"{value / size:.3g}{unit}"
    return f"{value:.3g}"


def text(x, y, what, anchor="middle", size=12, colour="#333", turn=None):
    turned = f' transform="rotate({turn} {x:.1f} {y:.1f})"' if turn else ""
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{colour}"{turned}>'
            f"{html.escape(str(what))}</text>")


def frame(title, y_axis, y_label, x_label, names):
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif">',
             f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
             text(LEFT, 24, title, "start", 15, "#111"),
             text(18, (TOP + HEIGHT - BOTTOM) / 2, y_label, turn=-90),
             text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, x_label)]
    for tick in y_axis.ticks:
        y = y_axis.at(tick)
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(text(LEFT - 6, y + 4, number(tick), "end"))
    for i, name in enumerate(names):
        y = TOP + 10 + 20 * i
        parts.append(f'<rect x="{WIDTH - RIGHT + 14}" y="{y - 9}" width="12" height="12" fill="{COLOURS[i % len(COLOURS)]}"/>')
        parts.append(text(WIDTH - RIGHT + 32, y + 2, name, "start"))
    return parts


def lines(title, x_label, y_label, series, log_x=False, log_y=False, ticks=None):
    """`series`: {name: [(x, y)]}. `ticks`: where the x axis has numbers, else where it likes."""
    xs = [x for points in series.values() for x, _ in points]
    ys = [y for points in series.values() for _, y in points]
    x_axis = Axis(xs, LEFT, WIDTH - RIGHT, log_x)
    if ticks:
        x_axis.ticks = ticks
        ends = [math.log10(x) for x in (min(xs), max(xs))] if log_x else [min(xs), max(xs)]
        x_axis.low, x_axis.high = ends
    y_axis = Axis(ys, HEIGHT - BOTTOM, TOP, log_y, zero=True)
    parts = frame(title, y_axis, y_label, x_label, series)
    for tick in x_axis.ticks:
        parts.append(text(x_axis.at(tick), HEIGHT - BOTTOM + 18, number(tick)))
    for i, points in enumerate(series.values()):
        colour = COLOURS[i % len(COLOURS)]
        path = " ".join(f"{x_axis.at(x):.1f},{y_axis.at(y):.1f}" for x, y in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x_axis.at(x):.1f}" cy="{y_axis.at(y):.1f}" r="3" fill="{colour}"/>' for x, y in points]
    return "\n".join([*parts, "</svg>", ""])


def bars(title, y_label, groups, log_y=False):
    """`groups`: {label: {name: (value, low, high)}}; the ends of the interval are drawn as a whisker."""
    names = list(dict.fromkeys(name for of in groups.values() for name in of))
    values = [value for of in groups.values() for triple in of.values() for value in triple]
    y_axis = Axis(values, HEIGHT - BOTTOM, TOP, log_y, zero=True)
    parts = frame(title, y_axis, y_label, "", names)
    wide = (WIDTH - RIGHT - LEFT) / len(groups)
    bar = wide * 0.8 / len(names)
    for i, (label, of) in enumerate(groups.items()):
        left = LEFT + i * wide + wide * 0.1
        parts.append(text(left + wide * 0.4, HEIGHT - BOTTOM + 18, label))
        for name, (value, low, high) in of.items():
            k = names.index(name)
            x, y = left + k * bar, y_axis.at(value)
            middle = x + bar / 2
            parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{bar * 0.9:.1f}" height="{HEIGHT - BOTTOM - y:.1f}" '
                         f'fill="{COLOURS[k % len(COLOURS)]}"/>')
            parts.append(f'<line x1="{middle:.1f}" x2="{middle:.1f}" y1="{y_axis.at(low):.1f}" y2="{y_axis.at(high):.1f}" '
                         'stroke="#333"/>')
    return "\n".join([*parts, "</svg>", ""])
