"""The scenarios of Scripts/network-lab.sh, which see."""

import argparse
import collections
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
# For servers that speak HTTP/2 only.
HTTP2_ONLY = [("http2", "GET"), ("prior", "POST")]
POSTS = [(version, "POST") for version in VERSIONS]
WWW = "https://www.lab.test"
# A client that takes longer is stopped, and its row says so.
LIMIT = 600
# A client's ids start at a multiple of this.
IDS = 10_000_000


class Row:
    """A row of the table: what clients report in all rounds."""

    def __init__(self, title):
        self.title = title
        self.sent = 0
        # The number of failures in each round.
        self.failed = []
        self.kinds = collections.Counter()
        self.processed = collections.Counter()
        self.twice = 0
        self.counted = False
        self.longest = 0
        self.shows_longest = False
        self.skipped = ""
        self.unmet = []

    def cells(self):
        if self.skipped:
            return [self.title, "–", "–", f"skipped: {self.skipped}", "–"]
        kinds = []
        for kind, count in sorted(self.kinds.items()):
            processed = self.processed[kind]
            kinds.append(f"{kind} {count}" + (f" ({processed} processed)" if processed else ""))
        if self.shows_longest:
            kinds.append(f"longest {self.longest:.1f} s")
        return [self.title, f"{self.sent:,}", ", ".join(map(str, self.failed)), "; ".join(kinds) or "–",
                str(self.twice) if self.counted else "–"]


