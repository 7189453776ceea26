"""The measurements of Scripts/benchmark-http.sh, which see."""

import argparse
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import time

from benchmark_server import LARGE, Nginx, SlowServer

MANY = 10_000

# The clients: the name of the row, the program, and its mode.
C = ("C", "CurlClient", "")
SENDER = ("sender", "NetChainClient", "sender")
SENDER_THREAD = ("sender, on its thread", "NetChainClient", "sender-thread")
CLIENT = ("client", "NetChainClient", "client")
CLIENT_THREAD = ("client, on the sender's thread", "NetChainClient", "client-thread")
CHAIN = ("kept chain, `await`", "NetChainClient", "chain")
FAST = ("kept chain, `await`, fast models", "NetChainClient", "fast-models")
CALLBACKS = ("kept chain, callbacks", "NetChainClient", "callbacks")
AHC = ("async-http-client", "AsyncHttpClient", "")
AHC_DECODER = ("async-http-client, `JsonDecoder`", "AsyncHttpClient", "json-decoder")
SESSION = ("URLSession", "UrlSessionClient", "")
# URLSession on Linux can't be told of other authorities than the system's.
TLS = [C, SENDER, SENDER_THREAD, CLIENT, CLIENT_THREAD, CHAIN, CALLBACKS, AHC, AHC_DECODER]
ALL = [*TLS, SESSION]
# The order of the tables. The small document has no fast models.
SHOWN = [C, SENDER, SENDER_THREAD, CLIENT, CLIENT_THREAD, CHAIN, FAST, CALLBACKS, AHC, AHC_DECODER, SESSION]


class Measuring:
    """Runs the clients and keeps their figures: one dictionary a round for each row and client."""

    def __init__(self, programs, nginx, options):
        self.programs = pathlib.Path(programs)
        self.nginx = nginx
        self.options = options
        self.figures = {}
        # For each row and client, round by round: its figures and those of the C program beside it.
        self.beside = {}
        # The table of Docs/Performance.md, once it is measured.
        self.page = ""

    def run(self, client, **arguments):
        """The figures of one run, or nothing where the client failed."""
        _, program, mode = client
        environment = {name: str(value) for name, value in {"mode": mode, **arguments}.items()}
        try:
            done = subprocess.run([self.programs / program], env={**os.environ, **environment}, check=True,
                                  capture_output=True, text=True, timeout=180)
        except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as error:
            print(f"{program} {environment}: {error} {error.stderr}", file=sys.stderr)
            return None
        # A file's pages that wait to be written would be written during the next run.
        if "file" in arguments:
            pathlib.Path(arguments["file"]).unlink(missing_ok=True)
        return {name: float(value) for name, value in (word.split("=") for word in done.stdout.split())}

    def measure(self, rows, rounds=None):
        """Measures every row with each of its clients, round by round, every second one backwards, rows and clients.

        Where the C program is one of them it runs beside each of the others, because the machine's speed may have changed
        by the next client: right before it and after it, with two runs of the client between, or the other way round. Of
        two rounds or one, as in a quick run, each has one run of both.
        """
        rounds = rounds or self.options.rounds
        for number in range(rounds):
            print(f"Round {number + 1} of {rounds} …", file=sys.stderr)
            is_forth = number % 2 == 0
            for row, clients, arguments in rows if is_forth else reversed(rows):
                others = [client for client in clients if client != C]
                for client in others if is_forth else reversed(others):
                    pair = [C, client] if C in clients else [client]
                    pair = pair if is_forth else pair[::-1]
                    order = pair + pair[::-1] if C in pair and rounds > 2 else pair
                    runs = [(one[0], self.run(one, **arguments)) for one in order]
                    results = {one[0]: mean([figures for name, figures in runs if name == one[0]]) for one in pair}
                    for name, result in results.items():
                        self.figures.setdefault((row, name), []).append(result)
                    self.beside.setdefault((row, client[0]), []).append((results[client[0]], results.get(C[0])))

    def median(self, row, client, figure):
        """The median of a figure as measured."""
        values = [one[figure] for one in self.figures.get((row, client[0]), []) if one]
        return statistics.median(values) if values else None

    def ratio(self, row, client, figure="rate", to=C):
        """The median of the rounds' ratios of a figure to another client's: by way of the C program beside each."""
        ratios = self._ratios(row, client, figure)
        if to != C:
            ratios = [one / other if one and other else None
                      for one, other in zip(ratios, self._ratios(row, to, figure))]
        values = [ratio for ratio in ratios if ratio is not None]
        return statistics.median(values) if values else None

    def _ratios(self, row, client, figure):
        """A client's ratios to the C program, round by round; None where one of them failed."""
        if client == C:
            return [1.0] if any(self.figures.get((row, C[0]), [])) else []
        return [one[figure] / other[figure] if one and other and other[figure] else None
                for one, other in self.beside.get((row, client[0]), [])]


