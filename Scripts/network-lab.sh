#!/usr/bin/env bash
# Sends requests from one host to stock servers on another, while servers are reloaded and killed and the network drops
# packets, and prints how many failed.
#
#   Scripts/network-lab.sh [--debian-13] [--only NAME…]
#
#   --debian-13   the client runs on Debian 13 (libcurl 8.14), which is installed as by Scripts/check.sh platforms
#   --only NAMES  some scenarios, the last argument; a name that doesn't exist prints the names
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

debian_13=no
case ${1:-} in
--debian-13) debian_13=yes && shift ;;
--help | -h) show_help && exit 0 ;;
esac
needs Linux python3 ip ss nft openssl

debian=$work/platforms/debian-13-$(dpkg --print-architecture 2>/dev/null || true)
client=netchain-client-$$
server=netchain-server-$$
missing=no
reason=$({ ip netns add "$client" && ip -n "$client" link add lab type veth peer name peer; } 2>&1) || missing=yes
ip netns delete "$client" 2>/dev/null || true
[ "$missing" = no ] || { say "network namespaces can't be made here: $reason" && exit 77; }

venv=$work/network-venv
make_venv "$venv" "$root/Scripts/lab/network/requirements.txt" >&2 ||
    say "gunicorn could not be installed; its scenario is skipped"
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
trap 'rm -rf "$folder" && rmdir "$debian$folder" 2>/dev/null || true' EXIT
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
    --venv "$venv" "$@" &
child=$!
trap 'kill "$child"; wait "$child" || true; exit 130' INT
trap 'kill "$child"; wait "$child" || true; exit 143' TERM HUP
wait "$child"
