# SPDX-License-Identifier: Apache-2.0
"""What the screen takes: to build a frame, by view, number of components and age of the run; and live, under Xvfb, how many
frames come and what they cost. There compmond itself observes the screen: calls of glfwSwapBuffers are frames."""

import contextlib
import os
import pathlib
import subprocess
import threading
import time

import microbench
import observers
import postgres
import stats
from suites import absences, goal, grid
from support import BIN, ROOT, Folder, Profiler

TITLE = "The screen"
NEEDED_FPS = 25
FRAME_MS = 1000 / NEEDED_FPS / 2  # to build one; the other half is for drawing it
LOADS = {"demo": "the bundled file host", "postgresql": "PostgreSQL under pgbench, a client for each processor",
         "postgresql-busy": "PostgreSQL under pgbench, two clients for each processor"}
LIVE_ROUNDS = 3
RASTERISER = "llvmpipe"  # how Mesa names the threads that draw in software
FRAMES = {"schema": "compmond.spec/1", "name": "screen", "components": [
    {"name": "swap", "image": "libglfw.so*", "in": ["glfwSwapBuffers"]},
    {"name": "build", "in": [{"symbol": "compmond::ui::App::frame", "optional": True}]}]}


def built(options):
    """Rows of {"view", "components", "age_s", "us", "vertices"}; "decode" for what happens beside the frames."""
    rows = []
    for row in microbench.medians("bench_screen", options, interleaved=False):  # a run of an age takes long to make
        *name, components, age_s = row["run"].split("/")
        rows.append({"view": name[-1], "components": int(components), "age_s": int(age_s), "us": row["seconds"] * 1e6,
                     **row["counters"]})
    return rows


def cpu_ns(pid):
    """(all but the rasteriser's threads, the rasteriser's) of a process so far."""
    own = drawing = 0
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # a thread that ended
            spent = int((task / "schedstat").read_text().split()[0])
            if (task / "comm").read_text().startswith(RASTERISER):
                drawing += spent
            else:
                own += spent
    return own, drawing


def component(snapshot, name):
    return next(one for one in snapshot["components"] if one["name"] == name)


def watch(profiler, screen, seconds):
    """One stretch of a screen that shows what the profiler observes."""
    with Profiler(FRAMES, "--pid", screen.pid) as frames:
        before, began = (cpu_ns(profiler.pid), cpu_ns(screen.pid)), time.monotonic()
        time.sleep(seconds)
        took = time.monotonic() - began
        after = cpu_ns(profiler.pid), cpu_ns(screen.pid)
        snapshot = frames.finish(end=True)
    length = (snapshot["window"]["end_ns"] - snapshot["window"]["start_ns"]) / 1e9

    def percent(process, part):
        return (after[process][part] - before[process][part]) / took / 1e7

    out = {"fps": component(snapshot, "swap")["calls"] / length, "daemon_pct": percent(0, 0), "screen_pct": percent(1, 0),
           "rasteriser_pct": percent(1, 1)}
    if component(snapshot, "build")["calls"] > 0:
        out["build_us"] = component(snapshot, "build")["mean_ns"] / 1e3
    return out


@contextlib.contextmanager
def demo():
    process = subprocess.Popen([BIN / "filehost"], stdout=subprocess.DEVNULL)
    try:
        yield ROOT / "specs" / "filehost.json", process.pid
    finally:
        process.terminate()
        process.wait()


@contextlib.contextmanager
def postgresql(clients):
    with postgres.Server() as server:
        server.fill()
        stop = threading.Event()

        def work():
            while not stop.is_set():
                server.tps("-n", "-c", str(clients), "-j", "2", "-T", "2")
        load = threading.Thread(target=work)
        load.start()
        try:
            yield postgres.SPEC, server.pid
        finally:
            stop.set()
            load.join()


