# SPDX-License-Identifier: Apache-2.0
"""The real screen on a real run with samples: a double click leads to the functions inside a component."""

import os
import pathlib
import subprocess
import sys

import pytest
from desktop import BIN, Screen, temporary_folder, wait_for

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "kernel"))
import support  # noqa: E402

SPEC = {"schema": "compmond.spec/1", "name": "looked into", "components": [{"name": "Worker", "in": ["handle"]}]}
SAMPLING = ("--engine", "sampling", "--samples", "499")
OWN, KERNEL = "#D0674F", "#5F8F98"  # of boxes, by whose code it is
ROW = (90, 87)  # of the only component, in the table of a screen of 1280x800


def colours(path):
    """Colour -> pixels of a PNG."""
    text = subprocess.run(["convert", str(path), "-format", "%c", "histogram:info:"], stdout=subprocess.PIPE, check=True, text=True).stdout
    return {word[:7]: int(line.split(":")[0]) for line in text.splitlines() for word in line.split() if word.startswith("#")}


@pytest.mark.skipif(os.geteuid() != 0, reason="samples are taken as root")
def test_a_double_click_shows_the_functions_of_a_sampled_component(display):
    with temporary_folder() as name, support.Target(BIN / "looked_into", 600) as target, \
            support.Profiler(SPEC, "--pid", target.pid, options=SAMPLING) as profiler:
        folder = pathlib.Path(name)
        target.release()
        path = f"/run/compmond/{profiler.process.pid}.sock"
        with Screen(display, "--connect", path, "--view", "table", folder=folder) as screen:
            screen.ready()

            def boxes():
                """Pixels of own code and of the kernel, in a picture that the screen takes."""
                for old in folder.glob("*.png"):
                    old.unlink()
                screen.key("p")
                picture = wait_for(lambda: list(folder.glob("*.png")), "the picture")[0]
                wait_for(lambda: subprocess.run(["identify", picture], capture_output=True).returncode == 0, "all of it")
                found = colours(picture)
                return found.get(OWN, 0), found.get(KERNEL, 0)

            def inside():
                screen.move(*ROW)
                screen.xdotool("click", "--repeat", "2", "--delay", "60", 1)
                own, kernel = boxes()
                return own > 2_000 and kernel > 200

            assert max(boxes()) < 100
            wait_for(inside, "boxes of the program's own code and of the kernel")
            assert screen.alive()
