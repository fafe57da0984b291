# SPDX-License-Identifier: Apache-2.0
"""The socket: who may connect, that its figures are those of the snapshot, and that nobody who connects does harm."""

import json
import os
import re
import signal
import socket
import subprocess
import sys

import pytest
import support
from support import BIN, COMPMOND, ROOT, TARGETS, Profiler, Target, check_accounting, wait_for

CHAIN = ROOT / "specs" / "filehost-chain.json"
USER, STRANGER = 1, 65534  # daemon, nobody


class Client:
    """A connected client of the protocol."""

    def __init__(self, address):
        self.socket = socket.socket(socket.AF_UNIX if isinstance(address, str) else socket.AF_INET)
        self.socket.settimeout(support.DEADLINE)
        self.socket.connect(address)
        self.stream = self.socket.makefile("rwb")

    def line(self):
        text = self.stream.readline()
        return json.loads(text) if text else None

    def send(self, **request):
        self.stream.write(json.dumps(request).encode() + b"\n")
        self.stream.flush()

    def ask(self, **request):
        self.send(**request)
        return self.line()

    def view(self, **request):
        answer = self.ask(request="view", **request)
        assert answer["answer"] == "view", answer
        return answer

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stream.close()
        self.socket.close()


def connect(profiler):
    client = Client(path_of(profiler))
    assert client.line()["answer"] == "hello"
    return client


def greeted(profiler):
    """A client, or None while the daemon refuses it for being one too many."""
    client = Client(path_of(profiler))
    first = client.line()
    if first["answer"] == "hello":
        return client
    assert first["answer"] == "refused", first
    client.__exit__()
    return None


def path_of(profiler):
    return f"/run/compmond/{profiler.process.pid}.sock"


def user_environment(**more):
    return {**os.environ, "SUDO_UID": str(USER), "SUDO_GID": str(USER), **more}


# What a client of another user gets, printed as one line.
AS_USER = """
import os, socket, sys
user, group = int(sys.argv[2]), int(sys.argv[3])
os.setgroups([]); os.setgid(group); os.setuid(user)
s = socket.socket(socket.AF_UNIX)
try:
    s.connect(sys.argv[1])
except OSError as error:
    print("errno", error.errno)
else:
    print(s.makefile().readline(), end="")
"""


def heard_as(profiler, user, group):
    return subprocess.run([sys.executable, "-c", AS_USER, path_of(profiler), str(user), str(group)],
                          stdout=subprocess.PIPE, check=True, timeout=support.DEADLINE).stdout.decode()


def figures(snapshot):
    """What must be equal, whoever tells it."""
    return {key: snapshot[key] for key in ("components", "edges", "threads", "window", "metric")}


def observed_to_its_end(options=()):
    """A profiler whose target has done all its work; with --exe it goes on."""
    profiler = Profiler(CHAIN, "--exe", BIN / "filehost-chain", options=options)
    subprocess.run([BIN / "filehost-chain", "--scale", "0.2"], check=True, stdout=subprocess.DEVNULL)
    wait_for(lambda: support.component(profiler.snapshot_now(), "FileHandler")["closed"]["returned"] == 1, "its end")
    return profiler


def test_figures_over_the_socket_are_those_of_the_snapshot():
    with observed_to_its_end(options=["--window", "3600"]) as profiler, connect(profiler) as client:
        snapshot = profiler.snapshot_now()
        start, end = snapshot["window"]["start_ns"], snapshot["window"]["end_ns"]
        assert figures(client.view(window={"start_ns": start, "end_ns": end})["snapshot"]) == figures(snapshot)
        middle = (start + end) // 2
        halves = [client.view(window={"start_ns": a, "end_ns": b})["snapshot"] for a, b in ((start, middle), (middle, end))]
        for name in ("FileHandler", "FileEncrypter", "FSWriter"):
            whole = support.component(snapshot, name)
            parts = [support.component(half, name) for half in halves]
            for key in ("calls", "raw_ns", "real_ns"):
                assert sum(part[key] for part in parts) == whole[key], (name, key)


def test_all_parts_of_an_answer_tell_the_same():
    with observed_to_its_end() as profiler, connect(profiler) as client:
        view = client.view(id=7, strip={"columns": 50}, executions={"pixels": 100}, details="FileEncrypter")
        assert view["id"] == 7
        run, snapshot = view["run"], view["snapshot"]
        assert run["live"] is True and run["replay"] is False
        assert snapshot["window"]["end_ns"] == run["now_ns"] == view["strip"]["end_ns"]
        assert snapshot["window"]["start_ns"] == run["start_ns"] == view["executions"]["start_ns"]
        check_accounting(snapshot)
        for name, row in zip(view["strip"]["components"], view["strip"]["real_ns"]):
            assert len(row) == 50
            assert sum(row) == support.component(snapshot, name)["real_ns"], name
        shown = view["executions"]
        assert [shown["operations"][e["operation"]]["component"] for e in shown["executions"]] == \
            ["FileHandler", "FileEncrypter", "FSWriter"]
        assert [e["ess"] for e in shown["executions"]] == [0, 1, 2]
        encrypter = shown["executions"][1]
        assert encrypter["real_ns"] == support.component(snapshot, "FileEncrypter")["real_ns"]
        assert encrypter["closed"] == "returned"
        details = view["details"]
        assert [(e["start_ns"], e["end_ns"]) for e in details["recent"]["executions"]] == \
            [(encrypter["start_ns"], encrypter["end_ns"])]
        raw = encrypter["end_ns"] - encrypter["start_ns"]
        assert [b["count"] for b in details["histogram"] if b["from_ns"] <= raw < b["to_ns"]] == [1]


