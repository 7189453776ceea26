"""Looks at the static site that docs.sh has built.

    site.py SITE MODULE…               each module has its page, and its catalogue's Topics name all of its symbols
    site.py --look CHROMIUM SITE PNG   serves the site on 127.0.0.1, opens one page in headless Chromium, takes a
                                       picture and sees that the page shows what is documented there
"""

import functools
import http.server
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import threading


def check(site, modules):
    problems = []
    pages = 0
    for module in modules:
        folder = module.lower()
        data = site / "data" / "documentation" / f"{folder}.json"
        if not data.exists() or not (site / "documentation" / folder / "index.html").exists():
            problems.append(f"{module}: no page")
            continue
        pages += sum(1 for _ in (site / "data" / "documentation" / folder).rglob("*.json")) + 1
        page = json.loads(data.read_text(encoding="utf-8"))
        if not page.get("abstract"):
            problems.append(f"{module}: the landing page says nothing")
        for section in page.get("topicSections", []):
            # A section that docc makes itself has what the catalogue leaves out, and the symbols that
            # belong to other modules' types.
            if section.get("generated") and section["title"] != "Extended Modules":
                names = ", ".join(identifier.rsplit("/", 1)[-1] for identifier in section["identifiers"])
                problems.append(f"{module}.docc: no Topics name {names}")
    for problem in problems:
        print(problem)
    if problems:
        sys.exit(f"{len(problems)} faults in the site")
    print(f"{pages} pages of {len(modules)} modules", file=sys.stderr)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


def look(chromium, site, picture):
    handler = functools.partial(Quiet, directory=str(site))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/documentation/netchainkit/urlchainsbuilder/"
    with tempfile.TemporaryDirectory() as profile:
        command = [
            chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1280,1600",
            f"--user-data-dir={profile}", "--virtual-time-budget=10000",
        ]
        dom = subprocess.run(command + ["--dump-dom", url], capture_output=True, text=True, timeout=120).stdout
        subprocess.run(command + [f"--screenshot={picture}", url], capture_output=True, timeout=120, check=True)
    server.shutdown()
    text = re.sub(r"<[^>]*>", "", re.sub(r"<(script|style)\b.*?</\1>", "", dom, flags=re.S))
    # The class's own words, a member, and the module's name in the navigator: none of them is in the HTML as served.
    for expected in ["UrlChainsBuilder", "Builds chains for URL requests", "accessSafe"]:
        if expected not in text:
            sys.exit(f"{url} does not show '{expected}'")
    print(f"Chromium shows UrlChainsBuilder's page; the picture is {picture}", file=sys.stderr)


if len(sys.argv) == 5 and sys.argv[1] == "--look":
    look(sys.argv[2], pathlib.Path(sys.argv[3]), pathlib.Path(sys.argv[4]).resolve())
elif len(sys.argv) > 2:
    check(pathlib.Path(sys.argv[1]), sys.argv[2:])
else:
    sys.exit(__doc__)
