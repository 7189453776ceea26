"""Checks the relative links of Markdown pages, anchors included.

    links.py PAGE…

Anchors are made of headings as GitHub makes them: lower case, without punctuation, `-` for a space, and a number
behind a heading that comes again.
"""

import functools
import pathlib
import re
import sys

import pages

LINK = re.compile(r"!?\[(?:[^\]\[]|\[[^\]]*\])*\]\(<?([^)<>\s]+)>?(?:\s+\"[^\"]*\")?\)")
REFERENCE = re.compile(r"^\[[^\]]+\]:\s+(\S+)")


def prose(page):
    """The lines of a page outside of code blocks and comments, with their numbers."""
    return [(part.number, part.text) for part in pages.parts(page) if isinstance(part, pages.Line)]


@functools.cache
def anchors(page):
    found = {}
    names = set()
    for _, line in prose(page):
        heading = re.match(r"#{1,6}\s+(.*?)\s*#*$", line)
        if heading:
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1])
            slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
            count = found.get(slug, 0)
            found[slug] = count + 1
            names.add(f"{slug}-{count}" if count else slug)
        names.update(re.findall(r'<a (?:id|name)="([^"]+)"', line))
    return names


def problem(page, target):
    if re.match(r"[a-z][a-z0-9+.-]*:", target):
        return None
    path, _, anchor = target.partition("#")
    file = (page.parent / path).resolve() if path else page.resolve()
    if not file.exists():
        return f"there is no {path}"
    if anchor and file.suffix == ".md" and anchor not in anchors(file):
        return f"there is no heading #{anchor} in {path or page}"
    return None


links = 0
broken = 0
for name in sys.argv[1:]:
    page = pathlib.Path(name)
    for number, line in prose(page):
        line = re.sub(r"`[^`]*`", lambda code: " " * len(code[0]), line)
        targets = LINK.findall(line) + REFERENCE.findall(line)
        for target in targets:
            links += 1
            what = problem(page, target)
            if what:
                broken += 1
                print(f"{page}:{number}: {what}")
if broken:
    sys.exit(f"{broken} of {links} links are broken")
print(f"{links} links in {len(sys.argv) - 1} pages, all alive")
