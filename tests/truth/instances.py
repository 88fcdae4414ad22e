# SPDX-License-Identifier: GPL-2.0-or-later
"""Private servers under load: each on loopback, with a data folder of its own, as nobody.

A server is used as a context: it runs inside. It says by sample_pid() which process to look at
while load() runs. Nothing that the system may have of the kind is touched, and whatever was
started is ended by its pid.
"""
import glob
import os
import shutil
import socket
import subprocess
import sys
import time

NOBODY = 65534
LONGEST = 120  # seconds after which a load ends by itself, whatever happens to us

# The command that is needed -> Debian's package of it.
PACKAGES = {
    "redis-server": "redis-server",
    "redis-benchmark": "redis-tools",
    "nginx": "nginx",
    "ab": "apache2-utils",
    "apache2": "apache2",
    "varnishd": "varnish",
    "wrk": "wrk",
    "initdb": "postgresql",
    "pgbench": "postgresql",
    "mariadbd": "mariadb-server-core",
    "mariadb-install-db": "mariadb-server-core",
    "mysqlslap": "mariadb-client",
    "perf": "linux-perf",
}


def program(name):
    """Where NAME is, also where Debian does not put it on anybody's PATH."""
    path = os.pathsep.join(
        [os.environ["PATH"], "/usr/sbin", *glob.glob("/usr/lib/postgresql/*/bin")])
    return shutil.which(name, path=path)


def install():
    """Install what is missing, without its services being started."""
    missing = sorted({package for name, package in PACKAGES.items() if not program(name)})
    if missing:
        install_packages(missing)


def install_packages(missing):
    print("installing", *missing, file=sys.stderr)
    policy = "/usr/sbin/policy-rc.d"  # Debian's own way to forbid a package to start its service
    ours = not os.path.exists(policy)
    if ours:
        with open(policy, "w", encoding="ascii") as file:
            file.write("#!/bin/sh\nexit 101\n")
        os.chmod(policy, 0o755)
    try:
        environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
        for command in ["update"], ["install", "-y", "--no-install-recommends", *missing]:
            subprocess.run(["apt-get", "-q", *command], env=environment, stdin=subprocess.DEVNULL,
                           stdout=sys.stderr, check=True)
    finally:
        if ours:
            os.unlink(policy)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return str(s.getsockname()[1])


