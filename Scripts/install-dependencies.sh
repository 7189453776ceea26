#!/usr/bin/env bash
# Installs what building or testing NetChainKit needs and this machine lacks.
#
#   Scripts/install-dependencies.sh [--for demo|test|network]
#
#   --for demo     what the library and the demo need: pkg-config and the headers of libcurl, zlib, brotli and zstd
#   --for test     that, and the programs of Scripts/real-servers.sh and of the tests (the default)
#   --for network  what Scripts/network-lab.sh needs beyond the library
#
# Debian and Ubuntu: through apt-get, as root or with sudo; where neither is possible it prints the
# command to run. No system service is started or enabled. When nothing is missing it does nothing
# and needs no network. macOS: it says what is missing.
set -euo pipefail
# shellcheck source=Scripts/support/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/support/common.sh"
# Where the programs of the superuser are.
PATH=$PATH:/usr/sbin:/sbin

case ${1:-} in
'') purpose="test" ;;
--for) purpose=${2:-} ;;
*) no_arguments "$@" ;;
esac
# The programs, each with its Debian package.
case $purpose in
demo) programs=() ;;
test)
    programs=(pgrep:procps curl:curl nginx:nginx-light tinyproxy:tinyproxy-bin microsocks:microsocks openssl:openssl
        python3:python3)
    ;;
network)
    programs=(ip:iproute2 nft:nftables nginx:nginx-light haproxy:haproxy apache2:apache2 squid:squid caddy:caddy
        node:nodejs openssl:openssl python3:python3)
    ;;
*) fail "--for takes 'demo', 'test' or 'network'" ;;
esac

check_swift() {
    local version
    version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\)\..*/\1/p' | head -n 1)
    [ "${version:-0}" -ge 6 ] || fail "Swift 6.0 or newer is needed in PATH: https://www.swift.org/install"
}

has() {
    command -v "$1" >/dev/null
}

has_python_venv() {
    python3 -c 'import venv, ensurepip' 2>/dev/null
}

# The Debian packages that are missing, one a line.
missing_packages() {
    local pair
    for pair in pkg-config:pkg-config ${programs[@]+"${programs[@]}"}; do
        has "${pair%:*}" || echo "${pair#*:}"
    done
    for pair in 'libcurl >= 7.74:libcurl4-openssl-dev' zlib:zlib1g-dev libbrotlidec:libbrotli-dev \
        libzstd:libzstd-dev; do
        pkg-config --exists "${pair%:*}" 2>/dev/null || echo "${pair#*:}"
    done
    [ "$purpose" = demo ] || has_python_venv || echo python3-venv
    [ "$purpose" != test ] || [ -e /usr/lib/nginx/modules/ngx_http_echo_module.so ] || echo libnginx-mod-http-echo
}

# The installed servers must not become running services: a policy that forbids starts while apt-get
# works, and the servers taken out of the services of the next boot.
install_packages() {
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        as_root=(sudo)
        [ -t 0 ] || as_root=(sudo -n)
        if ! has sudo || ! "${as_root[@]}" true; then
            fail "missing: $*. Neither root nor sudo is possible here; please run as root:
  apt-get update && apt-get install -y --no-install-recommends $*"
        fi
    fi
    say "Installing $*"
    local output
    # shellcheck disable=SC2016 # the root shell expands it
    output=$(${as_root[@]+"${as_root[@]}"} env DEBIAN_FRONTEND=noninteractive bash -euc '
        policy=/usr/sbin/policy-rc.d
        if [ ! -e "$policy" ]; then
            trap "rm -f $policy" EXIT
            printf "#!/bin/sh\nexit 101\n" >"$policy"
            chmod 755 "$policy"
        fi
        apt-get update -qq || echo "apt-get update failed; going on with the old lists" >&2
        apt-get install -y --no-install-recommends "$@"
        [ -d /run/systemd/system ] || exit 0
        for server in nginx haproxy apache2 squid caddy microsocks; do
            case " $* " in *" $server"*) systemctl disable "$server.service" || true ;; esac
        done
    ' install "$@" 2>&1 </dev/null) || fail "apt-get could not install $*:
$output"
}

on_linux() {
    local packages=()
    while read -r package; do packages+=("$package"); done < <(missing_packages)
    [ ${#packages[@]} -gt 0 ] || return 0
    has apt-get ||
        fail "missing (by their Debian names): ${packages[*]}. Please install them with this system's package manager."
    install_packages "${packages[@]}"
    pkg-config --exists 'libcurl >= 7.74' || fail "libcurl is older than 7.74: $(pkg-config --modversion libcurl 2>&1)"
}

on_macos() {
    [ "$purpose" = test ] || return 0
    local missing=()
    has nginx || missing+=(nginx)
    has openssl || missing+=(openssl)
    has_python_venv || missing+=(python)
    [ ${#missing[@]} -eq 0 ] ||
        say "Tests against real servers need ${missing[*]}: brew install ${missing[*]}. Without them they are skipped."
}

check_swift
case $(uname -s) in
Linux) on_linux ;;
Darwin) on_macos ;;
*) fail "NetChainKit is built on Linux and on Apple's systems; this is $(uname -s)" ;;
esac
