# SPDX-License-Identifier: Apache-2.0
"""Line and bar charts as SVG text. The same figures give the same bytes: no date, no random names."""

import io

import matplotlib
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter

# By Okabe and Ito: they differ for every kind of sight.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#999999")
STYLE = {
    "svg.fonttype": "none", "svg.hashsalt": "compmond", "font.family": "sans-serif", "font.size": 9,
    "axes.prop_cycle": matplotlib.cycler(color=COLOURS), "axes.spines.left": False, "axes.spines.right": False,
    "axes.spines.top": False, "axes.edgecolor": "#dddddd", "axes.grid": True, "axes.grid.axis": "y", "axes.axisbelow": True,
    "axes.titlelocation": "left", "axes.titlesize": 11, "axes.labelcolor": "#333333", "grid.color": "#dddddd",
    "xtick.color": "#333333", "ytick.color": "#333333", "xtick.major.size": 0, "ytick.major.size": 0, "xtick.minor.size": 0,
    "ytick.minor.size": 0, "legend.frameon": False, "lines.linewidth": 1.5, "lines.markersize": 4,
    "axes.autolimit_mode": "round_numbers", "axes.xmargin": 0, "axes.ymargin": 0,  # axes end at ticks
}


def number(value, _=None):
    for size, unit in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if abs(value) >= size:
            return f"{value / size:.3g}{unit}"
    return f"{value:.3g}"


def chart(title, x_label, y_label, draw):
    """The SVG of one pair of axes on which draw(axes) has drawn what has labels."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(7.6, 3.8), layout="constrained")
        axes = figure.add_subplot()
        draw(axes)
        axes.set(title=title, xlabel=x_label, ylabel=y_label)
        axes.yaxis.set_major_formatter(FuncFormatter(number))
        axes.yaxis.set_minor_formatter(NullFormatter())
        if axes.get_yscale() == "linear":
            axes.update_datalim([(axes.dataLim.x0, 0)])
            axes.autoscale_view(scalex=False)
        axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return out.getvalue()


def lines(title, x_label, y_label, series, log_x=False, log_y=False, ticks=None):
    """`series`: {name: [(x, y)]}. `ticks`: where the x axis has numbers, else where it likes."""
    def draw(axes):
        if log_x:
            axes.set_xscale("log")
        if log_y:
            axes.set_yscale("log")
        for name, points in series.items():
            axes.plot(*zip(*points), marker="o", clip_on=False, label=name)
        if ticks:
            axes.set_xlim(min(ticks), max(ticks))
            axes.set_xticks(ticks)
        axes.xaxis.set_major_formatter(FuncFormatter(number))
        axes.xaxis.set_minor_formatter(NullFormatter())

    return chart(title, x_label, y_label, draw)


def bars(title, y_label, groups, log_y=False):
    """`groups`: {label: {name: (value, low, high)}}; the ends of the interval are drawn as a whisker."""
    names = list(dict.fromkeys(name for of in groups.values() for name in of))
    width = 0.8 / len(names)

    def draw(axes):
        if log_y:
            axes.set_yscale("log")
        for k, name in enumerate(names):
            there = [(i + k * width, *of[name]) for i, of in enumerate(groups.values()) if name in of]
            x, value, low, high = zip(*there)
            whiskers = [[v - l for v, l in zip(value, low)], [h - v for v, h in zip(value, high)]]
            axes.bar(x, value, 0.9 * width, yerr=whiskers, ecolor="#333333", error_kw={"elinewidth": 1}, label=name)
        axes.set_xlim(-width, len(groups) - width)
        axes.set_xticks([i + (len(names) - 1) * width / 2 for i in range(len(groups))], list(groups))

    return chart(title, "", y_label, draw)
