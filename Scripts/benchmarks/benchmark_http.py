"""The measurements of Scripts/benchmark-http.sh, which see."""

import argparse
import contextlib
import io
import pathlib
import signal
import statistics
import subprocess
import sys
import time

from benchmark_server import LARGE, Nginx, SlowServer

MANY = 10_000
IDLE = 5_000

# What is measured: a name for the table, the program, and how it is used.
C = ("C, `curl_multi_poll`", "CurlClient", "")
TUNED = ("C, tuned", "CurlClient", "tuned")
SENDER = [
    ("sender, callbacks", "NetChainClient", "sender-callback"),
    ("sender, `await`", "NetChainClient", "sender-await"),
]
CHAIN = [
    ("chain as built, `await`", "NetChainClient", "chain-await"),
    ("chain as built, callbacks on the main queue", "NetChainClient", "chain-main"),
    ("chain, callbacks where it runs", "NetChainClient", "chain-callback"),
]
BUILT = [
    ("a kept chain", "NetChainClient", "chain-await"),
    ("a builder's chain for each", "NetChainClient", "builder-await"),
    ("`api.get(…).send()`", "NetChainClient", "client-await"),
    ("the same with a middleware", "NetChainClient", "middleware-await"),
    ("the same with a node", "NetChainClient", "node-await"),
]
AHC = ("async-http-client + JSONDecoder", "AsyncHttpClient", "")
SESSION = ("URLSession + JSONDecoder", "UrlSessionClient", "")
ALL = [C, TUNED, *SENDER, *CHAIN, AHC, SESSION]
# URLSession on Linux can't be told of other authorities than the system's.
TLS = ALL[:-1]


class Measuring:
    """Runs the clients and keeps their figures: one dictionary a round for each row and client."""

    def __init__(self, programs, nginx, options):
        self.programs = pathlib.Path(programs)
        self.nginx = nginx
        self.options = options
        self.figures = {}
        # For each row and client, round by round: its figures and those of the C program beside it.
        self.beside = {}

    def run(self, client, **arguments):
        """The figures of one run, or nothing where the client failed."""
        _, program, mode = client
        words = [f"{name}={value}" for name, value in arguments.items() if value is not None]
        try:
            done = subprocess.run([self.programs / program, f"mode={mode}", *words], capture_output=True, text=True,
                                  timeout=180)
        except subprocess.TimeoutExpired:
            print(f"{program} {mode} {' '.join(words)}: no end after three minutes", file=sys.stderr)
            return None
        if done.returncode != 0:
            print(f"{program} {mode} {' '.join(words)}: {done.stderr.strip()[-500:]}", file=sys.stderr)
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
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


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


def best(*values):
    return max((value for value in values if value is not None), default=None)


