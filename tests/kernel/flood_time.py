# SPDX-License-Identifier: Apache-2.0
"""By hand, as root: for how long probes slow a sudden load, and one that is there when they come. python3 flood_time.py [RUNS]"""

import statistics
import subprocess
import sys

import support
from support import BIN, Profiler, Target

SPEC = support.spec(["flood", "rare"])
DEFAULT = ["--max-overhead", "5"]


def sudden():
    """ms in which a load was slow that began in an observed program."""
    with Target(BIN / "flooded", 500, 1500) as target:
        with Profiler(SPEC, "--pid", target.pid, options=DEFAULT) as profiler:
            out = target.finish()[0]
            profiler.finish()
    return int(out.split()[-1])


def from_the_start():
    """Likewise of a command that is nothing but load."""
    with Profiler(SPEC, "--", BIN / "flooded", 0, 1500, options=DEFAULT, wait=False) as profiler:
        profiler.finish()
        return next(int(line) for line in profiler.stdout.decode().splitlines() if line.isdigit())


def tell(name, values):
    print(f"{name}: {len(values)} runs, median {statistics.median(values):.0f} ms, {min(values)} to {max(values)} ms")


if __name__ == "__main__":
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    tell("sudden load", [sudden() for _ in range(runs)])
    tell("load from the start", [from_the_start() for _ in range(runs)])
    subprocess.run(["uptime"], check=False)
