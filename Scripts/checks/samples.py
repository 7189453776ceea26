"""Turns the Swift samples of Markdown pages into a package that a compiler can check.

    samples.py [--main-actor] PACKAGE PAGE…

Each page becomes a target. Its ```swift blocks share one scope in their order: declarations (types, extensions,
functions) go to the file, statements to an async throwing function, those of each block in a scope inside the one of
the block before, so that a later block may use an earlier one's names and may reuse them for other values. A block
that imports Testing makes the page a test target. NetChainKit and Foundation are imported when a page doesn't.

With --main-actor the targets default to the main actor, as those of a new Xcode project, and the models of the pages
are `nonisolated`, as README says.

What stands in front of a block says what is special about it:

    <!-- sample: skip REASON -->   it is not compiled
    <!-- sample: manifest -->      it is a Package.swift, which is evaluated instead
    <!-- sample: anew -->          this block and those after it share nothing with those before
    <!-- sample-prelude
    code that the samples after it need and a reader doesn't
    -->
"""

import pathlib
import re
import shutil
import sys

import pages

DECLARATION = re.compile(
    r"(@\w+(\([^)]*\))?\s+)*((public|private|fileprivate|internal|package|open|final|indirect|nonisolated)\s+)*"
    r"(struct|class|enum|extension|protocol|actor|func|typealias)\b"
)
ATTRIBUTE = re.compile(r"@\w+(\([^)]*\))?\s*$")
MODEL = re.compile(r"(?=struct \w+: [\w, ]*(Codable|Decodable|Encodable)\b)")
IMPORT = re.compile(r"((public|internal|private)\s+)?(@testable\s+)?import\s+(\w+)")


class Unit:
    """What one target is made of."""

    def __init__(self, page, number):
        self.page = page
        stem = re.sub(r"\W", "", pathlib.Path(page).stem)
        self.name = f"{stem}Samples" + (str(number) if number > 1 else "")
        self.imports = []
        self.declarations = []
        self.blocks = []

    def add(self, lines, first):
        """Takes a block whose first line has the number `first`: its statements keep their lines."""
        statements = list(lines)
        index = 0
        while index < len(lines):
            end = index
            match = IMPORT.match(lines[index])
            if match:
                self.imports.append((first + index, lines[index], match[4]))
                statements[index] = ""
            while end < len(lines) and ATTRIBUTE.fullmatch(lines[end]):
                end += 1
            if end == len(lines):
                break
            if DECLARATION.match(lines[end]):
                text = lines[end]
                if "typealias" not in text.split("=")[0] and not ("{" in text and text.count("{") == text.count("}")):
                    while end < len(lines) and not lines[end].startswith("}"):
                        end += 1
                    if end == len(lines):
                        pages.fail(self.page, first + index, "the declaration does not end with '}' at the line's start")
                self.declarations.append((first + index, lines[index : end + 1]))
                statements[index : end + 1] = [""] * (end + 1 - index)
            index = end + 1
        if any(statements):
            self.blocks.append((first, statements))

    @property
    def is_test(self):
        return any(name == "Testing" for _, _, name in self.imports)

    def source(self):
        def located(line):
            return f'#sourceLocation(file: "{self.page}", line: {line})'

        names = {name for _, _, name in self.imports}
        text = []
        if not names & {"NodeCore", "Models", "Logging", "HttpMessages", "UrlTransport", "ResponseProcessing",
                        "AccessSafe"}:
            text += [] if "NetChainKit" in names else ["import NetChainKit"]
        text += [] if names & {"Foundation", "FoundationEssentials"} else ["import Foundation"]
        for line, statement, _ in self.imports:
            text += [located(line), statement]
        for line, lines in self.declarations:
            text += [located(line)] + lines
        if self.blocks:
            text += ["#sourceLocation()"] if self.imports or self.declarations else []
            text += ["func samples() async throws {"]
            for line, statements in self.blocks:
                text += ["do {", located(line), *statements, "#sourceLocation()"]
            text += ["}"] * (len(self.blocks) + 1)
        return "\n".join(text) + "\n"


def read(page):
    """The units and the manifests of a page."""
    units = [Unit(page, 1)]
    manifests = []
    for block in pages.parts(page):
        if isinstance(block, pages.Line) or block.language not in ("swift", "prelude") or block.wish == "skip":
            continue
        if block.wish == "manifest":
            manifests.append((block.first, block.lines))
            continue
        if block.wish == "anew":
            units.append(Unit(page, len(units) + 1))
        units[-1].add(block.lines, block.first)
    return [unit for unit in units if unit.blocks or unit.declarations], manifests


def write(path, text):
    """Leaves a file with this text alone, so that it is not compiled again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def main(package, names, main_actor):
    root = pathlib.Path.cwd()
    targets = []
    shutil.rmtree(package / "Manifests", ignore_errors=True)
    for page in names:
        units, manifests = read(page)
        for line, body in manifests:
            folder = package / "Manifests" / f"{pathlib.Path(page).stem}-{line}"
            write(folder / "Package.swift", "\n".join(body) + "\n")
            write(folder / "origin", f"{page}:{line}\n")
        for unit in units:
            source = unit.source()
            if main_actor:
                source = MODEL.sub("nonisolated ", source)
            write(package / "Sources" / unit.name / "Samples.swift", source)
            kind = "testTarget" if unit.is_test else "target"
            isolation = ", swiftSettings: [.defaultIsolation(MainActor.self)]" if main_actor else ""
            targets.append(
                f'        .{kind}(name: "{unit.name}", dependencies: products, path: "Sources/{unit.name}"{isolation}),'
            )
    products = ["NetChainKit", "NetChainTestKit", "NodeCore", "Models", "Logging", "HttpMessages", "UrlTransport",
                "ResponseProcessing", "AccessSafe", "UrlSessionTransport"]
    listed = ", ".join(f'.product(name: "{name}", package: "{root.name}")' for name in products)
    write(
        package / "Package.swift",
        f"""\
// swift-tools-version: {"6.2" if main_actor else "6.0"}
import PackageDescription

let products: [Target.Dependency] = [{listed}]

let package = Package(
    name: "Samples",
    platforms: [.macOS(.v15)],
    dependencies: [.package(path: "{root}")],
    targets: [
{chr(10).join(targets)}
    ]
)
""",
    )
    print(f"{len(targets)} targets from {len(names)} pages")


arguments = sys.argv[1:]
on_main_actor = arguments[:1] == ["--main-actor"]
if on_main_actor:
    arguments = arguments[1:]
if len(arguments) < 2:
    sys.exit(__doc__)
main(pathlib.Path(arguments[0]), arguments[1:], on_main_actor)