def mean(runs):
    """The means of the figures of several runs, and the most memory; None where one of them failed."""
    if None in runs:
        return None
    return {name: (max if name == "memory" else statistics.fmean)(run[name] for run in runs) for name in runs[0]}


def show(value, form="{:.2f}"):
    return "–" if value is None else form.format(value)


def table(head, rows):
    head, *rows = (f"| {' | '.join(row)} |\n" for row in [head, *rows])
    return "".join([head, "|---" * (head.count(" | ") + 1) + "|\n", *rows])


class Checks:
    """The project's own figures (PASS or MISS)."""

    def __init__(self):
        self.lines = []

    def at_least(self, what, value, bound):
        self._note(what, value, bound, "at least", value is not None and value >= bound)

    def at_most(self, what, value, bound):
        self._note(what, value, bound, "at most", value is not None and value <= bound)

    def _note(self, what, value, bound, words, passes):
        self.lines.append(f"{'PASS' if passes else 'MISS'}  {what}: {show(value)} ({words} {bound:g})")


def requests(measuring, checks):
    nginx, quick = measuring.nginx, measuring.options.quick
    time_of = {"warmup": 80, "duration": 200}
    h2 = {"http2": 1, "ca": nginx.authorities}
    rows = [(f"small, {count}", ALL, {"url": nginx.http + "/user.json", "concurrency": count, **time_of})
            for count in (1, 16, 64)]
    users = {"url": nginx.http + "/users.json", "model": "users", **time_of}
    rows += [(f"20 KB, {count}", [*ALL, FAST], {"concurrency": count, **users})
             for count in ((64,) if quick else (1, 16, 64))]
    rows += [("HTTP/2 small, 64", TLS, {"url": nginx.tls + "/user.json", "concurrency": 64, **h2, **time_of})]
    if not quick:
        users["url"] = nginx.tls + "/users.json"
        rows += [("HTTP/2 20 KB, 64", [*TLS, FAST], {"concurrency": 64, **h2, **users})]
    measuring.measure(rows)
    names = [name for name, _, _ in rows]
    ratio, median = measuring.ratio, measuring.median

    def cells(cell):
        """A table of what `cell` makes of a row's name and a client."""
        return table(["client", *names], (
            [client[0], *(cell(name, client) if (name, client[0]) in measuring.figures else "–" for name in names)]
            for client in SHOWN))

    measuring.page = cells(lambda name, client: f"{show(ratio(name, client))}, "
                                                f"{show(median(name, client, 'p50'), '{:.0f}')}")
    print("## Requests\n")
    print("Requests a second against C right beside it, and p50 in microseconds.\n")
    print(measuring.page)
    print("Processor time of a request against C's, and the most memory of the process in MB.\n")
    print(cells(lambda name, client: f"{show(ratio(name, client, 'cpu'))}, "
                                     f"{show(megabytes(median(name, client, 'memory')), '{:.0f}')}"))

    # The floors leave room for simplicity, and for machines whose threads take longer to wake up. libcurl 7.88.1.
    for client, floors in ((SENDER, {16: 0.62, 64: 0.70}), (CHAIN, {1: 0.45, 16: 0.48, 64: 0.60}),
                           (CLIENT, {1: 0.40, 16: 0.42, 64: 0.50})):
        for count, floor in floors.items():
            checks.at_least(f"{client[0]}, {count} at a time", ratio(f"small, {count}", client), floor)
    checks.at_least("sender, HTTP/2, 64 at a time", ratio("HTTP/2 small, 64", SENDER), 0.9)
    for client, floor in ((CHAIN, 0.23), (FAST, 0.31)):
        checks.at_least(f"{client[0]}, 20 KB, 64 at a time", ratio("20 KB, 64", client), floor)
    checks.at_least("client against async-http-client, 20 KB, 64 at a time", ratio("20 KB, 64", CLIENT, to=AHC), 3)