def wait_for(what, condition, process=None, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end or process and process.poll() is not None:
            sys.exit(f"{what} did not come up")
        time.sleep(0.1)


class Server:
    """One server: what all have in common."""

    STACK_BYTES = 16384  # that perf must copy to see the whole stack
    preloaded = {}  # environment of what serves, but not of its clients

    def __init__(self, folder):
        self.folder, self.port, self.process, self.now = folder, free_port(), None, {}
        os.makedirs(folder)
        os.chown(folder, NOBODY, NOBODY)
        self.log = open(os.path.join(folder, "log"), "wb")

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def start(self, name, *arguments):
        return subprocess.Popen(
            [program(name), *arguments], user=NOBODY, group=NOBODY, extra_groups=[], cwd=self.folder,
            env={**os.environ, **self.now}, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)

    def run(self, name, *arguments):
        if self.start(name, *arguments).wait(LONGEST) != 0:
            sys.exit(f"{name} failed; its output:\n" + self.said())

    def said(self):
        with open(self.path("log"), encoding="utf-8", errors="replace") as file:
            return file.read()[-2000:]

    def answers(self):
        try:
            with socket.create_connection(("127.0.0.1", int(self.port)), 1):
                return True
        except OSError:
            return False

    def __enter__(self):
        self.now = self.preloaded
        self.serve()
        self.now = {}
        wait_for(type(self).__name__, self.answers, self.process)
        self.fill()
        return self

    def __exit__(self, *_):
        end(self.process)
        self.log.close()

    def fill(self):
        """Put data into it, once it answers."""

    def sample_pid(self):
        return self.process.pid


def end(process):
    """End it and wait: a process that we started, by its pid."""
    if process and process.poll() is None:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


class Redis(Server):
    def serve(self):
        self.process = self.start("redis-server", "--port", self.port, "--bind", "127.0.0.1",
                                  "--save", "", "--appendonly", "no", "--dir", self.folder)

    def fill(self):
        self.run("redis-benchmark", "-p", self.port, "-q", "-P", "16", "-t", "set",
                 "-n", "500000", "-r", "100000", "-d", "64")

    def load(self, kind):
        return self.start("redis-benchmark", "-p", self.port, "-q", "-P", "16", "-t", kind,
                          "-n", "100000000", "-r", "100000", "-d", "64")


class Nginx(Server):
    CONFIGURATION = """
        daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error;
        events {{ worker_connections 256; }}
        http {{
            access_log off; keepalive_requests 100000000; gzip on; gzip_types text/plain; gzip_http_version 1.0;
            default_type text/plain; client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2;
            fastcgi_temp_path {folder}/t3; uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
            server {{ listen 127.0.0.1:{port}; root {folder}; }}
        }}"""

    def serve(self):
        words = [f"{i * i:x} of {i}" for i in range(20000)]
        for name, length in ("small", 1024), ("large", 100000):
            with open(self.path(name), "w", encoding="ascii") as file:
                file.write("\n".join(words)[:length])
        with open(self.path("conf"), "w", encoding="ascii") as file:
            file.write(self.CONFIGURATION.format(folder=self.folder, port=self.port))
        self.process = self.start("nginx", "-p", self.folder, "-c", self.path("conf"), "-e", self.path("error"))

    def load(self, kind):
        accepted = ["-H", "Accept-Encoding: gzip"] if kind == "large" else []
        return self.start("ab", "-q", "-c", "8", "-t", str(LONGEST), "-n", "100000000", *accepted,
                          f"http://127.0.0.1:{self.port}/{kind}")

    def sample_pid(self):
        return children(self.process.pid)[0]  # the worker


class Apache(Server):
    """The event MPM, with one process of 64 threads."""

    CONFIGURATION = """
        ServerRoot {folder}
        PidFile {folder}/pid
        ErrorLog {folder}/error
        LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
        LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
        StartServers 1
        ServerLimit 1
        ThreadsPerChild 64
        MaxRequestWorkers 64
        MaxKeepAliveRequests 0
        ServerName localhost
        Listen 127.0.0.1:{port}
        DocumentRoot {folder}
        """

    def serve(self):
        with open(self.path("small"), "w", encoding="ascii") as file:
            file.write("x" * 4096)
        with open(self.path("conf"), "w", encoding="ascii") as file:
            file.write(self.CONFIGURATION.format(folder=self.folder, port=self.port))
        self.process = self.start("apache2", "-D", "FOREGROUND", "-f", self.path("conf"))

    def load(self, _):
        return self.start("wrk", "-t", "1", "-c", "64", "-d", str(LONGEST), f"http://127.0.0.1:{self.port}/small")

    def sample_pid(self):
        return children(self.process.pid)[0]  # the process with the threads


class Varnish(Server):
    """Two hundred threads, and a page that it makes itself."""

    RECIPE = """vcl 4.1; backend none none;
        sub vcl_recv { return (synth(200)); }
        sub vcl_synth { set resp.body = "It works"; return (deliver); }"""

    def serve(self):
        with open(self.path("vcl"), "w", encoding="ascii") as file:
            file.write(self.RECIPE)
        self.process = self.start("varnishd", "-F", "-j", "none", "-a", "127.0.0.1:" + self.port, "-f",
                                  self.path("vcl"), "-n", self.path("work"), "-p", "thread_pool_min=100",
                                  "-p", "thread_pools=2", "-s", "malloc,32m")

    def load(self, _):
        return self.start("wrk", "-t", "1", "-c", "64", "-d", str(LONGEST), f"http://127.0.0.1:{self.port}/")

    def sample_pid(self):
        return children(self.process.pid)[0]  # the cache


class Postgres(Server):
    def serve(self):
        self.run("initdb", "-D", self.path("data"), "-U", "truth", "-A", "trust", "--no-sync")
        self.process = self.start("postgres", "-D", self.path("data"), "-h", "127.0.0.1", "-p", self.port,
                                  "-k", self.folder, "-c", "fsync=off", "-c", "autovacuum=off")

    def pgbench(self):
        return ["-h", self.folder, "-p", self.port, "-U", "truth"]

    def fill(self):
        wait_for("postgres", lambda: self.start("psql", *self.pgbench(), "-c", "", "postgres").wait(20) == 0)
        self.run("pgbench", *self.pgbench(), "-q", "-i", "-s", "5", "postgres")

    def load(self, _):
        return self.start("pgbench", *self.pgbench(), "-S", "-n", "-c", "1", "-T", str(LONGEST), "postgres")

    def sample_pid(self):
        """The one process that serves the one client."""
        for pid in children(self.process.pid):
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                if b"truth postgres" in file.read():
                    return pid
        sys.exit("postgres serves nobody")


class Mariadb(Server):
    ROWS = 10000
    STACK_BYTES = 49152

    def client(self):
        return ["--no-defaults", "--user=root", "--socket", self.path("socket")]

    def serve(self):
        self.run("mariadb-install-db", "--no-defaults", "--datadir=" + self.path("data"),
                 "--auth-root-authentication-method=normal", "--skip-test-db")
        self.process = self.start("mariadbd", "--no-defaults", "--datadir", self.path("data"), "--socket",
                                  self.path("socket"), "--bind-address=127.0.0.1", "--port", self.port,
                                  "--skip-log-bin", "--innodb-flush-log-at-trx-commit=0")

    def fill(self):
        self.run("mariadb", *self.client(), "-e", f"""
            CREATE DATABASE truth; USE truth;
            CREATE TABLE t (id INT PRIMARY KEY, k INT, c CHAR(60), KEY (k)) ENGINE=InnoDB;
            INSERT INTO t SELECT seq, seq * 7919 % 1000, SHA1(seq) FROM seq_1_to_{self.ROWS}""")

    def load(self, _):
        select = ("SELECT c FROM t WHERE id = 4711; SELECT SUM(k) FROM t WHERE id BETWEEN 1000 AND 1099;"
                  "SELECT c FROM t WHERE id BETWEEN 2000 AND 2019 ORDER BY c")
        return self.start("mysqlslap", *self.client(), "--create-schema=truth", "--delimiter=;",
                          f"--query={select}", "--concurrency=2", "--number-of-queries=100000000")


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


# What a person asks for: name -> server, kind of load.
LOADS = {
    "redis-get": (Redis, "get"),
    "redis-set": (Redis, "set"),
    "nginx-small": (Nginx, "small"),
    "nginx-gzip": (Nginx, "large"),
    "apache": (Apache, ""),
    "varnish": (Varnish, ""),
    "postgres": (Postgres, ""),
    "mariadb": (Mariadb, ""),
}