class Lab:
    """Runs clients and keeps the rows."""

    def __init__(self, hosts, servers, folder, client, options):
        self.hosts = hosts
        self.servers = servers
        self.folder = folder
        self.client = client
        self.options = options
        self.rows = {}
        self.ids = 0

    def scaled(self, count):
        return max(1, count // 10) if self.options.quick else count

    def run(self, **arguments):
        """Starts a client; each has its own range of ids. A POST has 200 bytes where nothing else is said."""
        self.ids += IDS
        if arguments.get("method") == "POST":
            arguments.setdefault("body", 200)
        words = [f"{name}={value}" for name, value in arguments.items() if value is not None]
        command = self.hosts.on(self.hosts.client, self.client, f"ca={self.folder}/ca.pem", f"first={self.ids}", *words)
        marks = {file: file.stat().st_size for file in self.folder.glob("*.log")}
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        return Client(process, arguments, self.ids, marks)

    def requests(self, title, log, allowed=0, limit=None, statuses=(200,), during=None, **arguments):
        """One row of one client, while `during` is repeated every so many seconds: a pair of them and a function."""
        client = self.run(**arguments)
        if during:
            interval, action = during
            while not client.has_ended(interval() if callable(interval) else interval):
                action()
        return self.row(title, [client], log, allowed, limit, statuses)

    def row(self, title, clients, log, allowed=0, limit=None, statuses=(200,), expected=None):
        """Adds what the clients report to a row.

        allowed    how many failures a request that may be sent again may have
        limit      how long a request may take, in seconds; None where that is not the subject
        expected   a kind of failure that there must be
        """
        row = self.rows.setdefault(title, Row(title))
        row.shows_longest |= limit is not None
        failed = {}
        resends = {}
        sent = 0
        succeeded = 0
        for client in clients:
            report = client.report()
            if report is None:
                row.unmet.append("a client crashed or did not end")
                continue
            sent += report["sent"]
            resends.update(report["resends"])
            row.longest = max(row.longest, report["longest"])
            if report.get("cancellation", 0) > 0.1:
                row.unmet.append(f"the cancellation took {report['cancellation']:.1f} s")
            for kind, ids in report["failures"].items():
                failed.setdefault(kind, []).extend(ids)
            for status, count in report["statuses"].items():
                succeeded += count if int(status) < 400 else 0
                if int(status) not in statuses:
                    failed.setdefault(f"status {status}", []).extend([None] * count)
            for kind, text in report["examples"].items():
                warn(f"    {kind}: {text}")
        row.sent += sent
        row.failed.append(sum(map(len, failed.values())))
        seen = processed_ids(self.servers.log(log), clients) if log else {}
        for kind, ids in failed.items():
            row.kinds[kind] += len(ids)
            row.processed[kind] += sum(1 for each in ids if each in seen)
        row.counted = log is not None
        if log and len(seen) < succeeded:
            row.unmet.append(f"the log has {len(seen)} ids, of {succeeded} responses")
        twice = [number for number, count in seen.items() if count > 1]
        row.twice += len(twice)
        # What must be seen. A failure that is honestly unknown is allowed where the method is not idempotent.
        is_post = any(client.arguments.get("method") == "POST" for client in clients)
        certain = sum(len(ids) for kind, ids in failed.items()
                      if kind != expected and not (is_post and "unknown" in kind))
        if expected and expected not in failed:
            row.unmet.append(f"none failed by {expected}")
        if certain > allowed:
            row.unmet.append(f"{certain} failed, {allowed} may")
        if is_post and twice:
            row.unmet.append(f"{len(twice)} POSTs processed twice")
            for number in twice:
                warn(f"    {number} was processed twice: {resends.get(str(number), 'no reason is known')}")
        if any(" no" in kind and row.processed[kind] for kind in failed):
            row.unmet.append("processed, although the error says that it was not")
        if limit is not None and row.longest > limit:
            row.unmet.append(f"a request took {row.longest:.1f} s, {limit} s at the most")
        warn("  " + " | ".join(row.cells()))


class Client:
    """A running client."""

    def __init__(self, process, arguments, first, marks):
        self.process = process
        self.arguments = arguments
        self.first = first
        # The sizes of the servers' logs when it started.
        self.marks = marks
        self.output = None

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
            warn(f"    no end after {LIMIT} s: {self.arguments}")
            self.process.kill()
            self.process.communicate()
            return None
        try:
            return json.loads(self.output)
        except ValueError:
            warn(f"    status {self.process.returncode}: {self.output[-500:]}")
            return None


def processed_ids(log, clients):
    """How often each id of these clients was processed, by a server's log. A request rejected by its status was not."""
    # A server may write the last lines after its response.
    time.sleep(0.3)
    seen = collections.Counter()
    if not log.exists():
        return seen
    firsts = {client.first for client in clients}
    with open(log, "rb") as file:
        file.seek(min(client.marks.get(log, 0) for client in clients))
        lines = file.read().decode(errors="replace").splitlines()
    for line in lines:
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

SCENARIOS = {}


def scenario(*servers):
    """Registers a function as the scenario of its name, with the servers that it needs."""
    def register(function):
        SCENARIOS[function.__name__.replace("_", "-")] = (function, servers)
        return function
    return register


def many(lab, title, log, url, variants=EACH, count=10_000, **arguments):
    """A row for each variant, with 64 requests at a time."""
    for version, method in variants:
        lab.requests(f"{title}, {VERSIONS[version]} {method}", log, url=url, version=version, method=method,
                     concurrency=64, count=None if "seconds" in arguments else lab.scaled(count), **arguments)


@scenario("app", "nginx")
def nginx(lab):
    many(lab, "nginx as installed", "app", WWW, count=20_000)


@scenario("app", "nginx")
def goaway(lab):
    many(lab, "nginx, 100 requests a connection", "app", f"{WWW}:4410", HTTP2)


@scenario("app", "nginx")
def streams(lab):
    many(lab, "nginx, 4 streams a connection", "app", f"{WWW}:4404", HTTP2)


@scenario("node")
def goaway_node(lab):
    many(lab, "GOAWAY after 100 streams, then close", "node", f"{WWW}:8444", HTTP2_ONLY, timeout=35, limit=10)
    many(lab, "GOAWAY with error 2 after 100 streams, then close", "node", f"{WWW}:8445", HTTP2_ONLY, timeout=35, limit=10)


@scenario("half_open")
def half_open(lab):
    many(lab, "GOAWAY after 100 streams, then close_notify, TCP stays open", "half_open", f"{WWW}:8446/half-open/100",
         HTTP2_ONLY, timeout=35, limit=10)


@scenario("node")
def refused(lab):
    many(lab, "each seventh stream REFUSED_STREAM", "node", f"{WWW}:8443/refused", HTTP2)


@scenario("app", "nginx")
def reload(lab):
    many(lab, "nginx reloaded under load", "app", WWW, seconds=lab.scaled(10) + 2,
         during=(1.1, lambda: lab.servers.reload("nginx")))


@scenario("app", "nginx")
def certificate(lab):
    """nginx gets another certificate: of the same authority, then of one that the client doesn't trust."""
    many(lab, "nginx's certificate renewed under load", "app", WWW, seconds=lab.scaled(10) + 2,
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


@scenario("app", "nginx")
def workers(lab):
    """A GET fails that is lost twice: with its connection's last request, which nginx limits, and with a worker."""
    many(lab, "nginx's workers killed under load", "app", WWW, seconds=lab.scaled(10) + 2, allowed=20,
         during=(1.4, lambda: lab.servers.kill_workers("nginx")))


@scenario("app", "nginx", "squid")
def squid(lab):
    many(lab, "squid's CONNECT to nginx", "app", WWW, HTTP2, proxy=f"http://{SERVER}:3128")


def at_intervals(lab, title, url, variants, intervals, count):
    """Clients for all variants at the same time, one for each interval, because most of the time they wait."""
    clients = {
        variant: [lab.run(url=url, version=variant[0], method=variant[1], count=count, interval=interval, timeout=10)
                  for interval in intervals]
        for variant in variants}
    for (version, method), several in clients.items():
        lab.row(f"{title}, {VERSIONS[version]} {method}", several, "app")


@scenario("app", "haproxy")
def haproxy(lab):
    at_intervals(lab, "HAProxy, http-keep-alive 2s, a request each 2.0 s", f"{WWW}:5443", EACH,
                 [1.995, 2.0, 2.0, 2.001, 2.002, 2.005], 5 if lab.options.quick else 16)


@scenario("app", "nginx")
def keep_alive(lab):
    at_intervals(lab, "Keep-Alive: timeout=3, a request each 2.9 to 3.1 s", f"{WWW}:4403", EACH,
                 [2.9, 2.95, 2.99, 3.0, 3.0, 3.005, 3.05, 3.1], 4 if lab.options.quick else 12)


@scenario("app", "nginx")
def silence(lab):
    """The connections that are open are forgotten; new ones work."""
    # The time limit of a request, and how many are sent at a time. Without a limit, that of a stall applies: 60 s.
    settings = [(1, 1), (10, 1), (1, 8)] + ([] if lab.options.quick else [(None, 1)])
    clients = {
        (version, method, timeout, concurrency): lab.run(
            url=WWW, version=version, method=method, seconds=20, interval=0.25,
            timeout=timeout, concurrency=concurrency)
        for version, method in EACH for timeout, concurrency in settings}
    time.sleep(3)
    lab.hosts.forget(443)
    for (version, method, timeout, concurrency), client in clients.items():
        title = f"connection dies silently, {f'time limit {timeout} s' if timeout else 'no time limit'}"
        if concurrency > 1:
            title += f", {concurrency} at a time"
        lab.row(f"{title}, {VERSIONS[version]} {method}", [client], "app", allowed=concurrency,
                limit=(timeout or 60) + 1)
    lab.hosts.heal()


@scenario("nginx")
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
        lab.hosts.forget(443)
    for version, (file, client) in clients.items():
        title = f"download with 40 attempts, silent deaths, {VERSIONS[version]}"
        lab.row(title, [client], None, limit=40, statuses=(200, 206))
        if not file.exists() or file.read_bytes() != whole:
            lab.rows[title].unmet.append("the file is not the whole one")
        file.unlink(missing_ok=True)
    lab.hosts.heal()


@scenario("app", "nginx")
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
    lab.hosts.heal()


@scenario("app", "nginx")
def eight(lab):
    """A name with eight addresses, of which seven drop packets."""
    lab.hosts.name(many=OTHERS)
    lab.hosts.kill_addresses(*OTHERS[:7])
    clients = {version: lab.run(url="https://many.lab.test", version=version, count=2, timeout=15)
               for version in NEGOTIATED}
    for version, client in clients.items():
        lab.row(f"eight addresses, seven dead, {VERSIONS[version]}", [client], "app", limit=10)
    lab.hosts.heal()


@scenario("app", "nginx")
def happy(lab):
    """A name whose IPv6 address drops packets."""
    lab.hosts.name(both=[SERVER6, SERVER])
    lab.hosts.kill_addresses(SERVER6)
    for version in NEGOTIATED:
        lab.requests(f"IPv6 dead, IPv4 alive, {VERSIONS[version]}", "app", url="https://both.lab.test", version=version,
                     count=5, timeout=10, limit=1)
    lab.hosts.heal()


@scenario("app", "nginx")
def ipv6(lab):
    """A network without IPv4."""
    lab.hosts.name(six=[SERVER6])
    lab.hosts.kill_addresses(SERVER, *OTHERS)
    many(lab, "IPv6 only", "app", "https://six.lab.test", count=2_000)
    lab.hosts.heal()


@scenario("app", "nginx")
def name_server(lab):
    """Requests beside one that waits for a name server without a response."""
    lab.hosts.kill_addresses(OTHERS[0])
    for version in NEGOTIATED:
        lab.requests(f"requests while the name server is silent, {VERSIONS[version]}", "app", url=WWW, version=version,
                     count=200, interval=0.01, limit=0.5, silent="https://silent.example")
    lab.hosts.heal()


def early(lab, server, url, versions, statuses):
    for version in versions:
        for size in (5, 20):
            lab.requests(f"{server}, early response to POST of {size} MB, {VERSIONS[version]}", server.lower(), url=url,
                         version=version, method="POST", body=size << 20, count=4 if lab.options.quick else 24,
                         concurrency=8, timeout=20, statuses=statuses)


@scenario("app", "nginx")
def early_nginx(lab):
    early(lab, "nginx", WWW, NEGOTIATED, (413,))


@scenario("apache")
def early_apache(lab):
    early(lab, "Apache", f"{WWW}:6443/index.html", NEGOTIATED, (200, 413))


@scenario("caddy")
def early_caddy(lab):
    early(lab, "Caddy", f"{WWW}:7443", NEGOTIATED, (200,))


@scenario("node")
def early_node(lab):
    early(lab, "Node", f"{WWW}:8443/early", NEGOTIATED, (413,))


@scenario("gunicorn")
def early_gunicorn(lab):
    early(lab, "gunicorn", "http://www.lab.test:9080", ["http1"], (200,))


@scenario("caddy")
def caddy(lab):
    many(lab, "Caddy", "caddy", f"{WWW}:7443", count=5_000)


@scenario("apache")
def apache(lab):
    many(lab, "Apache", "apache", f"{WWW}:6443/index.html", count=5_000)


@scenario("node")
def node(lab):
    many(lab, "Node", "node", f"{WWW}:8443", count=5_000)


@scenario("app", "nginx")
def once(lab):
    """POSTs with reloads, killed workers and cut connections at random. Some wait for a connection until their timeout."""
    def disturb():
        random.choice([
            lambda: lab.servers.reload("nginx"), lambda: lab.servers.kill_workers("nginx"),
            lambda: lab.hosts.forget(443, one=True)])()

    many(lab, "reloads, kills and cuts at random", "app", WWW, POSTS, count=lab.options.posts, timeout=5,
         allowed=lab.options.posts // 100, resends=1, during=(lambda: random.uniform(0.05, 0.3), disturb))
    lab.hosts.heal()


# --- all of it ------------------------------------------------------------------------------------------

def table(rows):
    print("| scenario | sent | failed | failures by error code and wasProcessed | processed twice |")
    print("|---|---|---|---|---|")
    for row in rows:
        print(f"| {' | '.join(row.cells())} |")
    unmet = [(row.title, text) for row in rows for text in dict.fromkeys(row.unmet)]
    if unmet:
        print("\nNot as it must be:")
        for title, text in unmet:
            print(f"- {title}: {text}")
    sys.stdout.flush()
    return not unmet


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--hosts", nargs=2)
    parser.add_argument("--client")
    parser.add_argument("--venv", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--posts", type=int, default=20_000)
    parser.add_argument("--only", default="")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    if options.list:
        print("\n".join(SCENARIOS))
        return 0
    names = options.only.split(",") if options.only else list(SCENARIOS)
    for name in names:
        if name not in SCENARIOS:
            warn(f"there is no scenario '{name}'; there are: {', '.join(SCENARIOS)}")
            return 2
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))
    hosts = Hosts(options.folder, *options.hosts)
    try:
        hosts.make()
        servers = Servers(hosts, options.folder, options.venv)
        lab = Lab(hosts, servers, options.folder, options.client, options)
        for _ in range(options.rounds):
            for name in names:
                run(lab, name)
        return 0 if table(lab.rows.values()) else 1
    finally:
        hosts.remove()


def run(lab, name):
    function, needed = SCENARIOS[name]
    start = time.monotonic()
    warn(f"{name}:")
    try:
        lab.servers.start(*needed)
    except Missing as reason:
        row = lab.rows.setdefault(name, Row(name))
        row.skipped = " ".join(str(reason).split())
        warn(f"  skipped: {reason}")
        return
    function(lab)
    warn(f"  {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    sys.exit(main())
