# SPDX-License-Identifier: Apache-2.0
"""Real programs under load, to be looked at from outside: each a context with the pid of what is observed, and a spec."""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

import observers
from postgres import SPEC, Server

TARGETS = pathlib.Path(__file__).resolve().parent / "targets"


def needed(*programs):
    """Their paths; Absent if one is not installed."""
    found = [shutil.which(program) or shutil.which(program, path="/usr/sbin") for program in programs]
    if None in found:
        raise observers.Absent(f"{programs[found.index(None)]} is not installed")
    return found


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answers(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
        return True
    except OSError:
        return False


def every_function(*images):
    """A spec of all functions that these files name, the program's own file if none is given."""
    parts = [{"name": pathlib.Path(image).name, "image": image, "in": ["*"]} for image in images] or [{"name": "Program", "in": ["*"]}]
    return {"schema": "compmond.spec/1", "name": "every function", "components": parts}


class Load:
    """Began when entered, ended when left. `pid`: what is observed, with what it forks. All it starts are its own sessions, as
    other terminals are: the scheduler is fair to sessions."""

    exit_mode = "return-probe"

    def __init__(self):
        self.started = []

    def start(self, *command, **more):
        process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, start_new_session=True, **more)
        self.started.append(process)
        return process

    def __enter__(self):
        self.program = None  # if given, of the pid and its children those that run it
        self.temporary = tempfile.TemporaryDirectory(prefix="compmond-load-")
        self.folder = pathlib.Path(self.temporary.name)
        try:
            self.begin()
        except BaseException:
            self.__exit__()
            raise
        return self

    def target(self):
        """compmond's options."""
        return ("--exe", self.program) if self.program else ("--pid", self.pid)

    def __exit__(self, *_):
        for process in reversed(self.started):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)  # with what it started
            process.wait()
        self.temporary.cleanup()


class Pgbench(Load):
    """PostgreSQL, two clients."""

    options = ()

    def begin(self):
        self.server = Server()
        self.server.fill()
        self.pid, self.spec = self.server.pid, SPEC
        # Longer than anybody looks: it is ended with the rest.
        self.start("runuser", "-u", "postgres", "--", self.server.bin / "pgbench", "-h", self.server.folder, "-p", self.server.port, "-U",
                   "postgres", "-n", "-c", 2, "-T", 3600, *self.options, "postgres", cwd=self.server.folder)

    def __exit__(self, *error):
        super().__exit__(*error)
        if hasattr(self, "server"):
            self.server.__exit__()


class PgbenchSelect(Pgbench):
    name, options = "pgbench -S", ("-S",)


class PgbenchTpcb(Pgbench):
    name = "pgbench (TPC-B-like)"


class Redis(Load):
    """redis-server, twenty clients with sixteen requests at once each."""

    name = "redis"

    def begin(self):
        server, client = needed("redis-server", "redis-benchmark")
        port = free_port()
        self.pid = self.start(server, "--port", port, "--save", "", "--dir", self.folder).pid
        self.spec = every_function()
        observers.support.wait_for(lambda: answers(port), server)
        self.start(client, "-p", port, "-c", 20, "-P", 16, "-n", 10**9, "-r", 100000, "-q", "-l", "-t",
                   "set,get,incr,lpush,lpop,sadd,hset,zadd,zpopmin,mset")


class Nginx(Load):
    """nginx with one worker, and wrk."""

    name = "nginx"
    settings = """daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error;
events {{ worker_connections 256; }}
http {{
  access_log {folder}/access; client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;
  uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  server {{ listen 127.0.0.1:{port}; root {folder}; location /again {{ rewrite ^/again/(.*)$ /$1 last; }} }}
}}
"""

    def begin(self):
        server, client = needed("nginx", "wrk")
        port = free_port()
        self.folder.chmod(0o755)
        (self.folder / "page.html").write_text("".join(f"<p>{i * 7919 % 1000}</p>" for i in range(100)))
        (self.folder / "settings").write_text(self.settings.format(folder=self.folder, port=port))
        self.pid = self.start(server, "-c", self.folder / "settings", "-p", self.folder).pid
        self.spec = every_function()
        observers.support.wait_for(lambda: answers(port), server)
        self.start(client, "-t", 1, "-c", 20, "-d", 3600, f"http://127.0.0.1:{port}/again/page.html")


class Clang(Load):
    """clang, again and again: C++, large libraries, a process a second."""

    name = "clang (C++)"
    source = """#include <map>
#include <regex>
int main() { std::map<int, std::regex> m; m.emplace(1, "a*b"); return std::regex_match("aab", m.at(1)); }
"""

    def begin(self):
        [self.program] = needed("clang-14")
        (self.folder / "source.cpp").write_text(self.source)
        linked = subprocess.run(["ldd", self.program], capture_output=True, text=True, check=True).stdout
        libraries = [str(pathlib.Path(line.split()[2]).resolve()) for line in linked.splitlines() if "libLLVM" in line or "libclang-cpp" in line]
        self.pid = self.start("sh", "-c", f"while :; do {self.program} -O2 -c source.cpp -o /dev/null; done", cwd=self.folder).pid
        self.spec = every_function(*libraries)


class Rust(Load):
    """A program of bench/targets, compiled here."""

    name = "Rust"
    exit_mode = "auto"  # it would not survive return probes: panics are unwound

    def begin(self):
        [compiler] = needed("rustc")
        program = self.folder / "service"
        subprocess.run([compiler, "--edition", "2021", "-O", "-C", "debuginfo=0", "-o", program, TARGETS / "service.rs"], check=True)
        self.pid = self.start(program).pid
        self.spec = every_function()


ALL = [PgbenchSelect, PgbenchTpcb, Redis, Nginx, Clang, Rust]


def settle():
    """What is new is slow, and what a load is about comes after it has begun."""
    time.sleep(2)
