"""Finds calls of `withLock` whose result may hold an object that is released under the lock. See checks/locks.sh."""

import pathlib
import re
import sys

CALL = re.compile(r"\.withLock(?:IfAvailable)?\b")
DISCARDED = re.compile(r"(?:^|[\s{(;])_ = [^\n;{]*$|\([^()\n]*\b_\b[^()\n]*\) = [^\n;{]*$")
REMOVAL = re.compile(
    r"\bremove(?:Value|First|Last|All)?\(|\bpop(?:First|Last)\(|\.take\(\)|(?<![=!<>])= (?:nil|\[\]|\[:\])(?![\w?.])"
    r"|(?<![=!<>])= [A-Z]\w*\(\)|\breturn \(?state\b(?!\.)"
)
# What these take out is plain data: bytes, a descriptor, a task of the demo.
PLAIN = {
    "Modules/HttpMessages/Body/FileOutput.swift",
    "Modules/Logging/Sinks/LogSink+File.swift",
    "Modules/NetChainDemo/Spinner.swift",
}


def closure(text, start):
    """The closure that begins after `start`, with its braces."""
    opening = text.find("{", start)
    depth = 0
    for index in range(opening, len(text)):
        depth += {"{": 1, "}": -1}.get(text[index], 0)
        if depth == 0:
            return text[opening : index + 1]
    return text[opening:]


def violations(path, text):
    for call in CALL.finditer(text):
        line = text.count("\n", 0, call.start()) + 1
        before = text[text.rfind("\n", 0, call.start()) + 1 : call.start()]
        if DISCARDED.search(before):
            yield f"{path}:{line}: the result, or a part of it, is discarded"
        elif str(path) not in PLAIN and REMOVAL.search(closure(text, call.end())):
            yield f"{path}:{line}: something is taken out of the value"


found = [
    violation
    for path in sorted(pathlib.Path("Modules").rglob("*.swift"))
    if path.name != "Mutex+Taking.swift"
    for violation in violations(path, path.read_text())
]
print("\n".join(found))
sys.exit(1 if found else 0)
