#!/usr/bin/env bash
# Measures Json against Foundation's coders and yyjson: speed in one table, memory, then the targets. Linux.
# Takes about 45 s after the build; fails if a target is missed.
#
#   Scripts/benchmark-json.sh
#
# yyjson is only a measuring stick; its C source comes with the package of that name on PyPI and stays in .build. It is
# compiled with $CC, or else with cc or with Swift's clang.
set -euo pipefail
# shellcheck source=Scripts/support/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/support/common.sh"
no_arguments "$@"

cd "$root/Scripts/benchmarks"
yyjson="$PWD/.build/yyjson"
library="$yyjson/libyyjson.so"

if [[ ! -f $library ]]; then
    mkdir -p "$yyjson"
    if python3 -m pip download --quiet --no-deps --dest "$yyjson" yyjson; then
        python3 - "$yyjson" <<'PYTHON'
import glob, sys, zipfile
for wheel in glob.glob(sys.argv[1] + "/*.whl"):
    with zipfile.ZipFile(wheel) as archive:
        for name in ("yyjson/yyjson.c", "yyjson/yyjson.h"):
            with open(sys.argv[1] + "/" + name.split("/")[1], "wb") as file:
                file.write(archive.read(name))
PYTHON
        cat >"$yyjson/benchmark.c" <<'C'
#include "yyjson.h"

size_t benchmark_parse(const char *text, size_t length) {
    yyjson_doc *document = yyjson_read(text, length, 0);
    size_t values = yyjson_doc_get_val_count(document);
    yyjson_doc_free(document);
    return values;
}
C
        compiler=${CC:-cc}
        command -v "$compiler" >/dev/null || compiler=clang
        "$compiler" -O3 -DNDEBUG -shared -fPIC -o "$library" "$yyjson/benchmark.c" "$yyjson/yyjson.c"
    fi
fi

swift build --configuration release --product JsonBenchmarks
[[ -f $library ]] && export YYJSON_LIBRARY="$library"
"$(swift build --configuration release --show-bin-path)/JsonBenchmarks"
