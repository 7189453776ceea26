"""Checks the static site that docs.sh has built: each module has its page, and its catalogue's Topics name all of its
symbols.

    site.py SITE MODULE…
"""

import json
import pathlib
import sys


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


if len(sys.argv) < 3:
    sys.exit(__doc__)
check(pathlib.Path(sys.argv[1]), sys.argv[2:])
