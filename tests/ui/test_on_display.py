# SPDX-License-Identifier: Apache-2.0
"""The real screen on a display of its own, talking to a played daemon: keys, mouse, files, endings."""

import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess

import pytest
import desktop
from desktop import Daemon, Display, Screen, picture_size, temporary_folder, wait_for

START = 1_000_000_000_000  # of the played run
NOBODY = 65534


@pytest.fixture
def folder():
    with temporary_folder() as path:
        yield pathlib.Path(path)


@pytest.fixture
def daemon(folder):
    with Daemon(folder) as made:
        yield made


@pytest.fixture
def screen(display, daemon, folder):
    with Screen(display, "--connect", daemon.path, "--view", "Table", folder=folder) as made:
        made.ready()
        # It asks again when it has an answer: by then there is something to click on.
        wait_for(lambda: len(daemon.requests()) >= 4, "answered requests")
        yield made


def live(request):
    return request["window"]["last_s"] > 0


def fixed(request):
    return request["window"]["end_ns"] > 0


def ask(daemon, request):
    """What the daemon answers to a client of ours."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(daemon.path))
        stream = connection.makefile("rw")
        stream.readline()
        stream.write(json.dumps({"request": "view", **request}) + "\n")
        stream.flush()
        return json.loads(stream.readline())


@pytest.mark.parametrize("view", ["map", "timing", "table", "inside", "traces", "sequence", "trace timing", "call tree", "dependencies",
                                  "markov", "health"])
@pytest.mark.parametrize("size", ["800x600", "1280x800", "2560x1440"])
def test_every_view_is_drawn_in_every_size(display, daemon, folder, view, size):
    picture = folder / "picture.png"
    with Screen(display, "--connect", daemon.path, "--view", view, "--screenshot", picture, folder=folder, size=size) as made:
        assert made.process.wait(timeout=desktop.DEADLINE) == 0, made.stderr_path.read_text()
    width, height, colours = picture_size(picture)
    assert f"{width}x{height}" == size
    assert colours > 100  # letters have edges: an empty screen has far fewer


def test_without_a_size_the_screen_is_no_larger_than_the_display(daemon, folder):
    for room, size in (("800x600", (800, 600)), ("1600x700", (1280, 700)), ("2600x1500", (1280, 800))):
        picture = folder / f"{room}.png"
        with Display(room) as small, Screen(small, "--connect", daemon.path, "--screenshot", picture, folder=folder, size=None) as made:
            assert made.process.wait(timeout=desktop.DEADLINE) == 0, made.stderr_path.read_text()
        assert picture_size(picture)[:2] == size


def test_a_picture_after_some_frames_does_not_wait_for_news(display, folder):
    """Of a run that has ended nothing moves any more, and hardly a frame is drawn: a hundred would take minutes."""
    picture = folder / "picture.png"
    with Daemon(folder, "--ended") as daemon:
        with Screen(display, "--connect", daemon.path, "--screenshot", picture, "--frames", "100", folder=folder, size="800x600") as made:
            assert made.process.wait(timeout=desktop.DEADLINE) == 0, made.stderr_path.read_text()
    assert picture_size(picture)[:2] == (800, 600)


@pytest.mark.parametrize("arguments", [["--silent"], ["--switched"], ["--nothing-attached"], ["--ended", "--nested"],
                                       ["--components", "60", "--long-names"]])
def test_every_state_of_a_run_is_drawn(display, folder, arguments):
    picture = folder / "picture.png"
    with Daemon(folder, *arguments) as daemon:
        for view in ("map", "timing", "table", "inside", "call tree", "dependencies", "markov", "health"):
            with Screen(display, "--connect", daemon.path, "--view", view, "--screenshot", picture, folder=folder) as made:
                assert made.process.wait(timeout=desktop.DEADLINE) == 0, (view, made.stderr_path.read_text())
            assert picture_size(picture)[2] > 100


def test_space_pauses_and_l_goes_back_to_live(screen, daemon):
    daemon.asked(live, "live requests")
    screen.key("space")
    paused = daemon.asked(fixed, "a paused request")
    assert 4.5e9 < paused["window"]["end_ns"] - paused["window"]["start_ns"] < 5.5e9
    screen.key("Left")
    moved = daemon.asked(lambda r: fixed(r) and r["window"]["end_ns"] < paused["window"]["end_ns"], "an earlier window")
    assert moved["window"]["end_ns"] - moved["window"]["start_ns"] == paused["window"]["end_ns"] - paused["window"]["start_ns"]
    screen.key("l")
    daemon.asked(live, "live requests again")


def test_k_pauses_all_probes_and_j_switches_what_is_selected(screen, daemon):
    def health():
        return ask(daemon, {"window": {"last_s": 5}})["snapshot"]["health"]

    def press(key):  # and requests after it: the screen asks between frames
        screen.key(key)
        count = len(daemon.requests())
        wait_for(lambda: len(daemon.requests()) >= count + 3, "three more requests")

    def after(key, condition, what):  # a key may be lost on a screen that is just coming up
        return wait_for(lambda: condition() or press(key), what)
    after("k", lambda: health()["probes_paused"], "a pause of all probes")
    after("k", lambda: not health()["probes_paused"], "their coming back")
    after("Down", lambda: daemon.requests()[-1].get("details"), "a selected component")
    assert after("j", lambda: health()["disabled"], "a component that is off")[0].startswith("fh::")
    after("j", lambda: not health()["disabled"], "that component on")


def test_dragging_the_region_moves_the_window_into_the_past(screen, daemon):
    # 20 s after the start lies in the live window, on a scale of 30 s; both ends of the drag are on the picture.
    screen.move(870, 680)
    screen.xdotool("mousedown", 1)
    daemon.asked(fixed, "a pause at the touch")
    for x in range(870, 500, -40):
        screen.move(x, 680)
    screen.move(500, 680)
    daemon.asked(lambda r: fixed(r) and r["window"]["end_ns"] < START + 15_000_000_000, "a window in the past")
    screen.xdotool("mouseup", 1)
    assert fixed(daemon.asked(fixed, "a window that stays"))


def test_a_click_on_a_component_asks_for_its_details(screen, daemon):
    screen.click(90, 112)
    request = daemon.asked(lambda r: r.get("details"), "details")
    names = [c["name"] for c in ask(daemon, {"window": {"last_s": 5}})["snapshot"]["components"]]
    assert request["details"] in names
    screen.key("Escape")
    daemon.asked(lambda r: not r.get("details"), "a request without details")


def click_seen(screen, daemon, x, y):
    """A click, and frames after it: the screen asks between frames."""
    screen.click(x, y)
    count = len(daemon.requests())
    wait_for(lambda: len(daemon.requests()) >= count + 3, "three more requests")


def test_the_metric_is_chosen_from_the_list(screen, daemon):
    def chosen(y):
        click_seen(screen, daemon, 300, 22)  # beside everything: an open list closes
        click_seen(screen, daemon, 1030, 22)
        click_seen(screen, daemon, 1010, y)
        return daemon.requests()[-1]["metric"] != "overall"

    wait_for(lambda: any(chosen(y) for y in range(84, 200, 12)), "a line of the list that is hit")


def test_search_finds_and_enter_selects(screen, daemon):
    screen.key("slash")
    for letter in "decrypt":
        screen.key(letter)
    screen.key("Return")
    daemon.asked(lambda r: r.get("details") == "FileDecrypter", "the details of what was found")
    screen.key("space")  # not typed into anything any more
    daemon.asked(fixed, "a paused request")


def test_s_writes_the_figures_that_are_shown(screen, daemon, folder):
    screen.key("space")
    paused = daemon.asked(fixed, "a paused request")
    expected = ask(daemon, {"window": paused["window"], "metric": "overall"})["snapshot"]
    # Paused, the screen asks once a second for news: the answer to the paused window is in by the next one.
    count = len(daemon.requests())
    wait_for(lambda: len(daemon.requests()) >= count + 2, "two more requests")
    screen.key("s")
    path = wait_for(lambda: list(folder.glob("compmond-file-host-*.json")), "the snapshot")[0]
    written = json.loads(path.read_text())
    assert written["schema"] == "compmond.snapshot/1"
    assert written["window"] == expected["window"]
    assert written["components"] == expected["components"]
    assert written["edges"] == expected["edges"]


def test_p_writes_a_picture(screen, folder):
    screen.key("p")
    path = wait_for(lambda: list(folder.glob("compmond-file-host-*.png")), "the picture")[0]
    assert picture_size(path)[:2] == (1280, 800)


def test_resized_it_asks_for_as_many_columns_as_it_has_pixels(screen, daemon):
    before = daemon.asked(lambda r: "strip" in r, "a strip")["strip"]["columns"]
    screen.xdotool("windowsize", "--sync", screen.id, 800, 600)
    narrow = daemon.asked(lambda r: r.get("strip") and r["strip"]["columns"] < before, "fewer columns")["strip"]["columns"]
    screen.xdotool("windowsize", "--sync", screen.id, 2560, 1440)
    daemon.asked(lambda r: r.get("strip") and r["strip"]["columns"] > max(before, narrow), "more columns")
    assert screen.alive()


def test_what_was_chosen_is_remembered_per_spec(display, daemon, folder):
    with Screen(display, "--connect", daemon.path, "--view", "health", folder=folder) as first:
        first.ready()
        daemon.asked(lambda r: not r.get("strip"), "the health view, which has no time scale")
        first.key("3")
        daemon.asked(lambda r: r.get("strip"), "the table, which has one")
        first.key("0")  # the flag's choice is nobody's; this is
        daemon.asked(lambda r: not r.get("strip"), "the health view again")
        first.key("t")
        first.key("plus")
        daemon.asked(lambda r: r["window"]["last_s"] == pytest.approx(6.25), "a longer window")
        assert first.close() == 0
    files = list((folder / "config" / "compmond").glob("file_host-*.json"))
    assert len(files) == 1
    settings = json.loads(files[0].read_text())
    assert settings["view"] == "Health" and settings["dark"] is False
    with Screen(display, "--connect", daemon.path, folder=folder) as second:
        second.ready()
        daemon.asked(lambda r: not r.get("strip") and r["window"]["last_s"] == pytest.approx(6.25), "the remembered view and window")


def test_what_flags_choose_is_not_remembered(display, daemon, folder):
    with Screen(display, "--connect", daemon.path, "--view", "health", "--theme", "light", folder=folder) as screen:
        screen.ready()
        daemon.asked(lambda r: not r.get("strip"), "the health view, which has no time scale")
        # A key may be lost on a screen that is just coming up.
        wait_for(lambda: screen.key("plus") or any(r["window"]["last_s"] > 6 for r in daemon.requests()), "a longer window")
        assert screen.close() == 0
    settings = json.loads(next((folder / "config" / "compmond").glob("file_host-*.json")).read_text())
    assert settings["window_s"] > 6
    assert settings["view"] == "Map" and settings["dark"] is True


def test_a_filter_is_asked_for_remembered_and_taken_off_with_one_key(display, daemon, folder):
    with Screen(display, "--connect", daemon.path, "--view", "table", folder=folder) as screen:
        screen.ready()
        daemon.asked(live, "requests")
        screen.key("i")

        def chosen():
            click_seen(screen, daemon, 640, 62)  # the chip of durations
            click_seen(screen, daemon, 640, 150)  # somewhere in its list
            return daemon.requests()[-1].get("filter", {}).get("min_duration_ns")
        least = wait_for(chosen, "a request with a filter")
        assert screen.close() == 0
    with Screen(display, "--connect", daemon.path, "--view", "table", folder=folder) as screen:
        screen.ready()
        daemon.asked(lambda r: r.get("filter", {}).get("min_duration_ns") == least, "the remembered filter")
        screen.key("x")
        daemon.asked(lambda r: not r.get("filter", {}).get("min_duration_ns"), "a request without a filter")
        assert screen.close() == 0


def test_it_outlives_its_daemon_and_finds_it_again(screen, daemon):
    daemon.stop()
    count = len(daemon.requests())
    screen.key("2")
    assert screen.alive()
    daemon.start()
    wait_for(lambda: len(daemon.requests()) > count, "requests to the new daemon")
    assert screen.alive()


def pixels(path, colour):
    """How many of a PNG have it, as "#RRGGBB"."""
    text = subprocess.run(["convert", str(path), "-alpha", "off", "-fill", "black", "+opaque", colour, "-fill", "white", "-opaque", colour,
                           "-format", "%[fx:round(mean*w*h)]", "info:"], stdout=subprocess.PIPE, check=True, text=True).stdout
    return int(text)


LIVE_BUTTON = "#1A6B34"


def test_a_dead_daemon_does_not_look_live(screen, daemon, folder):
    def picture():
        for old in folder.glob("*.png"):
            old.unlink()
        screen.key("p")
        return wait_for(lambda: list(folder.glob("*.png")), "a picture")[0]

    def title():
        return screen.xdotool("getwindowname", screen.id)
    assert title() == "file host – compmond"
    assert wait_for(lambda: pixels(picture(), LIVE_BUTTON), "a live button that is lit") > 100
    screen.key("1")  # in the map, calls flow
    flowing = screen.cpu_ticks_in(2)
    daemon.stop()
    wait_for(lambda: title() == "file host (no connection) – compmond", "a title that says so")
    wait_for(lambda: pixels(picture(), LIVE_BUTTON) == 0, "a live button that is out")
    # Once the note of the picture is gone nothing is drawn again, but the time of the last answer.
    wait_for(lambda: screen.cpu_ticks_in(2) < flowing / 5, "a screen that stands still")
    daemon.start()
    wait_for(lambda: title() == "file host – compmond", "the old title")
    wait_for(lambda: pixels(picture(), LIVE_BUTTON), "a live button that is lit again")


def test_a_given_socket_is_used_and_its_end_does_not_close_the_screen(display, daemon, folder):
    ours, its = socket.socketpair()
    with Screen(display, "--fd", its.fileno(), "--view", "Table", folder=folder, pass_fds=[its.fileno()]) as screen:
        its.close()
        hello = {"answer": "hello", "protocol": "compmond.view/1", "version": "0.1.0", "spec_name": "x", "metrics": [], "control": True}
        stream = ours.makefile("rw")
        stream.write(json.dumps(hello) + "\n")
        stream.flush()
        request = json.loads(stream.readline())
        assert request["request"] == "view"
        stream.write(json.dumps(ask(daemon, {"id": request["id"], "window": {"last_s": 5}})) + "\n")
        stream.flush()
        screen.ready()
        assert json.loads(stream.readline())["id"] > request["id"]
        stream.close()
        ours.close()
        screen.key("space")
        assert screen.alive()
        assert screen.close() == 0


def run(display, *arguments):
    env = dict(os.environ)
    env.pop("WAYLAND_DISPLAY", None)
    env.pop("DISPLAY", None)
    if display:
        env["DISPLAY"] = display.name
    done = subprocess.run([str(desktop.UI), *map(str, arguments)], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=desktop.DEADLINE, text=True, check=False)
    return done.returncode, done.stderr


def test_its_errors_say_what_why_and_what_next(display, daemon, folder):
    code, text = run(display)
    assert code == 64 and "--connect" in text
    code, text = run(display, "--connect", folder / "nobody.sock")
    assert code == 66 and "nobody.sock" in text and "Is compmond running there?" in text
    code, text = run(display, "--connect", "nonsense")
    assert code == 64 and "host:port" in text
    code, text = run(display, "--connect", daemon.path, "--view", "nothing")
    assert code == 64 and "Table" in text
    code, text = run(display, "--connect", daemon.path, "--select", "HTTPServr", "--screenshot", folder / "none.png")
    assert code == 64 and "cannot select 'HTTPServr'" in text and "Did you mean 'HTTPServer'?" in text
    assert not (folder / "none.png").exists()
    code, text = run(display, "--connect", daemon.path, "--size", "10x10")
    assert code == 64 and "640x480" in text
    code, text = run(None, "--connect", daemon.path)
    assert code == 69 and "--headless" in text
    code, text = run(display, "--no-such-flag")
    assert code == 64 and "--help" in text
    code, text = run(display, "--connect", daemon.path, "--token-file", folder / "no-such-token")
    assert code == 66 and "no-such-token" in text


def test_a_socket_that_this_user_may_not_use_is_told_as_such(display, folder):
    # Root may everything: then somebody else asks, with a copy of the program where everybody may go.
    stranger = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
    folder.chmod(0o755)
    program = shutil.copy(desktop.UI, folder)
    with Daemon(folder) as daemon:
        daemon.path.chmod(0)
        done = subprocess.run([program, "--connect", str(daemon.path)], env=dict(os.environ, DISPLAY=display.name, HOME="/"),
                              cwd="/", stderr=subprocess.PIPE, timeout=desktop.DEADLINE, text=True, check=False, **stranger)
    assert done.returncode == 77, done.stderr
    assert str(daemon.path) in done.stderr and "Only root and the user who started compmond" in done.stderr


def test_a_stranger_on_the_socket_is_recognised(display, folder):
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "stranger.sock"))
        listener.listen(1)
        process = subprocess.Popen([str(desktop.UI), "--connect", str(folder / "stranger.sock")],
                                   env=dict(os.environ, DISPLAY=display.name), stderr=subprocess.PIPE, text=True)
        connection, _ = listener.accept()
        connection.sendall(b"220 mail ready\n")
        _, text = process.communicate(timeout=desktop.DEADLINE)
        connection.close()
    assert process.returncode == 65
    assert "not an answer of compmond" in text


def test_sigint_ends_it_in_order(screen):
    screen.process.send_signal(signal.SIGINT)
    assert screen.process.wait(timeout=desktop.DEADLINE) == 0
