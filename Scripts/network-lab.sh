#!/usr/bin/env bash
# Sends requests from one host to stock servers on another, while servers are reloaded and killed and the network drops
# packets, and prints how many failed.
#
#   Scripts/network-lab.sh [--rounds N] [--only NAME,…] [--posts N] [--quick] [--debian-13]
#
#   --rounds N    runs all scenarios N times; the table has the failures of each round
#   --only NAMES  some scenarios; --list prints their names
#   --posts N     the POSTs with ids among reloads, kills and cuts: 20000 by default
#   --quick       a tenth of the requests
#   --debian-13   the client runs on Debian 13 (libcurl 8.14), which is installed as by Scripts/check.sh platforms
#
# The hosts are network namespaces with a link. The servers are those of the Debian packages that
# `Scripts/install-dependencies.sh --for network` installs, configured as installed but for ports, paths and
# certificates, and gunicorn from PyPI. A scenario whose server is missing is skipped. Everything is in a temporary
# folder and ends with the script; nothing listens outside of the namespaces.
#
# Each request has an id, and the servers log it. 'processed' counts failed requests that the log has, 'processed twice'
# ids that the log has twice, which only an idempotent method may. Status 1 where a row is not as it must be, with the
# reason below the table; 77 where this machine can't make namespaces. Needs root. Linux.
set -euo pipefail
# shellcheck source=Scripts/support/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/support/common.sh"
PATH=$PATH:/usr/sbin:/sbin

options=()
debian_13=no
while [ $# -gt 0 ]; do
    case $1 in
    --rounds | --posts)
        [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || fail "$1 takes a whole number"
        options+=("$1" "$2") && shift
        ;;
    --only) options+=("$1" "${2:-}") && shift ;;
    --quick) options+=("$1") ;;
    --debian-13) debian_13=yes ;;
    --list) exec python3 "$root/Scripts/lab/network/network_lab.py" --list ;;
    --help | -h) show_help && exit 0 ;;
    *) fail "unknown argument '$1' (see --help)" ;;
    esac
    shift || fail "a value is missing (see --help)"
done
needs Linux python3 ip ss nft openssl

debian=$work/platforms/debian-13-$(dpkg --print-architecture 2>/dev/null || true)
client=netchain-client-$$
server=netchain-server-$$
folder=''
# Ends what the Python program has left where it was killed.
clean_up() {
    local name pid
    for name in "$client" "$server"; do
        for pid in $(ip netns pids "$name" 2>/dev/null); do kill -KILL "$pid" 2>/dev/null || true; done
        ip netns delete "$name" 2>/dev/null || true
    done
    [ -z "$folder" ] || rm -rf "$folder"
    [ "$debian_13" = no ] || rmdir "$debian$folder" 2>/dev/null || true
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

reason=$({ ip netns add "$client" && ip -n "$client" link add lab type veth peer name peer; } 2>&1) || {
    say "network namespaces can't be made here: ${reason:-unknown reason}"
    exit 77
}
ip netns delete "$client"

venv=$work/network-venv
requirements=$root/Scripts/lab/network/requirements.txt
if ! cmp -s "$requirements" "$venv/requirements.txt"; then
    rm -rf "$venv"
    mkdir -p "$work"
    if python3 -m venv "$venv" &&
        "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "$requirements"; then
        cp "$requirements" "$venv"
    else
        rm -rf "$venv"
        say "gunicorn and hpack could not be installed; their scenarios are skipped"
    fi >&2
fi
build=(-c release --product NetworkLab --package-path Scripts/lab --scratch-path)
if [ "$debian_13" = yes ]; then
    (
        # shellcheck source=Scripts/support/debian.sh
        source "$root/Scripts/support/debian.sh"
        debian_13 "$(dpkg --print-architecture)"
        inside "$debian" "" "swift build ${build[*]} /work/network"
    ) >&2
else
    program=$(cd "$root" && build_program NetworkLab "${build[@]}" "$work/network")
fi

folder=$(mktemp -d "${TMPDIR:-/tmp}/netchain-lab.XXXXXX")
# The servers' own users read and write in it.
chmod 755 "$folder"
if [ "$debian_13" = yes ]; then
    program=$folder/client
    # `ip netns exec` gives it a mount namespace.
    cat >"$program" <<END
#!/bin/sh -e
mkdir -p "$debian$folder"
mount --bind "$folder" "$debian$folder"
mount --rbind /dev "$debian/dev"
mount -t proc proc "$debian/proc"
for file in hosts resolv.conf; do mount --bind /etc/\$file "$debian/etc/\$file"; done
exec chroot "$debian" /work/network/release/NetworkLab "\$@"
END
    chmod 755 "$program"
fi
# In the background, so that a signal ends the wait.
python3 "$root/Scripts/lab/network/network_lab.py" --folder "$folder" --hosts "$client" "$server" --client "$program" \
    --venv "$venv" ${options[@]+"${options[@]}"} &
child=$!
trap 'kill "$child"; wait "$child" || true; exit 130' INT
trap 'kill "$child"; wait "$child" || true; exit 143' TERM HUP
wait "$child"
