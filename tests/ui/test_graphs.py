# SPDX-License-Identifier: Apache-2.0
"""Call tree, Dependencies and Markov in the real screen: what they ask for, by keyboard and mouse."""

import pathlib

import pytest
from desktop import Daemon, Screen, picture_size, temporary_folder, wait_for


@pytest.fixture
def folder():
    with temporary_folder() as path:
        yield pathlib.Path(path)


@pytest.fixture
def daemon(folder):
    with Daemon(folder, "--age", "30") as made:
        yield made


def asks(daemon, what, **wanted):
    """Waits until an analysis with all that was asked for. Not every request asks for one."""
    def asked():
        analyses = [request.get("analysis") or {} for request in daemon.requests()]
        return any(all(analysis.get(key) == value for key, value in wanted.items()) for analysis in analyses)
    wait_for(asked, what)


def test_keys_choose_the_level_and_another_view_asks_for_its_own(display, daemon, folder):
    with Screen(display, "--connect", daemon.path, "--view", "dependencies", folder=folder) as screen:
        screen.ready()
        asks(daemon, "a graph of components", report="dependency-graph", level="component")
        screen.key("o")
        asks(daemon, "a graph of operations", report="dependency-graph", level="operation")
        screen.key("slash")
        screen.key("Escape")
        screen.key("h")
        screen.key("h")
        assert screen.alive()
        screen.close()
    with Screen(display, "--connect", daemon.path, "--view", "markov", folder=folder) as screen:
        screen.ready()
        asks(daemon, "a Markov chain", report="markov", level="component")


def test_a_click_on_a_path_selects_its_component(display, daemon, folder):
    with Screen(display, "--connect", daemon.path, "--view", "call tree", folder=folder) as screen:
        screen.ready()
        asks(daemon, "a call tree", report="call-tree")

        def clicked():  # the rows come with the first answer
            screen.click(100, 168)  # the first one below the root
            newest = daemon.requests()[-1]
            return newest.get("details") == "HTTPServer"
        wait_for(clicked, "the details of the component")


@pytest.mark.parametrize("view,keys", [("call tree", "V"), ("call tree", "VM"), ("dependencies", "V"), ("dependencies", "OM"),
                                       ("markov", "O")])
@pytest.mark.parametrize("theme", ["dark", "light"])
def test_every_form_is_drawn(display, daemon, folder, view, keys, theme):
    picture = folder / "picture.png"
    with Screen(display, "--connect", daemon.path, "--view", view, "--keys", keys, "--theme", theme, "--screenshot", picture,
                folder=folder, size="800x600") as screen:
        assert screen.process.wait(timeout=60) == 0, screen.stderr_path.read_text()
    assert picture_size(picture)[2] > 100
