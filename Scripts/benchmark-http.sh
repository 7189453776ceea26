#!/usr/bin/env bash
# Measures NetChainKit against a C program on libcurl, async-http-client and URLSession, on this machine: requests per
# second, processor time, latencies, memory, large bodies, 10,000 and 16,000 requests at a time.
# Prints tables in Markdown, and which of the project's own figures are met. Linux.
#
#   Scripts/benchmark-http.sh [--quick] [--rounds N] [--only WORD,…] [--write]
#
#   --quick      the main rows, two short rounds: under two minutes after the first build
#   --rounds N   how often everything is measured (8; 2 with --quick); medians are shown
#   --only       only the sections whose names hold one of the words: requests, large, many, inflight
#   --write      puts the table of requests into Docs/Performance.md, too
#
# Client and server, an nginx of its own on free ports of 127.0.0.1, share the machine's cores. So only ratios count:
# those between a client and the C program in the same round, right beside each other. The first build fetches
# async-http-client and what it needs, and takes some ten minutes on two cores.
set -euo pipefail
# shellcheck source=Scripts/support/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/support/common.sh"
PATH=$PATH:/usr/sbin:/sbin

case ${1:-} in --help | -h) show_help && exit 0 ;; esac
needs Linux nginx openssl python3

# Linked as small programs for Linux servers can be, all clients alike: Swift's and C++'s libraries inside, relative
# relocations in their short form, no symbols offered to other libraries. Docs/Examples/CommandLineClient/README.md has
# what that saves.
scratch=$work/benchmarks
build=(swift build --package-path "$root/Scripts/benchmarks" --scratch-path "$scratch" -c release
    --static-swift-stdlib -Xswiftc -use-ld=lld -Xlinker --no-export-dynamic)
# Older loaders can't read the short form.
glibc=$(getconf GNU_LIBC_VERSION | cut -d ' ' -f 2)
if printf '2.36\n%s\n' "$glibc" | sort -V -C; then build+=(-Xlinker -z -Xlinker pack-relative-relocs); fi
# Swift asks for C++'s library without saying which: a folder that has the static one alone comes first.
static=$("$(dirname "$(realpath "$(command -v swift)")")/clang" -print-file-name=libstdc++.a || true)
if [ -f "$static" ]; then
    mkdir -p "$scratch/static" && ln -sf "$static" "$scratch/static/"
    build+=(-Xlinker "-L$scratch/static" -Xswiftc -Xclang-linker -Xswiftc -static-libgcc)
fi
say "Building the clients …"
"${build[@]}" >&2
# 10,000 requests at a time are 10,000 connections, on either side.
ulimit -n "$(ulimit -Hn)"
python3 "$root/Scripts/benchmarks/benchmark_http.py" "$("${build[@]}" --show-bin-path)" "$@"