def test_a_filter_applies_to_the_figures():
    with observed_to_its_end() as profiler, connect(profiler) as client:
        snapshot = client.view(filter={"components": ["FSWriter"]})["snapshot"]
        assert [c["calls"] for c in snapshot["components"]] == [0, 0, 1]
        tid = snapshot["threads"][0]["tid"]
        assert [c["calls"] for c in client.view(filter={"threads": [tid]})["snapshot"]["components"]] == [1, 1, 1]
        assert [c["calls"] for c in client.view(filter={"threads": [1]})["snapshot"]["components"]] == [0, 0, 0]
        refused = client.ask(request="view", id=3, filter={"components": ["Writer"]})
        assert refused["answer"] == "refused" and refused["id"] == 3 and "'Writer'" in refused["error"]


def test_losses_stand_in_the_strip():
    with Profiler(support.spec(["flood"]), "--exe", TARGETS / "overflow", options=["--ring", "1"]) as profiler:
        with Target(TARGETS / "overflow", "400000", "1") as target, connect(profiler) as client:
            profiler.process.send_signal(signal.SIGSTOP)
            target.finish()
            profiler.process.send_signal(signal.SIGCONT)
            view = wait_for(lambda: (v := client.view(strip={"columns": 100}))["snapshot"]["health"]["lost"] > 0
                            and sum(v["strip"].get("lost", [])) == v["snapshot"]["health"]["lost"] and v, "the losses")
            assert len(view["strip"]["lost"]) == 100


def test_the_user_who_invoked_sudo_may_connect_and_others_may_not():
    with Target(TARGETS / "counted") as target, \
            Profiler(support.spec(["work"]), "--pid", target.pid, env=user_environment()) as profiler:
        status = os.stat(path_of(profiler))
        assert (status.st_mode & 0o777, status.st_uid, status.st_gid) == (0o660, USER, USER)
        folder = os.stat("/run/compmond")
        assert (folder.st_mode & 0o777, folder.st_uid) == (0o755, 0)
        hello = json.loads(heard_as(profiler, USER, USER))
        assert hello["answer"] == "hello" and hello["control"] is True
        assert heard_as(profiler, STRANGER, STRANGER).startswith("errno 13")
        refused = json.loads(heard_as(profiler, STRANGER, USER))  # of its group, so the file lets him pass
        assert refused["answer"] == "refused" and "only root" in refused["error"]


def test_control_requests_write_the_snapshot_and_end_the_run():
    with Target(TARGETS / "counted") as target, Profiler(support.spec(["work"]), "--pid", target.pid) as profiler:
        with connect(profiler) as client:
            done = client.ask(request="control", id=1, action="snapshot")
            assert done == {"answer": "control", "id": 1, "done": f"written to {profiler.snapshot_path}", "error": ""}
            assert json.loads(profiler.snapshot_path.read_text())["schema"] == "compmond.snapshot/1"
            assert "no action" in client.ask(request="control", id=2, action="dance")["error"]
            assert client.ask(request="control", id=3, action="stop")["done"]
            profiler.finish()
            assert client.line()["error"] == "compmond has ended: somebody ended it in a window"
            assert client.line() is None


def test_says_where_to_connect_and_leaves_no_socket():
    with Target(TARGETS / "counted") as target, Profiler(support.spec(["work"]), "--pid", target.pid) as profiler:
        wait_for(lambda: f"compmond: window: compmond-ui --connect {path_of(profiler)}\n" in profiler.stderr(), "it")
        target.finish()
        profiler.finish()
        assert not os.path.exists(path_of(profiler))


def test_a_killed_daemon_is_seen_as_the_end_and_leaves_no_socket_behind():
    with Target(TARGETS / "counted") as target:
        with Profiler(support.spec(["work"]), "--pid", target.pid) as profiler, connect(profiler) as client:
            path = path_of(profiler)
            profiler.process.kill()
            profiler.process.wait()
            assert client.line() is None
            support.wait_for(lambda: not os.path.exists(path), "the end of the socket")
        with Profiler(support.spec(["work"]), "--pid", target.pid) as profiler:
            assert target.finish()[1] == 0
            assert support.operation(profiler.finish(), "work")["calls"] == 1000


