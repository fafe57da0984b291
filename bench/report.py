# SPDX-License-Identifier: Apache-2.0
"""The results of a run as Markdown."""

import goals
import machine
import suites


def goals_of(results):
    return [one for name, suite in results["suites"].items() for one in suites.load(name).goals(suite)]


def outcome(one):
    return {True: "met", False: "**missed**", None: "–"}[one["met"]]


def goal_table(results):
    rows = []
    for one in goals_of(results):
        why = goals.reason(one["key"]) if one["met"] is False else ""
        rows.append([one["goal"], one["figure"], outcome(one), why])
    return suites.grid(["goal", "measured", "", "why, and what next"], rows)


def suite_section(results, name):
    suite = results["suites"][name]
    module = suites.load(name)
    again = suite.get("again")
    later = [f"Measured again, later than the rest of this page: {machine.sentence(again)}. {suite['again_rounds']} rounds, "
             f"{again['began']}.", "", *machine.warning(again)] if again else []
    return [f"## {module.TITLE}", "", *later, *module.table(suite), ""]


def head(results):
    of = results["machine"]
    quick = ["**A quick look (few rounds, few calls): not a result.**", ""] if results["quick"] else []
    return [f"{machine.sentence(of)}. {results['rounds']} alternating rounds, {of['began']}.", "", *quick,
            *machine.warning(of)]


def markdown(results):
    lines = ["# What compmond costs", "", *head(results), "## Goals", "", *goal_table(results), ""]
    for name in results["suites"]:
        lines += suite_section(results, name)
    return "\n".join(lines)