def requests(measuring, checks):
    nginx, quick = measuring.nginx, measuring.options.quick
    time_of = {"warmup": 80, "duration": 200}
    small, medium = nginx.http + "/user.json", nginx.http + "/users.json"
    h2 = {"http2": 1, "ca": nginx.authorities}
    rows = []

    def row(name, url, concurrency, **more):
        rows.append((name, TLS if "ca" in more else ALL, {"url": url, "concurrency": concurrency, **time_of, **more}))
        # Who sleeps after each request is at the mercy of the machine: one at a time is measured again and again.
        if not quick:
            rows.append(("small, 1", [C, SENDER[0]], rows[0][2]))

    for count in (1, 16, 64):
        row(f"small, {count}", small, count)
    for count in (64,) if quick else (1, 16, 64):
        row(f"20 KB, {count}", medium, count, model="users")
    for count in (64,) if quick else (1, 16, 64):
        row(f"HTTP/2 small, {count}", nginx.tls + "/user.json", count, **h2)
    if not quick:
        row("HTTP/2 20 KB, 64", nginx.tls + "/users.json", 64, model="users", **h2)
    measuring.measure(rows)

    print("## Requests\n")
    print("Requests a second against C right beside it (processor time a request against C's). Release builds. \"C\" is a "
          "loop around `curl_multi_poll`; \"C, tuned\" gives new requests a turn before it polls, sets its header lines "
          "once and reserves its buffers. \"As built\" is a chain with a route and a sender, a typed model, and no other "
          "operation; \"in place\" is the same with `run(on: .inPlace, answer: .inPlace)`. \"Sender\" is the libcurl "
          "sender without a chain.\n")
    names = list(dict.fromkeys(name for name, _, _ in rows))
    table(["client", *names], (
        [client[0], *(f"{show(measuring.ratio(name, client))} ({show(measuring.ratio(name, client, 'cpu'))})"
                      for name in names)] for client in ALL))
    if not quick:
        print(f'"{SENDER[0][0]}" and C beside it were measured {len(rows) - len(names) + 1} times a round with "small, 1".\n')
    print("p50 / p99 in microseconds, as measured.\n")
    table(["client", *names], (
        [client[0], *(f"{show(measuring.median(name, client, 'p50'), '{:.0f}')} / "
                      f"{show(measuring.median(name, client, 'p99'), '{:.0f}')}" for name in names)] for client in ALL))
    print("Most memory of the process in MB.\n")
    table(["client", *names], (
        [client[0], *(show(megabytes(measuring.median(name, client, "memory")), "{:.0f}") for name in names)]
        for client in ALL))

    ratio = measuring.ratio
    callbacks = SENDER[0]
    # The floors leave room for simplicity: libcurl 7.88.1, a handle serves one transfer.
    awaited = SENDER[1]
    for count, floor in ((16, 0.62), (64, 0.70)):
        checks.at_least(f"sender, await, {count} at a time", ratio(f"small, {count}", awaited), floor)
    checks.at_least("sender, callbacks, HTTP/2, 64 at a time", ratio("HTTP/2 small, 64", callbacks), 0.9)
    built, _, in_place = CHAIN
    for count, floor in ((1, 0.45), (16, 0.48), (64, 0.60)):
        checks.at_least(f"chain as built, await, {count} at a time", ratio(f"small, {count}", built), floor)
    for count, floor in ((16, 0.53), (64, 0.60)):
        checks.at_least(f"chain, callbacks where it runs, {count} at a time", ratio(f"small, {count}", in_place), floor)
    checks.at_least("chain as built, await, against async-http-client, 20 KB, 64",
                    ratio("20 KB, 64", built, to=AHC), 3)


def megabytes(kilobytes):
    return None if kilobytes is None else kilobytes * 1024 / 1e6


def large(measuring, checks):
    nginx = measuring.nginx
    time_of = {"warmup": 100, "duration": 200 if measuring.options.quick else 600}
    # nginx's folder is in memory; the programs' is on a disk, as the files of most users are.
    files = {"to a file in memory": nginx.folder / "received", "to a file on disk": measuring.programs / "received"}
    url = nginx.http + "/large.bin"
    sender, chain = SENDER[0], CHAIN[2]
    rows = [
        ("to memory", [C, sender, chain, AHC, SESSION], {"work": "memory", "url": url, **time_of}),
        *((name, [C, sender, AHC, SESSION], {"work": "file", "file": file, "url": url, **time_of})
          for name, file in files.items()),
        ("upload", [C, sender, AHC, SESSION],
         {"work": "upload", "size": LARGE, "url": nginx.http + "/upload/sent", **time_of}),
    ]
    measuring.measure(rows)
    print("## Large bodies\n")
    print(f"{LARGE // 1_000_000} MB, one at a time: bodies a second against C right beside it, and the most memory "
          "of the process in MB.\n")
    names = [name for name, _, _ in rows]
    table(["client", *names], (
        [client[0], *(f"{show(measuring.ratio(name, client))}, "
                      f"{show(megabytes(measuring.median(name, client, 'memory')), '{:.0f}')} MB"
                      if (name, client[0]) in measuring.figures else "–" for name in names)]
        for client in rows[0][1]))
    checks.at_least("download to memory", measuring.ratio("to memory", sender), 1.2)
    for name in files:
        checks.at_least(f"download {name}", measuring.ratio(name, sender), 1.6)
    memory = megabytes(measuring.median("to memory", sender, "memory"))
    checks.at_most("MB of memory over a body in memory", memory and memory - LARGE / 1e6, 20)
    checks.at_most("MB of memory with a body in a file",
                   megabytes(measuring.median("to a file on disk", sender, "memory")), 20)


