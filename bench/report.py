# SPDX-License-Identifier: Apache-2.0
"""From single measurements to medians, ratios and a table."""

import os
import platform
import random
import re
import statistics

GOAL = 1.15  # of the floor, where the probe itself is cheap
GOAL_FUNCTIONS = ("push", "nop5")


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = re.search(r"^model name\s*: (.*)$", file.read(), re.MULTILINE)
    return {"cpu": model.group(1) if model else platform.machine(), "cpus": os.cpu_count(),
            "kernel": platform.release(), "system": platform.platform(), "load_before": os.getloadavg()[0]}


def interval(values, draws=2000):
    """90 % bootstrap interval of the median."""
    chance = random.Random(1)
    medians = sorted(statistics.median(chance.choices(values, k=len(values))) for _ in range(draws))
    return medians[draws // 20], medians[-draws // 20]


def summary(values, floor):
    """Of (wall, CPU) ns per call, one pair per round. A ratio is that of neighbours in time, round by round."""
    out = {}
    for i, clock in enumerate(("wall", "cpu")):
        times = [value[i] for value in values]
        ratios = [time / under[i] for time, under in zip(times, floor)]
        low, high = interval(ratios)
        out[clock] = {"ns": statistics.median(times), "min_ns": min(times), "max_ns": max(times), "rounds": times,
                      "ratio": statistics.median(ratios), "ratio_low": low, "ratio_high": high}
    return out


def summarise(case, measured):
    observers = {name: summary(values, measured["floor"]) for name, values in measured.items()}
    goal = GOAL if case["function"] in GOAL_FUNCTIONS and case["mode"] == "return-probe" else None
    return {**case, "observers": observers, "goal": goal,
            "goal_met": None if goal is None else observers["compmond"]["wall"]["ratio"] <= goal}


def cell(observer):
    if observer is None:
        return "–"
    wall = observer["wall"]
    return (f"{wall['ns']:,.0f} ({wall['min_ns']:,.0f}–{wall['max_ns']:,.0f}) **{wall['ratio']:.2f}** "
            f"[{wall['ratio_low']:.2f}–{wall['ratio_high']:.2f}], CPU {observer['cpu']['ratio']:.2f}")


def markdown(results):
    host = results["machine"]
    lines = ["# What an observed call costs", "",
             f"{host['cpu']}, {host['cpus']} CPUs, Linux {host['kernel']}; {results['rounds']} alternating rounds.", "",
             "ns per call of an empty function (wall time / all calls): median (min–max), **ratio** to the floor "
             "[90 % interval], ratio of the target's CPU time.", "The floor is an empty BPF program at the same place: what the kernel alone takes. "
             "Every run of compmond and bpftrace counted exactly the calls that were made.", ""]
    if host["load_before"] > 0.5:
        lines += [f"**The machine was busy (load {host['load_before']:.1f}) before this began: the wall times, and whether "
                  "a goal is met, mean little; ratios of CPU time suffer less.**", ""]
    names = [name for name in ("none", "floor", "compmond", "bpftrace")
             if any(name in case["observers"] for case in results["calls"])]
    lines += ["| first instruction | exit mode | threads | " + " | ".join(names) + " | goal |",
              "|" + "---|" * (len(names) + 4)]
    for case in results["calls"]:
        goal = "" if case["goal"] is None else f"≤ {case['goal']} {'met' if case['goal_met'] else 'missed'}"
        none = case["observers"]["none"]
        cells = [f"{none['wall']['ns']:,.1f}" if name == "none" else cell(case["observers"].get(name)) for name in names]
        lines.append(f"| {case['function']} | {case['mode']} | {case['threads']} | " + " | ".join(cells) + f" | {goal} |")
    if results["inside"]:
        lines += ["", "# Inside compmond", "", "| step / threads or size | ms per round | M items per second |", "|---|---|---|"]
        for row in results["inside"]:
            rate = f"{row['items_per_second'] / 1e6:,.1f}" if row["items_per_second"] else ""
            lines.append(f"| {row['name']} | {row['ms']:,.4f} | {rate} |")
    return "\n".join(lines) + "\n"