def test_killed_and_hostile_clients_change_nothing():
    noisy = """
import socket, sys
clients = []
for i in range(100):
    s = socket.socket(socket.AF_UNIX)
    s.connect(sys.argv[1])
    s.setblocking(False)
    clients.append(s)
    try:
        s.send([b'{"request":"view","strip":{"columns":4096}}\\n' * 500, b"\\0" * 100000, b"GET /\\n", b"{" * 70000][i % 4])
    except OSError:
        pass
print("connected", flush=True)
sys.stdin.read()
"""
    calls = 200000
    with Target(TARGETS / "counted", str(calls), "2") as target, \
            Profiler(support.spec(["work"]), "--pid", target.pid) as profiler:
        other = subprocess.Popen([sys.executable, "-c", noisy, path_of(profiler)], stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE)
        assert support.read_line(other.stdout, "the noisy clients") == "connected\n"
        target.release()
        other.kill()
        other.wait()
        # Until the dead ones are noticed there may be no place for one more: it is told so.
        with wait_for(lambda: greeted(profiler), "a place among the clients") as client:
            assert client.view()["run"]["now_ns"] > 0
        target.finish()
        snapshot = profiler.finish()
    assert support.operation(snapshot, "work")["calls"] == calls
    assert snapshot["health"]["lost"] == 0
    check_accounting(snapshot)


def ports_of(profiler):
    wait_for(lambda: profiler.stderr().count("--connect ") == 2, "the addresses")
    return re.findall(r"--connect \S+:(\d+)(?: --token (\S+))?", profiler.stderr())


def test_beyond_this_host_one_needs_the_token_that_was_printed():
    with Target(TARGETS / "counted") as target, \
            Profiler(support.spec(["work"]), "--pid", target.pid, options=["--listen", "0.0.0.0:0"]) as profiler:
        ((port, token),) = ports_of(profiler)
        assert len(token) == 32
        with Client(("127.0.0.1", int(port))) as client:
            assert client.ask(request="view")["answer"] == "refused"
            assert client.line() is None
        with Client(("127.0.0.1", int(port))) as client:
            assert client.ask(request="token", token=token)["answer"] == "hello"
            assert client.view(id=5)["id"] == 5


def test_before_it_ends_every_client_hears_why_but_no_stranger():
    with Profiler(CHAIN, "--exe", BIN / "filehost-chain", options=["--listen", "0.0.0.0:0"]) as profiler:
        ((port, _),) = ports_of(profiler)
        with connect(profiler) as client, Client(("127.0.0.1", int(port))) as stranger:
            client.view()  # whoever is answered was let in
            profiler.process.send_signal(signal.SIGINT)
            said = client.line()
            assert said["answer"] == "refused" and said["ends"], said
            assert said["error"] == "compmond has ended: it was told to, by a signal (Ctrl-C, kill)"
            assert client.line() is None
            assert stranger.line() is None
            profiler.finish()


def test_on_this_host_one_may_look_without_a_token():
    with Target(TARGETS / "counted") as target, \
            Profiler(support.spec(["work"]), "--pid", target.pid, options=["--listen", ":0"]) as profiler:
        ((port, token),) = ports_of(profiler)
        assert token == ""
        listening = subprocess.run(["ss", "-Hltn", f"sport = :{port}"], stdout=subprocess.PIPE, check=False)
        if listening.returncode == 0:
            assert f"127.0.0.1:{port}" in listening.stdout.decode()
        with Client(("127.0.0.1", int(port))) as client:
            assert client.line()["control"] is False
            assert client.view()["snapshot"]["spec"]["name"] == "test"
            assert "not control" in client.ask(request="control", action="stop")["error"]


@pytest.mark.parametrize("options, status, text", [
    (["--listen", "nowhere"], 64, "is no address"),
    (["--listen", "/proc/x.sock"], 73, "cannot listen"),
    (["--listen", ":0", "--listen-token-file", "/nonexistent"], 66, "/nonexistent"),
])
def test_an_impossible_listen_is_told_before_anything_is_attached(options, status, text):
    with Target(TARGETS / "counted") as target:
        done = subprocess.run([COMPMOND, "--spec", CHAIN, "--pid", str(target.pid), "--headless", *options],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=support.DEADLINE, check=False)
    assert done.returncode == status, done.stderr
    assert text in done.stderr.decode()
    assert "ready" not in done.stderr.decode()


def test_the_example_script_draws_bars():
    with observed_to_its_end() as profiler:
        done = subprocess.run([sys.executable, ROOT / "docs" / "examples" / "bars.py", path_of(profiler)],
                              stdout=subprocess.PIPE, timeout=support.DEADLINE, check=True, env={"PYTHONUTF8": "1"})
        snapshot = profiler.snapshot_now()  # its calls have ended, so they are the same
    lines = done.stdout.decode().splitlines()
    assert [line.split()[0] for line in lines] == ["FileEncrypter", "FileHandler", "FSWriter"]
    real = [support.component(snapshot, line.split()[0])["net_real_ns"] for line in lines]  # the bar is of the figure beside it
    assert [line.count("█") for line in lines] == [round(40 * ns / max(real)) for ns in real]
    assert all(line.endswith(" ms") for line in lines)


def test_the_daemon_links_no_graphics():
    linked = subprocess.run(["ldd", COMPMOND], stdout=subprocess.PIPE, check=True).stdout.decode()
    assert not re.search(r"lib(GL|EGL|X11|xcb|wayland|glfw|vulkan)", linked), linked
