# SPDX-License-Identifier: Apache-2.0
"""What scripts/bench measures, in the order of the report. Each suite has a TITLE and three functions:
measure(options) -> {"rows": [...], "absent": {observer: reason}} makes the measurements, table(suite) -> lines shows them,
goals(suite) -> [goal(...)] holds them against what was asked for."""

import importlib

NAMES = ["calls", "ladder", "programs", "switching", "start", "idle", "screen", "samples", "shares", "counts", "busy", "outside", "inside", "analyses", "patchable", "patched"]


def load(name):
    return importlib.import_module(f"suites.{name}")


def goal(key, text, figure, met):
    """One line of the table of goals; `met` is None where there is no figure. `key` finds the reason of a miss."""
    return {"key": key, "goal": text, "figure": figure, "met": met}


def absences(suite):
    return ["", *(f"Without {name}: {reason}." for name, reason in suite["absent"].items())] if suite["absent"] else []


def grid(head, rows):
    """A Markdown table."""
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(row) + " |" for row in rows)]
