#!/usr/bin/env bash
# Measures what a cache costs and saves: requests without one, misses and hits, in memory and in a folder, with an
# `ApiClient` and libcurl against an nginx of its own on this machine. Prints a table in Markdown. Linux.
#
#   Scripts/benchmark-cache.sh [rounds=N] [requests=N] [only=WORD] [size=small|large] [at=CONCURRENCY] [as=data]
#
# Each kind runs `requests` (200) in each of `rounds` (15), in random order; medians are shown. Takes about a minute after
# the build. With as=data the documents aren't decoded, which takes most of a hit of 20 KB. The folder is in .build-test,
# so that it is on the disk of the checkout.
set -euo pipefail
# shellcheck source=Scripts/support/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/support/common.sh"
PATH=$PATH:/usr/sbin:/sbin
case ${1:-} in --help | -h) show_help && exit 0 ;; esac
needs Linux nginx python3

program=${NETCHAIN_CACHE_BENCHMARK:-$(build_program CacheBenchmark --product CacheBenchmark -c release \
    --package-path "$root/Scripts/benchmarks" --scratch-path "$work/benchmarks")}
mkdir -p "$work"
folder=$(mktemp -d "$work/cache-benchmark.XXXXXX")
trap '[ ! -f "$folder/nginx.pid" ] || kill "$(cat "$folder/nginx.pid")" || true; rm -rf "$folder"' EXIT
chmod 755 "$folder"

python3 - "$folder" <<'PYTHON'
import json, pathlib, sys

def users(size):
    found = []
    while len(json.dumps(found)) < size:
        number = len(found)
        found.append({"id": number, "name": f"Name {number}", "email": f"name{number}@example.com", "isActive": True,
                      "score": number * 1.5, "tags": ["one", "two"],
                      "address": {"street": "Street 1", "city": "City", "zip": "12345"}})
    return json.dumps(found)

folder = pathlib.Path(sys.argv[1], "www")
folder.mkdir()
(folder / "small.json").write_text(users(2_000))
(folder / "large.json").write_text(users(20_000))
PYTHON

port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
cat >"$folder/nginx.conf" <<NGINX
daemon on;
worker_processes 1;
pid "$folder/nginx.pid";
error_log "$folder/error.log";
events { worker_connections 1000; }
http {
    types { application/json json; }
    access_log off;
    client_body_temp_path "$folder/body";
    proxy_temp_path "$folder/proxy";
    fastcgi_temp_path "$folder/fastcgi";
    uwsgi_temp_path "$folder/uwsgi";
    scgi_temp_path "$folder/scgi";
    open_file_cache max=16 inactive=600s;
    keepalive_requests 1000000000;
    server {
        listen 127.0.0.1:$port backlog=4096;
        location /stored/ { alias "$folder/www/"; add_header Cache-Control max-age=3600; }
        location /unstored/ { alias "$folder/www/"; add_header Cache-Control no-store; }
    }
}
NGINX
nginx -c "$folder/nginx.conf" -e "$folder/error.log"
"$program" "http://127.0.0.1:$port" "$folder/cache" "$@"