def megabytes(kilobytes):
    return None if kilobytes is None else kilobytes * 1024 / 1e6


def large(measuring, checks):
    nginx = measuring.nginx
    time_of = {"warmup": 100, "duration": 200 if measuring.options.quick else 600}
    # nginx's folder is in memory; the programs' is on a disk, as the files of most users are.
    files = {"to a file in memory": nginx.folder / "received", "to a file on disk": measuring.programs / "received"}
    url = nginx.http + "/large.bin"
    clients = [C, SENDER, AHC, SESSION]
    rows = [
        ("to memory", clients, {"work": "memory", "url": url, **time_of}),
        *((name, clients, {"work": "file", "file": file, "url": url, **time_of}) for name, file in files.items()),
        ("upload", clients, {"work": "upload", "size": LARGE, "url": nginx.http + "/upload/sent", **time_of}),
    ]
    measuring.measure(rows)
    print("## Large bodies\n")
    print(f"{LARGE // 1_000_000} MB, one at a time: bodies a second against C right beside it, and the most memory "
          "of the process in MB.\n")
    print(table(["client", *(name for name, _, _ in rows)], (
        [client[0], *(f"{show(measuring.ratio(name, client))}, "
                      f"{show(megabytes(measuring.median(name, client, 'memory')), '{:.0f}')} MB" for name, _, _ in rows)]
        for client in clients)))
    checks.at_least("download to memory", measuring.ratio("to memory", SENDER), 1.2)
    for name in files:
        checks.at_least(f"download {name}", measuring.ratio(name, SENDER), 1.6)
    memory = megabytes(measuring.median("to memory", SENDER, "memory"))
    checks.at_most("MB of memory over a body in memory", memory and memory - LARGE / 1e6, 20)
    checks.at_most("MB of memory with a body in a file",
                   megabytes(measuring.median("to a file on disk", SENDER, "memory")), 20)


def many(measuring, checks):
    """The memory of each of many requests that are in progress together."""
    clients = [C, SENDER, CLIENT, CHAIN]
    server = SlowServer()
    try:
        arguments = {"url": server.url + "/later", "warmup": 0, "duration": 0}
        # Once: memory is the same each time.
        measuring.measure([("many", clients, {"concurrency": MANY, **arguments})], rounds=1)
    finally:
        server.stop()
    alone = {client[0]: measuring.run(client, url=measuring.nginx.http + "/user.json", duration=200)
             for client in clients}

    def each(client):
        memory, base = measuring.median("many", client, "memory"), alone[client[0]]
        return None if memory is None or not base else (memory - base["memory"]) / MANY

    print(f"## {MANY:,} requests at a time\n")
    print("To a server that responds after five seconds, a connection for each: KB of memory a request, over what the "
          "process has with one request.\n")
    print(table(["client", "KB a request"], ([client[0], show(each(client), "{:.1f}")] for client in clients)))
    checks.at_most(f"KB a request of the sender, {MANY} at a time", each(SENDER), 30)


