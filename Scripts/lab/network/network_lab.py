"""The scenarios of Scripts/network-lab.sh, which see."""

import argparse
import collections
import dataclasses
import json
import pathlib
import random
import signal
import subprocess
import sys
import time

from network_hosts import OTHERS, SERVER, SERVER6, Hosts, Missing, Servers, warn

# Before libcurl 8.14, a request with a body uses HTTP/2 only with prior knowledge, and HTTP/1.1 in the rows "HTTP/2".
VERSIONS = {"http1": "HTTP/1.1", "http2": "HTTP/2", "prior": "HTTP/2 by prior knowledge"}
NEGOTIATED = ["http1", "http2"]
EACH = [(version, method) for version in NEGOTIATED for method in ("GET", "POST")]
HTTP2 = [("http2", "GET"), ("http2", "POST"), ("prior", "POST")]
POSTS = [(version, "POST") for version in VERSIONS]
WWW = "https://www.lab.test"
# A client that takes longer is stopped, and its row says so.
LIMIT = 600
# A client's ids start at a multiple of this.
IDS = 10_000_000


@dataclasses.dataclass
class Row:
    """A row of the table, and why it is not as it must be."""

    cells: list
    unmet: list = dataclasses.field(default_factory=list)


class Lab:
    """Runs clients and keeps the rows."""

    def __init__(self, hosts, servers, folder, client):
        self.hosts = hosts
        self.servers = servers
        self.folder = folder
        self.client = client
        self.rows = []
        self.ids = 0

    def run(self, **arguments):
        """Starts a client; each has its own range of ids. A POST has 200 bytes where nothing else is said."""
        self.ids += IDS
        if arguments.get("method") == "POST":
            arguments.setdefault("body", 200)
        words = json.dumps({"ca": f"{self.folder}/ca.pem", "first": self.ids, **arguments}, default=str)
        command = self.hosts.on(self.hosts.client, self.client, words)
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        return Client(process, arguments, self.ids)

    def requests(self, title, log, during=None, allowed=0, limit=None, statuses=(200,), **arguments):
        """The row of one client, while `during` is repeated every so many seconds: a pair of them and a function."""
        client = self.run(**arguments)
        if during:
            interval, action = during
            while not client.has_ended(interval() if callable(interval) else interval):
                action()
        return self.row(title, [client], log, allowed, limit, statuses)

    def row(self, title, clients, log, allowed=0, limit=None, statuses=(200,), expected=None):
        """Adds a row with what the clients report.

        allowed    how many failures a request that may be sent again may have
        limit      how long a request may take, in seconds; None where that is not the subject
        expected   a kind of failure that there must be
        """
        sent, succeeded, longest = 0, 0, 0
        failed = {}
        unmet = []
        for client in clients:
            report = client.report()
            if report is None:
                unmet.append("a client crashed or did not end")
                continue
            sent += report["sent"]
            longest = max(longest, report["longest"])
            if report.get("cancellation", 0) > 0.1:
                unmet.append(f"the cancellation took {report['cancellation']:.1f} s")
            for kind, ids in report["failures"].items():
                failed.setdefault(kind, []).extend(ids)
            for status, count in report["statuses"].items():
                succeeded += count if int(status) < 400 else 0
                if int(status) not in statuses:
                    failed.setdefault(f"status {status}", []).extend([None] * count)
            for kind, text in report["examples"].items():
                warn(f"    {kind}: {text}")
        seen = processed_ids(self.servers.log(log), clients) if log else {}
        processed = {kind: sum(each in seen for each in ids) for kind, ids in failed.items()}
        twice = sum(count > 1 for count in seen.values())
        if log and len(seen) < succeeded:
            unmet.append(f"the log has {len(seen)} ids, of {succeeded} responses")
        # What must be seen. A failure that is honestly unknown is allowed where the method is not idempotent.
        is_post = clients[0].arguments.get("method") == "POST"
        certain = sum(len(ids) for kind, ids in failed.items()
                      if kind != expected and not (is_post and "unknown" in kind))
        if expected and expected not in failed:
            unmet.append(f"none failed by {expected}")
        if certain > allowed:
            unmet.append(f"{certain} failed, {allowed} may")
        if is_post and twice:
            unmet.append(f"{twice} POSTs processed twice")
        if any(" no" in kind and processed[kind] for kind in failed):
            unmet.append("processed, although the error says that it was not")
        if limit is not None and longest > limit:
            unmet.append(f"a request took {longest:.1f} s, {limit} s at the most")
        notes = [f"{kind} {len(ids)}" + (f" ({processed[kind]} processed)" if processed[kind] else "")
                 for kind, ids in sorted(failed.items())]
        if limit is not None:
            notes.append(f"longest {longest:.1f} s")
        row = Row([title, f"{sent:,}", str(sum(map(len, failed.values()))), "; ".join(notes) or "–",
                   str(twice) if log else "–"], unmet)
        self.rows.append(row)
        warn("  " + " | ".join(row.cells))
        return row


