"""What a Markdown page is made of, for samples.py and links.py, which import it.

`parts(page)` gives the lines of prose, with their numbers, and the blocks of code in their order. What stands in front
of a block of Swift may say something about it, its *wish*, and a comment may hold code that a reader doesn't see:

    <!-- sample: WISH REASON -->
    <!-- sample-prelude
    code
    -->

A page that isn't as it should be ends the script: a block without an end, Swift that is indented or marked in another
way, a wish that nobody knows or that has no block.
"""

import pathlib
import re
import sys
from dataclasses import dataclass

WISHES = ("skip", "manifest", "anew")


@dataclass
class Line:
    """A line of prose, headings included."""

    number: int
    text: str


@dataclass
class Block:
    """A block of code, or a prelude, whose language is "prelude"."""

    language: str
    # The number of the first line of code.
    first: int
    lines: list
    wish: str = ""


def fail(page, line, message):
    sys.exit(f"{page}:{line}:1: error: {message}")


def parts(page):
    """The `Line`s of prose and the `Block`s of a page; other comments are left out."""
    lines = pathlib.Path(page).read_text(encoding="utf-8").split("\n")
    wish = ""
    index = 0
    while index < len(lines):
        line = lines[index]
        fence = re.match(r"\s*(```+|~~~+)\s*(.*?)\s*$", line)
        asked = re.fullmatch(r"<!-- sample: (\w+)(?: (.*))? -->", line)
        start = index
        if fence:
            index = end_of(page, lines, start, fence[1])
            language = fence[2]
            if language.lower().startswith("swift") and line != "```swift":
                fail(page, start + 1, "a Swift block begins with '```swift' alone, at the line's start")
            if wish and language != "swift":
                fail(page, start + 1, "a wish stands before a block that is not Swift")
            yield Block(language, start + 2, lines[start + 1 : index], wish)
            wish = ""
        elif asked:
            wish = asked[1]
            if wish not in WISHES or (wish == "skip" and not asked[2]):
                fail(page, start + 1, "not known: see Scripts/checks/samples.py")
        elif line == "<!-- sample-prelude":
            index = end_of(page, lines, start, "-->")
            yield Block("prelude", start + 2, lines[start + 1 : index])
        elif line.startswith("<!--"):
            if line.startswith("<!-- sample"):
                fail(page, start + 1, "not known: see Scripts/checks/samples.py")
            while "-->" not in lines[index]:
                index += 1
                if index == len(lines):
                    fail(page, start + 1, "the comment that begins here does not end")
        else:
            if line.strip():
                # What begins anew may be told of in between.
                if wish and wish != "anew":
                    fail(page, start + 1, "no block follows the comment before")
            yield Line(start + 1, line)
        index += 1
    if wish:
        fail(page, len(lines), "no block follows the last comment")


def end_of(page, lines, start, mark):
    """Where the block that begins at the line `start` ends: at the next line that is `mark`."""
    for index in range(start + 1, len(lines)):
        if lines[index].strip() == mark:
            return index
    fail(page, start + 1, f"the block that begins here has no '{mark}'")