def inflight(measuring, checks):
    """What a request costs where many are in progress, or many connections are kept: each row with few and with many."""
    server = SlowServer()
    later = {"url": server.url + "/later", "kept": 64}
    crawl = {"url": server.url + "/now", "kept": 8_000, "concurrency": 200}
    http2 = {"url": measuring.nginx.tls + "/user.json", "http2": 1, "ca": measuring.nginx.authorities,
             "requests": 50_000}
    # The row, how many are in progress or kept in its two measurements, and the clients' arguments.
    rows = [
        ("to as many origins, answered after 5 s", (2_000, 16_000),
         lambda count: {**later, "origins": count, "concurrency": count, "requests": count}),
        ("to one origin, answered after 5 s", (2_000, 16_000),
         lambda count: {**later, "concurrency": count, "requests": count}),
        ("one to each of as many origins, 200 at a time", (2_000, 16_000),
         lambda count: {**crawl, "origins": count, "requests": count}),
        ("50,000 over HTTP/2", (64, 10_000), lambda count: {**http2, "concurrency": count}),
    ]
    try:
        measuring.measure([(f"{row}, {count}", [CLIENT, AHC], arguments(count))
                           for row, counts, arguments in rows for count in counts], rounds=1)
    finally:
        server.stop()
    print("## Many in progress\n")
    print("Microseconds of processor time a request; the median time of a request in milliseconds; the most memory of the "
          "process in MB.\n")

    def cell(row, count, which):
        name = f"{row}, {count}"
        median = measuring.median(name, which, "p50")
        return (f"{show(measuring.median(name, which, 'cpu'), '{:.0f}')}, "
                f"{show(median and median / 1e3, '{:.0f}')} ms, "
                f"{show(megabytes(measuring.median(name, which, 'memory')), '{:.0f}')} MB")

    print(table(["requests", "how many", CLIENT[0], AHC[0]], (
        [row, f"{count:,}", cell(row, count, CLIENT), cell(row, count, AHC)] for row, counts, _ in rows
        for count in counts)))
    for row, (few, many), _ in rows:
        costs = [measuring.median(f"{row}, {count}", CLIENT, "cpu") for count in (few, many)]
        ratio = costs[1] / costs[0] if None not in costs else None
        checks.at_most(f"{row}: processor time a request, {many} against {few}", ratio, 1.5)
        other = measuring.median(f"{row}, {many}", AHC, "cpu")
        if other and costs[1]:
            checks.at_most(f"{row}: processor time against async-http-client's", costs[1] / other, 1)


def passes(measuring, checks):
    print("## Without I/O\n")
    client = ("passes", "NetChainClient", "passes")
    figures = [one for one in (measuring.run(client, url="http://127.0.0.1/")
                               for _ in range(measuring.options.rounds)) if one]
    for name, what, bound in (("build", "build a request's chain", 1.5), ("ready", "pass 16 nodes, ready", 2),
                              ("later", "pass 16 nodes, pending", 12)):
        value = statistics.median(one[name] for one in figures) if figures else None
        print(f"- to {what}: {show(value)} µs")
        checks.at_most(f"µs to {what}", value, bound)
    print()


SECTIONS = {"requests": requests, "large": large, "many": many, "inflight": inflight, "passes": passes}


def write_page(text):
    """Puts the table of requests into its place in Docs/Performance.md."""
    file = pathlib.Path(__file__).resolve().parents[2] / "Docs/Performance.md"
    begin, end = "<!-- measured: begin -->\n", "<!-- measured: end -->"
    page = file.read_text()
    file.write_text(page.split(begin)[0] + begin + text + end + page.split(end)[1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--only")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    options.rounds = options.rounds or (2 if options.quick else 8)
    quick = ["requests", "large", "passes"]
    wanted = options.only.split(",") if options.only else quick if options.quick else list(SECTIONS)
    # The servers are stopped when this process is.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    start = time.monotonic()
    checks = Checks()
    nginx = Nginx()
    try:
        measuring = Measuring(options.programs, nginx, options)
        for name, section in SECTIONS.items():
            if any(word in name for word in wanted):
                section(measuring, checks)
    finally:
        nginx.stop()
    print("## Figures aimed at\n")
    print("```text")
    print("\n".join(checks.lines))
    print("```\n")
    print(f"Medians of {options.rounds} rounds; {time.monotonic() - start:.0f} s.")
    if options.write and measuring.page:
        write_page(measuring.page)


if __name__ == "__main__":
    main()
