"""Writes what a reader of a page has at its end into an empty folder, out of the page's own blocks.

    walks.py PAGE FOLDER LIBRARY

PAGE is one of `walks` below. A block behind a line that ends with the name of a file, or that begins with it, is that
file. LIBRARY takes the place of the clone beside the folder. What a page leaves to the reader, as the address of an API,
is filled in here.
"""

import pathlib
import re
import sys

import pages


def blocks(page, kept=lambda line: False):
    """All blocks of Swift but those that the page skips; of those it keeps what begins with a line that `kept` likes."""
    swift = [block for block in pages.blocks(page) if block.language == "swift"]
    return [block for block in swift if block.wish != "skip" or kept(block.lines[0])]


def named(block):
    """The file that the line before the block names, or None."""
    name = re.search(r"`(Package\.swift|(?:Sources|Tests)/\S+\.swift)`(?::$| begins with these lines)", block.before)
    return name and name[1]


def getting_started(page):
    """From step 6 on each block is added to `main.swift`."""
    main, files = "Sources/UsersTool/main.swift", {}
    for block in blocks(page):
        if name := named(block):
            files[name] = block.lines
        elif int(block.heading.split(".")[0]) > 5:
            files[main] += ["", *block.lines]
    check(len(files) == 5, files)
    return files


def testing(page):
    """The first block is the manifest; what follows the named files is added to the last of them."""
    manifest, *rest = blocks(page, kept=lambda line: line.startswith("import "))
    files = {"Package.swift": manifest.lines}
    for block in rest:
        if name := named(block):
            files[name] = block.lines
        else:
            files["Tests/MyAppTests/UserServiceTests.swift"] += ["", *block.lines]
    check(len(files) == 3, files)
    return files


def access_safe(page):
    """The client with tokens, in a program whose server stands in for the API."""
    found = {}
    for block in blocks(page):
        found.setdefault(block.heading, []).append(block.lines)
    [client] = found["A client with tokens"]
    text, addresses = re.subn(r'"https://api\.example\.com"', "server.url", "\n".join(client))
    check(addresses == 1, found)
    reader = [
        "struct User: Decodable { let id: Int }",
        "let server = try startApi()",
        'let savedPair: TokenPair? = TokenPair(accessToken: "t-1", refreshToken: "r-1")',
        '@Sendable func save(_ pair: TokenPair?) { print("kept \\(pair?.accessToken ?? "nothing")") }',
    ]
    report = [
        "print(user)",
        'print("\\(server.requests.count) requests")',
        'for seen in server.requests { print("seen \\(seen.path) \\(seen.headers["Authorization"] ?? seen.text)") }',
    ]
    main = ["import Foundation", "import NetChainKit", *reader, text, *report]
    products = ["NetChainKit", "NetChainTestKit"]
    return {
        "Package.swift": manifest("SessionTool", products),
        "Sources/SessionTool/main.swift": main,
        "Sources/SessionTool/Api.swift": (pathlib.Path(__file__).parent.parent / "Walks/TokenApi.swift")
        .read_text()
        .splitlines(),
    }


def readme(page):
    """The first request, and then its longer form, against a server that stands in for the API."""
    short, long = [block.lines for block in blocks(page) if block.heading == "A first request"][:2]
    check(len(short) == 10 and long[0] == "do {", {"A first request"})
    address = '"https://api.example.com"'
    check(sum(address in line for line in short) == 1, {"A first request"})
    api = [
        "import NetChainTestKit",
        "let server = try LoopbackServer()",
        'server.on(.get, "/users/1", respond: .json(#"{"name": "Ada"}"#))',
    ]
    main = [*api, *(line.replace(address, "server.url") for line in short), *long]
    return {
        "Package.swift": manifest("FirstRequest", ["NetChainKit", "NetChainTestKit"]),
        "Sources/FirstRequest/main.swift": main,
    }


def manifest(name, products):
    """For a page that has none: it begins in the reader's own package."""
    wanted = ", ".join(f'.product(name: "{product}", package: "NetChainKit")' for product in products)
    return [
        "// swift-tools-version: 6.0",
        "import PackageDescription",
        f'let package = Package(name: "{name}", platforms: [.macOS(.v15)],',
        '    dependencies: [.package(path: "../NetChainKit")],',
        f'    targets: [.executableTarget(name: "{name}", dependencies: [{wanted}])])',
    ]


def check(fits, found):
    if not fits:
        sys.exit(f"{page}: the page has another form than this script knows: {sorted(found)}")


walks = {"README": readme, "GettingStarted": getting_started, "Testing": testing, "AccessSafe": access_safe}
page, folder, library = (pathlib.Path(argument) for argument in sys.argv[1:])
for name, lines in walks[page.stem](page).items():
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "\n".join(lines) + "\n"
    if name == "Package.swift":
        text = text.replace('"../NetChainKit"', f'"{library}"')
        text = text.replace('package: "NetChainKit"', f'package: "{library.name.lower()}"')
    path.write_text(text)
