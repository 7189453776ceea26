#!/usr/bin/env bash
# Measures what a cache costs and saves: requests without one, misses and hits, in memory and in a folder, with an
# `ApiClient` and libcurl against an nginx of its own on this machine. Prints a table in Markdown. Linux.
#
#   Scripts/benchmark-cache.sh [rounds=N] [as=data]
#
# Each kind runs 200 requests in each of `rounds` (15), in random order; medians are shown. Takes about a minute after
# the build. With as=data the documents aren't decoded, which takes most of a hit of 20 KB. The folder is in .build-test,
# so that it is on the disk of the checkout.
set -euo pipefail
# shellcheck source=Scripts/support/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/support/common.sh"
PATH=$PATH:/usr/sbin:/sbin
case ${1:-} in --help | -h) show_help && exit 0 ;; esac
needs Linux nginx openssl python3

program=$(build_program CacheBenchmark --product CacheBenchmark -c release \
    --package-path "$root/Scripts/benchmarks" --scratch-path "$work/benchmarks")
folder=$(mktemp -d "$work/cache-benchmark.XXXXXX")
trap 'rm -rf "$folder"' EXIT
python3 "$root/Scripts/benchmarks/benchmark_cache.py" "$program" "$folder" "$@"
