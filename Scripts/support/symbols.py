"""Reads the symbol graphs of the modules, which symbols.sh makes: what is public, and what is said about it.

    symbols.py api GRAPHS OUTPUT     writes OUTPUT/MODULE.txt for each module: its public API, a declaration a line, sorted
    symbols.py undocumented GRAPHS   prints the public declarations without a doc comment; status 1 when there are any

GRAPHS has a folder for each module. Left out is what the compiler adds of itself: synthesized members, and
conformances that every type has.
"""

import json
import pathlib
import sys

# Every type conforms to these unless it says otherwise.
IMPLIED = {"Swift.Copyable", "Swift.Escapable", "Swift.SendableMetatype"}


def graphs(module):
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(module.glob("*.symbols.json"))]


def path_of(symbol):
    return ".".join(symbol["pathComponents"])


def declaration(symbol, types):
    """The declaration on one line, with its access and with what its extension asks beyond the type itself."""
    text = "".join(fragment["spelling"] for fragment in symbol["declarationFragments"])
    implied = types.get(".".join(symbol["pathComponents"][:-1]), {}).get("swiftGenerics", {}).get("constraints", [])
    asked = [
        constraint
        for constraint in symbol.get("swiftExtension", {}).get("constraints", [])
        if constraint not in implied and constraint["rhs"] != "Sendable"
    ]
    signs = {"conformance": ":", "superclass": ":", "sameType": "=="}
    extra = ", ".join(f"{c['lhs']} {signs.get(c['kind'], c['kind'])} {c['rhs']}" for c in asked)
    deprecated = any(entry.get("isUnconditionallyDeprecated") for entry in symbol.get("availability", []))
    words = ["deprecated"] * deprecated + [symbol["accessLevel"], " ".join(text.split())]
    return " ".join(words) + (f" [{extra}]" if extra else "")


def write_api(graphs_folder, output):
    output.mkdir(parents=True, exist_ok=True)
    for module in sorted(graphs_folder.iterdir()):
        lines = set()
        for graph in graphs(module):
            names = {symbol["identifier"]["precise"]: path_of(symbol) for symbol in graph["symbols"]}
            types = {path_of(symbol): symbol for symbol in graph["symbols"] if "functionSignature" not in symbol}
            lines |= {f"{path_of(symbol)} | {declaration(symbol, types)}" for symbol in graph["symbols"]}
            for relation in graph["relationships"]:
                target = relation.get("targetFallback") or names.get(relation["target"])
                source = names.get(relation["source"]) or relation.get("sourceOrigin", {}).get("displayName")
                if relation["kind"] not in ("conformsTo", "inheritsFrom") or target in IMPLIED | {None} or not source:
                    continue
                lines.add(f"{source} : {target.removeprefix('Swift.')}")
        (output / f"{module.name}.txt").write_text("".join(f"{line}\n" for line in sorted(lines)), encoding="utf-8")


def undocumented(graphs_folder):
    """An override may go without: the comment of what it overrides is its own as well. What the compiler adds has no
    place in the source."""
    found = 0
    count = 0
    for module in sorted(graphs_folder.iterdir()):
        for graph in graphs(module):
            overrides = {relation["source"] for relation in graph["relationships"] if relation["kind"] == "overrides"}
            for symbol in graph["symbols"]:
                count += 1
                words = symbol["declarationFragments"]
                is_override = symbol["identifier"]["precise"] in overrides or words[0]["spelling"] == "override"
                is_block = symbol["kind"]["identifier"] == "swift.extension"
                if "docComment" in symbol or is_override or is_block or "location" not in symbol:
                    continue
                place = symbol["location"]
                print(f"{place['uri'].removeprefix('file://')}:{place['position']['line'] + 1}: {path_of(symbol)}")
                found += 1
    print(f"{count} public declarations, {found} without a comment", file=sys.stderr)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "api":
        write_api(pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]))
    elif len(sys.argv) == 3 and sys.argv[1] == "undocumented":
        undocumented(pathlib.Path(sys.argv[2]))
    else:
        sys.exit(__doc__)
