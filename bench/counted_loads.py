# SPDX-License-Identifier: Apache-2.0
"""Servers under load that keep books of their own: of each, how often some operations were called within a window."""

import bisect
import re
import socket
import threading
import time

import observers
from loads import Load, answers, free_port, needed
from postgres import SPEC, Server

BETWEEN_LOOKS = 0.2  # s
NO_END = 10**9
MANY = 10**7  # requests: ab takes memory for each



def within(times, window):
    """How many of these sorted times, in s since the epoch, are in it."""
    offset = time.time() - time.monotonic()
    start, end = (window[edge] / 1e9 + offset for edge in ("start_ns", "end_ns"))
    return bisect.bisect_left(times, end) - bisect.bisect_left(times, start)


def components(functions):
    return {"schema": "compmond.spec/1", "name": "functions", "components": [{"name": name, "in": [name]} for name in functions]}


class Counted(Load):
    """`books(window)`: calls by operation. Ended loads keep what they know."""

    def kind(self, operation):
        """Of requests, that call it: what the same ones call is wrong together. None: of several kinds."""
        return "all"


class Pgbench(Counted):
    clients, idle, options, spec = 2, 0, (), SPEC
    per_transaction = {}

    def begin(self):
        self.server = Server(f"max_connections = {self.clients + self.idle + 20}")
        self.server.fill()
        self.pid = self.server.pid
        if self.idle:
            (self.server.folder / "idle.sql").write_text("\\sleep 3600 s\n")
            self.pgbench("-c", self.idle, "-f", self.server.folder / "idle.sql")
            observers.support.wait_for(lambda: self.backends() >= self.idle, "idle backends")
        self.pgbench("-c", self.clients, "-l", "--log-prefix", self.server.folder / "book", *self.options)

    def backends(self):
        return int(self.server.run("psql", "-h", self.server.folder, "-p", self.server.port, "-U", "postgres", "-Atc",
                                   "select count(*) from pg_stat_activity where backend_type = 'client backend'"))

    def pgbench(self, *options):
        self.start("runuser", "-u", "postgres", "--", self.server.bin / "pgbench", "-h", self.server.folder, "-p", self.server.port, "-U",
                   "postgres", "-n", "-T", 3600, *options, "postgres", cwd=self.server.folder)

    def books(self, window):
        times = []
        for file in self.server.folder.glob("book*"):
            for line in file.read_text().splitlines():
                words = line.split()
                if len(words) >= 6:
                    times.append(int(words[4]) + int(words[5]) / 1e6)
        transactions = within(sorted(times), window)
        return {name: times * transactions for name, times in self.per_transaction.items()}

    def __exit__(self, *error):
        super().__exit__(*error)
        if hasattr(self, "server"):
            self.server.__exit__()


class Selects(Pgbench):
    name, options = "pgbench -S", ("-S",)
    per_transaction = {name: 1 for name in (
        "raw_parser", "QueryRewrite", "standard_planner", "PortalStart", "PortalRun", "PortalDrop", "standard_ExecutorStart",
        "standard_ExecutorRun", "standard_ExecutorFinish", "standard_ExecutorEnd", "ReadyForQuery", "_bt_first", "parse_analyze_fixedparams")}


class SelectsOfMany(Selects):
    name, clients, idle = "pgbench -S, 50 of 250 clients", 50, 200


class Tpcb(Pgbench):
    name = "pgbench (TPC-B)"
    per_transaction = {**{name: 7 for name in ("raw_parser", "PortalStart", "PortalRun", "PortalDrop", "ReadyForQuery")},
                       **{name: 5 for name in ("standard_planner", "standard_ExecutorStart", "standard_ExecutorRun")}}