@dataclasses.dataclass
class Client:
    """A running client."""

    process: subprocess.Popen
    arguments: dict
    # The first of its ids.
    first: int
    output: str = None

    def has_ended(self, seconds):
        """Waits so long at the most."""
        if self.output is None:
            try:
                self.output = self.process.communicate(timeout=seconds)[0]
            except subprocess.TimeoutExpired:
                return False
        return True

    def report(self):
        """The report; nothing where the client crashed or did not end."""
        if not self.has_ended(LIMIT):
            self.process.kill()
        elif self.process.returncode == 0:
            return json.loads(self.output)
        warn(f"    status {self.process.poll()}: {self.arguments}")
        return None


def processed_ids(log, clients):
    """How often each id of these clients was processed, by a server's log. A request rejected by its status was not."""
    # A server may write the last lines after its response.
    time.sleep(0.3)
    seen = collections.Counter()
    firsts = {client.first for client in clients}
    for line in log.read_text(errors="replace").splitlines() if log.exists() else []:
        try:
            if line.startswith("{"):
                entry = json.loads(line)
                number, status = entry["request"]["headers"]["X-Request-Id"][0], entry["status"]
            else:
                number, status = line.split()
            if int(number) // IDS * IDS in firsts and int(status) < 400:
                seen[int(number)] += 1
        except (ValueError, KeyError):
            continue
    return seen


# --- scenarios ------------------------------------------------------------------------------------------


def many(lab, title, log, url, variants=EACH, count=10_000, **arguments):
    """A row for each variant, with 64 requests at a time."""
    for version, method in variants:
        lab.requests(f"{title}, {VERSIONS[version]} {method}", log, url=url, version=version, method=method,
                     concurrency=64, count=None if "seconds" in arguments else count, **arguments)


def certificate(lab):
    """nginx gets another certificate: of the same authority, then of one that the client doesn't trust."""
    many(lab, "nginx's certificate renewed under load", "app", WWW, seconds=12,
         during=(1.1, lambda: lab.servers.change_certificate("ca")))
    clients = {(version, method): lab.run(url=WWW, version=version, method=method, seconds=8, interval=0.25)
               for version, method in EACH}
    time.sleep(3)
    lab.servers.change_certificate("stranger")
    for (version, method), client in clients.items():
        lab.row(f"nginx's certificate becomes an untrusted one, {VERSIONS[version]} {method}", [client], "app",
                expected="certificateRejected, wasProcessed no")
    lab.servers.change_certificate("ca")
    time.sleep(1)


def at_intervals(lab, title, url, intervals, count):
    """Clients for all variants at the same time, one for each interval, because most of the time they wait."""
    clients = {
        (version, method): [lab.run(url=url, version=version, method=method, count=count, interval=interval, timeout=10)
                            for interval in intervals]
        for version, method in EACH}
    for (version, method), several in clients.items():
        lab.row(f"{title}, {VERSIONS[version]} {method}", several, "app")


def silence(lab):
    """The connections that are open are forgotten; new ones work."""
    # The time limit of a request, and how many are sent at a time. Without a limit, that of a stall applies: 60 s.
    settings = [(1, 1), (10, 1), (1, 8), (None, 1)]
    clients = {
        (version, method, timeout, concurrency): lab.run(
            url=WWW, version=version, method=method, seconds=20, interval=0.25,
            timeout=timeout, concurrency=concurrency)
        for version, method in EACH for timeout, concurrency in settings}
    time.sleep(3)
    lab.hosts.forget()
    for (version, method, timeout, concurrency), client in clients.items():
        title = f"connection dies silently, {f'time limit {timeout} s' if timeout else 'no time limit'}"
        if concurrency > 1:
            title += f", {concurrency} at a time"
        lab.row(f"{title}, {VERSIONS[version]} {method}", [client], "app", allowed=concurrency,
                limit=(timeout or 60) + 1)


