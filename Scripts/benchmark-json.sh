#!/usr/bin/env bash
# Measures Json, with `Codable` and with models that read and write themselves, against Foundation's coders. Linux.
# Takes about 15 s after the build; fails if a target is missed.
#
#   Scripts/benchmark-json.sh
set -euo pipefail
# shellcheck source=Scripts/support/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/support/common.sh"
no_arguments "$@"

program=$(build_program JsonBenchmarks --product JsonBenchmarks -c release \
    --package-path "$root/Scripts/benchmarks" --scratch-path "$work/json-benchmarks")
"$program"