def connections(measuring, checks):
    nginx = measuring.nginx
    folder = ("C with Debian's folder of authorities", "CurlClient", "ca-folder")
    clients = [C, SENDER[0], folder]
    arguments = {"work": "connect", "url": nginx.tls + "/user.json", "ca": nginx.authorities, "warmup": 100,
                 "duration": 200 if measuring.options.quick else 500}
    measuring.measure([("new connection", clients, arguments)])
    print("## New HTTPS connections\n")
    print("One after the other: processor time against C, and in microseconds as measured.\n")
    table(["client", "against C", "µs"], (
        [client[0], show(measuring.ratio("new connection", client, "cpu")),
         show(measuring.median("new connection", client, "cpu"), "{:.0f}")] for client in clients))
    checks.at_most("new HTTPS connection, processor time",
                   measuring.ratio("new connection", SENDER[0], "cpu"), 1.3)


def many(measuring, checks):
    clients = [C, *SENDER]
    server = SlowServer(MANY)
    try:
        arguments = {"url": server.url + "/wait", "warmup": 0, "duration": 0}
        # Once: memory and threads are the same each time.
        measuring.measure([("many", clients, {"concurrency": MANY, **arguments})], rounds=1)
    finally:
        server.stop()
    alone = {client[0]: measuring.run(client, url=measuring.nginx.http + "/user.json", duration=200)
             for client in clients}

    def each(client):
        memory, base = measuring.median("many", client, "memory"), alone[client[0]]
        return None if memory is None or not base else (memory - base["memory"]) / MANY

    print(f"## {MANY:,} requests at a time\n")
    print("To a server that answers once all have come, a connection for each: KB of memory a request, over what the "
          "process has with one request; threads of the process.\n")
    table(["client", "KB a request", "threads"], (
        [client[0], show(each(client), "{:.1f}"),
         "1" if client == C else show(measuring.median("many", client, "threads"), "{:.0f}")] for client in clients))
    checks.at_most(f"KB a request, {MANY} at a time", each(SENDER[0]), 30)

    # Short runs, right after each other and often: there is no C program beside them whose figures would show a change
    # of the machine's speed. A server of its own for each, because what libcurl does beside idle connections depends on
    # the order in which its table has the two origins.
    usual = {"url": measuring.nginx.http + "/user.json", "concurrency": 16, "warmup": 100, "duration": 300}
    for number in range(2 * measuring.options.rounds):
        server = SlowServer(IDLE)
        pair = [
            ("none idle", SENDER[:1], usual),
            ("some idle", SENDER[:1], {**usual, "idle": IDLE, "idleurl": server.url}),
        ]
        try:
            measuring.measure(pair if number % 2 == 0 else pair[::-1], rounds=1)
        finally:
            server.stop()
    pairs = zip(measuring.figures[("some idle", SENDER[0][0])], measuring.figures[("none idle", SENDER[0][0])])
    ratios = sorted(one["cpu"] / other["cpu"] for one, other in pairs if one and other)
    ratio = statistics.median(ratios) if ratios else None
    print(f"With {IDLE:,} requests waiting for the answers of another server, a request of 16 others at a time costs "
          f"{show(ratio)} times the processor time that it costs alone: the median of {len(ratios)} servers on different "
          f"ports, {show(ratios[0] if ratios else None)} to {show(ratios[-1] if ratios else None)}.\n")
    checks.at_most(f"processor time a request beside {IDLE} idle ones", ratio, 1.3)