def download(lab):
    """The connection of a resumed download dies silently after two seconds, three times."""
    whole = (lab.folder / "www" / "large.bin").read_bytes()
    clients = {
        version: (lab.folder / f"download-{version}", lab.run(
            url=f"{WWW}/large.bin", version=version, count=1, attempts=40, stall=3,
            download=lab.folder / f"download-{version}"))
        for version in NEGOTIATED}
    for _ in range(3):
        time.sleep(5)
        lab.hosts.forget()
    for version, (file, client) in clients.items():
        title = f"download with 40 attempts, silent deaths, {VERSIONS[version]}"
        row = lab.row(title, [client], None, limit=40, statuses=(200, 206))
        if not file.exists() or file.read_bytes() != whole:
            row.unmet.append("the file is not the whole one")


def moved(lab):
    """A name moves to another address, and the old one drops packets."""
    old, new = OTHERS[:2]
    lab.hosts.name(moving=[old])
    clients = {
        (version, method): lab.run(url="https://moving.lab.test", version=version, method=method, seconds=20,
                                   interval=0.25, timeout=2)
        for version, method in EACH}
    time.sleep(3)
    lab.hosts.name(moving=[new])
    lab.hosts.kill_addresses(old)
    for (version, method), client in clients.items():
        lab.row(f"name moves, time limit 2 s, {VERSIONS[version]} {method}", [client], "app", allowed=2, limit=3)


def eight(lab):
    """A name with eight addresses, of which seven drop packets."""
    lab.hosts.name(many=OTHERS)
    lab.hosts.kill_addresses(*OTHERS[:7])
    clients = {version: lab.run(url="https://many.lab.test", version=version, count=2, timeout=15)
               for version in NEGOTIATED}
    for version, client in clients.items():
        lab.row(f"eight addresses, seven dead, {VERSIONS[version]}", [client], "app", limit=10)


def happy(lab):
    """A name whose IPv6 address drops packets."""
    lab.hosts.name(both=[SERVER6, SERVER])
    lab.hosts.kill_addresses(SERVER6)
    for version in NEGOTIATED:
        lab.requests(f"IPv6 dead, IPv4 alive, {VERSIONS[version]}", "app", url="https://both.lab.test", version=version,
                     count=5, timeout=10, limit=1)


def ipv6(lab):
    """A network without IPv4."""
    lab.hosts.name(six=[SERVER6])
    lab.hosts.kill_addresses(SERVER, *OTHERS)
    many(lab, "IPv6 only", "app", "https://six.lab.test", count=2_000)


def name_server(lab):
    """Requests beside one that waits for a name server without a response."""
    lab.hosts.kill_addresses(OTHERS[0])
    for version in NEGOTIATED:
        lab.requests(f"requests while the name server is silent, {VERSIONS[version]}", "app", url=WWW, version=version,
                     count=200, interval=0.01, limit=0.5, silent="https://silent.example")


def early(lab, server, url, statuses, versions=NEGOTIATED):
    for version in versions:
        for size in (5, 20):
            lab.requests(f"{server}, early response to POST of {size} MB, {VERSIONS[version]}", server.lower(), url=url,
                         version=version, method="POST", body=size << 20, count=24,
                         concurrency=8, timeout=20, statuses=statuses)


def once(lab):
    """POSTs with reloads, killed workers and cut connections at random. Some wait for a connection and time out."""
    def disturb():
        random.choice([
            lambda: lab.servers.reload("nginx"), lambda: lab.servers.kill_workers("nginx"),
            lambda: lab.hosts.forget(one=True)])()

    many(lab, "reloads, kills and cuts at random", "app", WWW, POSTS, count=20_000, timeout=5, allowed=200,
         during=(lambda: random.uniform(0.05, 0.3), disturb))