class Redis(Counted):
    """`clients`: options of redis-benchmark, each for one kind of client."""

    clients = []
    functions = """addReply addReplyBulk afterSleep beforeSleep call createObject dictAdd dictFind freeClientArgv getCommand
        getGenericCommand setCommand setGenericCommand lpushCommand rpopCommand lookupKeyReadWithFlags handleClientsWithPendingWrites
        processCommand processInputBuffer processMultibulkBuffer readQueryFromClient resetClient signalModifiedKey tryObjectEncoding
        writeToClient serverCron decrRefCount lookupCommand listTypePush""".split()

    def begin(self):
        server, client = needed("redis-server", "redis-benchmark")
        self.port = free_port()
        self.pid = self.start(server, "--port", self.port, "--save", "", "--dir", self.folder).pid
        self.spec = components(self.functions)
        observers.support.wait_for(lambda: answers(self.port), server)
        for options in self.clients:
            self.start(client, "-p", self.port, "-n", NO_END, "-r", 100000, "-q", *options)
        self.looks, self.over = [], threading.Event()
        self.looking = threading.Thread(target=self.look)
        self.looking.start()

    def kind(self, operation):
        return operation if operation.endswith("Command") and operation != "processCommand" else None

    def look(self):
        with socket.create_connection(("127.0.0.1", self.port)) as connection:
            while not self.over.wait(BETWEEN_LOOKS):
                connection.sendall(b"INFO commandstats\r\n")
                text = b""
                while not text.endswith(b"\r\n") or len(text) < 6 or text.count(b"\r\n") < 3:
                    text += connection.recv(65536)
                self.looks.append((time.monotonic_ns(), dict(re.findall(r"cmdstat_(\w+):calls=(\d+)", text.decode()))))

    def at(self, time_ns, command):
        """By then, as the looks around it tell."""
        times = [when for when, _ in self.looks]
        after = min(max(bisect.bisect(times, time_ns), 1), len(times) - 1)
        (t0, before), (t1, then) = self.looks[after - 1], self.looks[after]
        first, second = int(before.get(command, 0)), int(then.get(command, 0))
        return first + (second - first) * (time_ns - t0) / (t1 - t0)

    def books(self, window):
        out = {}
        commands = {command for _, look in self.looks for command in look}
        for command in commands:
            out[command + "Command"] = self.at(window["end_ns"], command) - self.at(window["start_ns"], command)
        out["call"] = out["processCommand"] = sum(out.values())
        return out

    def __exit__(self, *error):
        if hasattr(self, "over"):
            self.over.set()
            self.looking.join()
        super().__exit__(*error)


class RedisGet(Redis):
    name, clients = "redis", [("-t", "get", "-c", 20)]


class RedisPipelined(Redis):
    name, clients = "redis, pipelined", [("-t", "get", "-c", 20, "-P", 16)]


class RedisUnequal(Redis):
    name = "redis, unequal clients"
    clients = [("-t", "get", "-c", 20), ("-t", "set", "-c", 5, "-d", 300), ("-t", "lpush", "-c", 2, "-P", 8), ("-t", "rpop", "-c", 3)]


class Nginx(Counted):
    """nginx with one worker; some clients keep their connections, others do not and want something large."""

    name = "nginx, two kinds of clients"
    functions = """ngx_create_pool ngx_destroy_pool ngx_event_accept ngx_event_expire_timers ngx_get_connection ngx_close_connection
        ngx_http_close_connection ngx_http_core_content_phase ngx_http_core_run_phases ngx_http_finalize_request ngx_http_free_request
        ngx_http_init_connection ngx_http_map_uri_to_path ngx_http_output_filter ngx_http_parse_header_line ngx_http_process_request
        ngx_http_write_filter ngx_linux_sendfile_chain ngx_open_cached_file ngx_pcalloc ngx_process_events_and_timers ngx_rbtree_insert
        ngx_reusable_connection ngx_unix_recv ngx_writev_chain""".split()
    settings = """daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error;
events {{ worker_connections 256; }}
http {{
  log_format book '$msec $uri $connection_requests';
  access_log {folder}/book book; client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;
  uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s; keepalive_requests 1000000000;
  server {{ listen 127.0.0.1:{port}; root {folder}; }}
}}
"""

    def begin(self):
        server, keeping, closing = needed("nginx", "wrk", "ab")
        port = free_port()
        self.folder.chmod(0o755)
        (self.folder / "small").write_bytes(b"x" * 100)
        (self.folder / "large").write_bytes(b"x" * 60000)
        (self.folder / "settings").write_text(self.settings.format(folder=self.folder, port=port))
        self.pid = self.start(server, "-c", self.folder / "settings", "-p", self.folder).pid
        self.spec = components(self.functions)
        observers.support.wait_for(lambda: answers(port), server)
        self.start(keeping, "-t", 1, "-c", 8, "-d", 3600, f"http://127.0.0.1:{port}/small")
        self.start(closing, "-q", "-c", 4, "-t", 3600, "-n", MANY, f"http://127.0.0.1:{port}/large")

    def kind(self, operation):
        return "connection" if "connection" in operation else "request"

    def books(self, window):
        lines = [line.split() for line in (self.folder / "book").read_text().splitlines()]
        lines = [line for line in lines if len(line) == 3]
        requests = within([float(line[0]) for line in lines], window)
        connections = within([float(line[0]) for line in lines if line[2] == "1"], window)
        return {**dict.fromkeys(("ngx_http_process_request", "ngx_http_map_uri_to_path"), requests),
                **dict.fromkeys(("ngx_http_init_connection", "ngx_http_close_connection"), connections)}


ALL = [Selects, Tpcb, SelectsOfMany, RedisGet, RedisPipelined, RedisUnequal, Nginx]