def live(name, options):
    """Medians of some stretches under one load."""
    seconds = 4 if options.quick else 10
    loads = {"demo": demo, "postgresql": lambda: postgresql(os.cpu_count()),
             "postgresql-busy": lambda: postgresql(2 * os.cpu_count())}
    with loads[name]() as (spec, pid), Folder() as folder:
        with Profiler(spec, "--pid", pid, options=["--listen", folder / "socket"]) as profiler:
            screen = observers.Screen(folder / "socket")
            try:
                time.sleep(2)  # what a start leaves to be done
                rounds = [watch(profiler.process, screen.process, seconds) for _ in range(LIVE_ROUNDS)]
            finally:
                screen.close()
            profiler.finish(end=True)
    return {"load": name, **{key: stats.spread([one[key] for one in rounds]) for key in rounds[0]}}


def measure(options):
    chosen, absent = observers.available([observers.CompmondScreen])
    if not chosen:
        return {"built": [], "live": [], "absent": absent}
    rows = built(options)
    shown = []
    for name in LOADS:
        try:
            shown.append(live(name, options))
        except observers.Absent as reason:
            absent[name] = str(reason)
    return {"built": rows, "live": shown, "absent": absent}


def of_view(suite, view, age_s):
    """[(components, us)] of one view."""
    return sorted((row["components"], row["us"]) for row in suite["built"] if row["view"] == view and row["age_s"] == age_s)


def views(suite):
    return list(dict.fromkeys(row["view"] for row in suite["built"]))


def ages(suite):
    return sorted({row["age_s"] for row in suite["built"]})


def table(suite):
    lines = ["To take an answer in and build a frame of 1280×800 from it, without drawing it: µs of CPU time, median. `decode` is what "
             "another thread of the screen does with each answer.", ""]
    sizes = sorted({row["components"] for row in suite["built"]})
    rows = [[view, f"{age} s", *(f"{us:,.0f}" for _, us in of_view(suite, view, age))]
            for view in views(suite) for age in ages(suite)]
    lines += grid(["view", "age of the run", *(f"{size:,} components" for size in sizes)], rows) if rows else []
    if suite["live"]:
        lines += ["", "Live under Xvfb, 1280×800, the map, the mouse elsewhere: medians (min–max). The main thread's part of drawing in software counts as "
                  "the screen's.", ""]

        def cell(row, key, digits=1):
            one = row.get(key)
            return f"{one['median']:.{digits}f} ({one['min']:.{digits}f}–{one['max']:.{digits}f})" if one else ""
        lines += grid(["load", "frames per second", "µs to build one", "screen, % of a core", "its rasteriser's threads", "daemon"],
                      [[LOADS[row["load"]], cell(row, "fps"), cell(row, "build_us", 0), cell(row, "screen_pct"),
                        cell(row, "rasteriser_pct"), cell(row, "daemon_pct")] for row in suite["live"]])
    return lines + absences(suite)


def goals(suite):
    out = []
    text = "a frame of an hour's run takes as long as one of 10 s (within 1.5 ×)"
    young, old = (ages(suite) + [None, None])[:2]
    grown = [(late / early, f"{view}, {size:,} components") for view in views(suite) if view != "decode" and old
             for (size, early), (_, late) in zip(of_view(suite, view, young), of_view(suite, view, old))]
    worst = max(grown, default=None)
    out.append(goal("frame-age", text, f"{worst[0]:.2f} × ({worst[1]})" if worst else "not measured",
                    worst[0] <= 1.5 if worst else None))
    dearest = max(((row["us"] / 1e3, row["view"]) for row in suite["built"] if row["view"] != "decode"), default=None)
    out.append(goal("frame-dearest", f"any frame with up to 1,000 components: ≤ {FRAME_MS:.0f} ms to build",
                    f"{dearest[0]:.2f} ms ({dearest[1]})" if dearest else "not measured",
                    dearest[0] <= FRAME_MS if dearest else None))
    for name, what in LOADS.items():
        row = next((one for one in suite["live"] if one["load"] == name), None)
        out.append(goal(f"fps-{name}", f"{what}: ≥ {NEEDED_FPS} frames per second",
                        f"{row['fps']['median']:.1f}" if row else "not measured",
                        row["fps"]["median"] >= NEEDED_FPS if row else None))
    return out
