#!/usr/bin/env bash
# Installs what building or testing NetChainKit needs and this machine lacks.
#
#   Scripts/install-dependencies.sh [--for demo|test|network]
#
#   --for demo   what the library and the demo need: pkg-config and the headers of libcurl, zlib,
#                brotli and zstd
#   --for test   that, and what the real servers of the tests need (the default):
#                nginx with its echo module, tinyproxy, microsocks, openssl, python3 with venv, procps, and curl,
#                with which the tests run curl commands
#   --for network
#                what Scripts/network-lab.sh needs beyond the library: the servers of its scenarios, iproute2, nftables,
#                openssl and python3 with venv
#
# Debian and Ubuntu: through apt-get, as root or with sudo; where neither is possible it prints the
# command to run. No system service is started or enabled. When nothing is missing it does nothing
# and needs no network. macOS: it says what is missing.
set -euo pipefail
# shellcheck source=Scripts/support/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/support/common.sh"

purpose="test"
while [ $# -gt 0 ]; do
    case $1 in
    --for) purpose=${2:-} && shift ;;
    --help | -h) show_help && exit 0 ;;
    *) fail "unknown argument '$1' (see --help)" ;;
    esac
    shift || true
done
case $purpose in
demo | test | network) ;;
*) fail "--for takes 'demo', 'test' or 'network'" ;;
esac

check_swift() {
    command -v swift >/dev/null ||
        fail "there is no 'swift' in PATH; Swift 6.0 or newer is needed: https://www.swift.org/install"
    local version
    version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' | head -n 1)
    [ -n "$version" ] || fail "'swift --version' does not tell its version; Swift 6.0 or newer is needed"
    [ "${version%%.*}" -ge 6 ] || fail "Swift $version is too old; 6.0 or newer is needed: https://www.swift.org/install"
}

# has PROGRAM: is it installed, if need be for the superuser?
has() {
    PATH=$PATH:/usr/sbin:/sbin command -v "$1" >/dev/null
}

has_python_venv() {
    python3 -c 'import venv, ensurepip' 2>/dev/null
}

# The Debian packages that are missing, one a line.
missing_packages() {
    command -v pkg-config >/dev/null || echo pkg-config
    pkg-config --exists 'libcurl >= 7.74' 2>/dev/null || echo libcurl4-openssl-dev
    pkg-config --exists zlib 2>/dev/null || echo zlib1g-dev
    pkg-config --exists libbrotlidec 2>/dev/null || echo libbrotli-dev
    pkg-config --exists libzstd 2>/dev/null || echo libzstd-dev
    if [ "$purpose" = network ]; then
        has ip || echo iproute2
        has nft || echo nftables
        has nginx || echo nginx-light
        has haproxy || echo haproxy
        has apache2 || echo apache2
        has squid || echo squid
        has caddy || echo caddy
        has node || echo nodejs
        command -v openssl >/dev/null || echo openssl
        command -v python3 >/dev/null || echo python3
        has_python_venv || echo python3-venv
    fi
    [ "$purpose" = test ] || return 0
    command -v pgrep >/dev/null || echo procps
    command -v curl >/dev/null || echo curl
    has nginx || echo nginx-light
    has tinyproxy || echo tinyproxy-bin
    has microsocks || echo microsocks
    [ -e /usr/lib/nginx/modules/ngx_http_echo_module.so ] || echo libnginx-mod-http-echo
    command -v openssl >/dev/null || echo openssl
    command -v python3 >/dev/null || echo python3
    has_python_venv || echo python3-venv
}

# The installed servers must not become running services: a policy that forbids starts while apt-get
# works, and the servers taken out of the services of the next boot.
install_packages() {
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        as_root=(sudo)
        [ -t 0 ] || as_root=(sudo -n)
        if ! command -v sudo >/dev/null || ! "${as_root[@]}" true; then
            fail "missing: $*. Neither root nor sudo is possible here; please run as root:
  apt-get update && apt-get install -y --no-install-recommends $*"
        fi
    fi
    say "Installing $*"
    local status=0 log
    log=$(mktemp)
    # shellcheck disable=SC2016 # the root shell expands it
    ${as_root[@]+"${as_root[@]}"} env DEBIAN_FRONTEND=noninteractive bash -euc '
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
    ' install "$@" >"$log" 2>&1 </dev/null || status=$?
    [ "$status" -eq 0 ] || cat "$log" >&2
    rm -f "$log"
    [ "$status" -eq 0 ] || fail "apt-get could not install: $*"
}

on_linux() {
    local packages=()
    while read -r package; do packages+=("$package"); done < <(missing_packages)
    [ ${#packages[@]} -gt 0 ] || return 0
    command -v apt-get >/dev/null ||
        fail "missing (by their Debian names): ${packages[*]}. Please install them with this system's package manager."
    install_packages "${packages[@]}"
    pkg-config --exists 'libcurl >= 7.74' || fail "libcurl is older than 7.74: $(pkg-config --modversion libcurl 2>&1)"
}

on_macos() {
    [ "$purpose" = test ] || return 0
    local missing=()
    has nginx || missing+=(nginx)
    command -v openssl >/dev/null || missing+=(openssl)
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