def inflight(measuring, checks):
    """What a request costs where many are in progress, or many connections are kept: each row with few and with many."""
    client = CHAIN[0]
    server = SlowServer(sys.maxsize)
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
        measuring.measure([(f"{row}, {count}", [client, AHC], arguments(count))
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

    table(["requests", "how many", client[0], AHC[0]], (
        [row, f"{count:,}", cell(row, count, client), cell(row, count, AHC)] for row, counts, _ in rows
        for count in counts))
    for row, (few, many), _ in rows:
        costs = [measuring.median(f"{row}, {count}", client, "cpu") for count in (few, many)]
        ratio = costs[1] / costs[0] if None not in costs else None
        checks.at_most(f"{row}: processor time a request, {many} against {few}", ratio, 1.5)
        other = measuring.median(f"{row}, {many}", AHC, "cpu")
        if other and costs[1]:
            checks.at_most(f"{row}: processor time against async-http-client's", costs[1] / other, 1)


def loops(measuring, checks):
    del checks
    rows = []
    for name, path, model in (("small", "/user.json", "user"), ("20 KB", "/users.json", "users")):
        for count in (1, 2):
            rows.append((f"{name}, loops {count}", [CHAIN[2]], {
                "url": measuring.nginx.http + path, "model": model, "concurrency": 64, "origins": 8, "loops": count,
                "warmup": 100, "duration": 200 if measuring.options.quick else 1000}))
    measuring.measure(rows)
    print("## Two loops\n")
    print("The chain with callbacks, 64 at a time, eight origins: requests a second with `loops = 2` against one "
          "loop.\n")
    for name in ("small", "20 KB"):
        pairs = zip(measuring.figures[(f"{name}, loops 2", CHAIN[2][0])],
                    measuring.figures[(f"{name}, loops 1", CHAIN[2][0])])
        values = [one["rate"] / other["rate"] for one, other in pairs if one and other]
        print(f"- {name}: {show(statistics.median(values) if values else None)}")
    print()


def building(measuring, checks):
    counts = (1, 64)
    rows = [(f"building, {count}", BUILT, {
        "url": measuring.nginx.http + "/user.json", "concurrency": count, "warmup": 150,
        "duration": 200 if measuring.options.quick else 1000}) for count in counts]
    measuring.measure(rows)
    print("## A chain for each request\n")
    print("Processor time of a small request, µs. The middleware and the node each add a header to each attempt.\n")
    table(["", *(f"{count} at a time" for count in counts)],
          [[client[0], *(show(measuring.median(f"building, {count}", client, "cpu"), "{:.0f}") for count in counts)]
           for client in BUILT])
    _, builder, api, middleware, node = BUILT
    for what, client, other, bound in (("the client's cost to the builder's", api, builder, 1.05),
                                       ("a middleware's cost to a node's", middleware, node, 1.1)):
        for count in counts:
            figures = [measuring.figures[(f"building, {count}", one[0])] for one in (client, other)]
            ratios = [one["cpu"] / two["cpu"] for one, two in zip(*figures) if one and two]
            checks.at_most(f"{what}, {count}", statistics.median(ratios) if ratios else None, bound)


def passes(measuring, checks):
    print("## A pass of 16 nodes without I/O\n")
    for words, mode, bound in (("ready", "pass-ready", 1), ("later", "pass-later", 4)):
        client = (words, "NetChainClient", mode)
        values = [one["pass"] for one in
                  (measuring.run(client, url="http://127.0.0.1/")
                   for _ in range(1 if measuring.options.quick else measuring.options.rounds)) if one]
        value = statistics.median(values) if values else None
        print(f"- the answer is {'ready' if words == 'ready' else 'given later'}: {show(value)} µs")
        checks.at_most(f"µs a pass, {words}", value, bound)
    print()


SECTIONS = {"requests": requests, "large": large, "connections": connections, "many": many, "inflight": inflight,
            "loops": loops, "building": building, "passes": passes}


PAGE = pathlib.Path(__file__).resolve().parent.parent.parent / "Docs/Performance.md"
BEGIN, END = "<!-- measured: begin -->\n", "<!-- measured: end -->"


def write_page(text):
    """Puts the tables into their place in Docs/Performance.md, one heading deeper."""
    page = PAGE.read_text()
    before, after = page.split(BEGIN)[0], page.split(END)[1]
    PAGE.write_text(before + BEGIN + text.replace("\n## ", "\n### ").strip() + "\n" + END + after)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--only")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    options.rounds = options.rounds or (2 if options.quick else 8)
    quick = ["requests", "large", "connections", "passes"]
    wanted = options.only.split(",") if options.only else quick if options.quick else list(SECTIONS)
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        report(options, wanted)
    print(output.getvalue())
    if options.write:
        write_page("\n" + output.getvalue())


def report(options, wanted):
    # Whoever stops it stops the servers too.
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


if __name__ == "__main__":
    main()
