# SPDX-License-Identifier: Apache-2.0
"""Whether times of busy servers are right under the default budget: shares of the CPU time beside perf's samples of the same time."""

import counted_loads
import loads
import observers
from beside import patiently
from suites import absences, goal, grid

TITLE = "Times of busy servers beside perf"
LONG, QUICK = 40, 10
BUDGET = 5  # %, the default
MOST_Z = 3.5


def measure(options):
    rows, absent = [], {}
    try:
        loads.needed("perf", "readelf")
    except observers.Absent as reason:
        return {"rows": [], "absent": {"all of it": str(reason)}}
    for kind in [one for one in counted_loads.ALL if one.name not in options.without]:
        try:
            with kind() as load:
                loads.settle()
                beside = patiently(load, ("--max-overhead", BUDGET), QUICK if options.quick else LONG)
                rows.append({**beside.row(), "slices": beside.snapshot["health"].get("sliced", {}).get("taken", 0)})
        except observers.Absent as reason:
            absent[kind.name] = str(reason)
    return {"rows": rows, "absent": absent}


def table(suite):
    lines = [f"Servers under load below `compmond` as it is by default (a budget of {BUDGET} %), and `perf record -a` at the same time, as in *Samples beside perf*. "
             "Samples within slices are left out on both sides.", ""]
    return lines + grid(["load", "slices", "samples", "perf's", "of these lost", "compared", "largest difference", "χ²/df", "rank correlation"],
                        [[row["load"], f"{row['slices']:,}", f"{row['samples']:,}", f"{row['perf_samples']:,}", f"{row['perf_lost']:.1f} %", f"{row['compared']}",
                          f"{row['points']:+.2f} points, {row['z']:.1f} standard errors: `{row['z_of']}`", f"{row['chi2']:.2f}",
                          f"{row['rank']:.3f} of {row['ranked']}"] for row in suite["rows"]]) + absences(suite)


def goals(suite):
    text = f"busy servers beside perf: each share within {MOST_Z} standard errors"
    if not suite["rows"]:
        return [goal("shares-z", text, "not measured", None)]
    worst = max(suite["rows"], key=lambda row: row["z"])
    return [goal("shares-z", text, f"{worst['z']:.1f}: {worst['load']}", worst["z"] <= MOST_Z)]
