"""Writes the program of Docs/GettingStarted.md into an empty folder, as a reader does it.

getting_started.py PAGE FOLDER LIBRARY

A block behind a line that ends with the name of a file is that file. From step 6 on each block is added to `main.swift`
above its last line. LIBRARY takes the place of the clone beside the folder.
"""

import pathlib
import re
import sys

page, folder, library = sys.argv[1:]
folder = pathlib.Path(folder)
files = {}
main = "Sources/UsersTool/main.swift"
step = 0
skip = False
name = None
block = None
for line in pathlib.Path(page).read_text().splitlines():
    if block is not None:
        if line != "```":
            block.append(line)
            continue
        if not skip and name:
            files[name] = block
        elif not skip and step > 5:
            files[main][-1:-1] = ["", *block]
        block, name, skip = None, None, False
    elif line.startswith("```swift"):
        block = []
    elif line.startswith("```"):
        # Shell commands and what they print.
        block, skip = [], True
    elif heading := re.match(r"## (\d+)\.", line):
        step = int(heading[1])
    elif line.startswith("<!-- sample: skip"):
        skip = True
    elif line.strip() and not line.startswith("<!--"):
        named = re.search(r"`(Package\.swift|Sources/\S+\.swift)`:$", line)
        name = named[1] if named else None
if len(files) != 5 or not files[main][-1].startswith("await LogSink.standardError.drain()"):
    sys.exit(f"the page has another form than this script knows: {sorted(files)}")
for name, lines in files.items():
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "\n".join(lines) + "\n"
    if name == "Package.swift":
        text = text.replace('"../NetChainKit"', f'"{library}"')
        text = text.replace('package: "NetChainKit"', f'package: "{pathlib.Path(library).name.lower()}"')
    path.write_text(text)