# The servers that a scenario needs, and the scenario.
SCENARIOS = {
    "nginx": ("app nginx", lambda lab: many(lab, "nginx as installed", "app", WWW, count=20_000)),
    "goaway": ("app nginx", lambda lab: many(lab, "nginx, 100 requests a connection", "app", f"{WWW}:4410", HTTP2)),
    "streams": ("app nginx", lambda lab: many(lab, "nginx, 4 streams a connection", "app", f"{WWW}:4404", HTTP2)),
    "reload": ("app nginx", lambda lab: many(lab, "nginx reloaded under load", "app", WWW, seconds=12,
                                             during=(1.1, lambda: lab.servers.reload("nginx")))),
    "certificate": ("app nginx", certificate),
    # A GET fails that is lost twice: with its connection's last request, which nginx limits, and with a worker.
    "workers": ("app nginx", lambda lab: many(lab, "nginx's workers killed under load", "app", WWW, seconds=12,
                                              allowed=20, during=(1.4, lambda: lab.servers.kill_workers("nginx")))),
    "squid": ("app nginx squid", lambda lab: many(lab, "squid's CONNECT to nginx", "app", WWW, HTTP2,
                                                  proxy=f"http://{SERVER}:3128")),
    "haproxy": ("app haproxy", lambda lab: at_intervals(
        lab, "HAProxy, http-keep-alive 2s, a request each 2.0 s", f"{WWW}:5443",
        [1.995, 2.0, 2.0, 2.001, 2.002, 2.005], 16)),
    "keep-alive": ("app nginx", lambda lab: at_intervals(
        lab, "Keep-Alive: timeout=3, a request each 2.9 to 3.1 s", f"{WWW}:4403",
        [2.9, 2.95, 2.99, 3.0, 3.0, 3.005, 3.05, 3.1], 12)),
    "silence": ("app nginx", silence),
    "download": ("nginx", download),
    "moved": ("app nginx", moved),
    "eight": ("app nginx", eight),
    "happy": ("app nginx", happy),
    "ipv6": ("app nginx", ipv6),
    "name-server": ("app nginx", name_server),
    "early-nginx": ("app nginx", lambda lab: early(lab, "nginx", WWW, (413,))),
    "early-apache": ("apache", lambda lab: early(lab, "Apache", f"{WWW}:6443/index.html", (200, 413))),
    "early-caddy": ("caddy", lambda lab: early(lab, "Caddy", f"{WWW}:7443", (200,))),
    "early-node": ("node", lambda lab: early(lab, "Node", f"{WWW}:8443/early", (413,))),
    "early-gunicorn": ("gunicorn", lambda lab: early(lab, "gunicorn", "http://www.lab.test:9080", (200,), ["http1"])),
    "caddy": ("caddy", lambda lab: many(lab, "Caddy", "caddy", f"{WWW}:7443", count=5_000)),
    "apache": ("apache", lambda lab: many(lab, "Apache", "apache", f"{WWW}:6443/index.html", count=5_000)),
    "node": ("node", lambda lab: many(lab, "Node", "node", f"{WWW}:8443", count=5_000)),
    "once": ("app nginx", once),
}


# --- all of it ------------------------------------------------------------------------------------------

def table(rows):
    print("| scenario | sent | failed | failures by error code and wasProcessed | processed twice |")
    print("|---|---|---|---|---|")
    for row in rows:
        print(f"| {' | '.join(row.cells)} |")
    unmet = [f"- {row.cells[0]}: {text}" for row in rows for text in dict.fromkeys(row.unmet)]
    if unmet:
        print("\nNot as it must be:", *unmet, sep="\n")
    return not unmet


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--hosts", nargs=2)
    parser.add_argument("--client")
    parser.add_argument("--venv", type=pathlib.Path)
    parser.add_argument("--only", nargs="+", choices=SCENARIOS, default=SCENARIOS)
    options = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))
    hosts = Hosts(options.folder, *options.hosts)
    try:
        hosts.make()
        servers = Servers(hosts, options.folder, options.venv)
        lab = Lab(hosts, servers, options.folder, options.client)
        for name in options.only:
            run(lab, name)
        return 0 if table(lab.rows) else 1
    finally:
        hosts.remove()


def run(lab, name):
    servers, scenario = SCENARIOS[name]
    start = time.monotonic()
    warn(f"{name}:")
    try:
        lab.servers.start(*servers.split())
    except Missing as reason:
        lab.rows.append(Row([name, "–", "–", f"skipped: {' '.join(str(reason).split())}", "–"]))
        warn(f"  skipped: {reason}")
        return
    scenario(lab)
    lab.hosts.heal()
    warn(f"  {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    sys.exit(main())
