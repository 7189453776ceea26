#!/usr/bin/env bash
# Starts and stops the real servers of the tests (nginx, httpbin, tinyproxy, microsocks, an HTTP/2 server) on free ports
# of 127.0.0.1.
#
#   Scripts/real-servers.sh start DIR
#   Scripts/real-servers.sh stop DIR
#
# start   puts everything (configuration, certificates, logs, files) into DIR, starts the servers as the current
#         user, waits until they respond, and prints what the tests read as lines for a shell (also in DIR/environment).
#         The variables of a server that can't start are left out, with a message; where CI is set, that is a failure.
# stop    stops them and waits until they are gone. DIR stays, with the logs.
#
# NETCHAIN_NGINX_URL             HTTP/1.1
# NETCHAIN_NGINX_H2C_URL         HTTP/2 without TLS (prior knowledge)
# NETCHAIN_NGINX_TLS_URL         HTTPS, HTTP/2 and HTTP/1.1
# NETCHAIN_NGINX_UNTRUSTED_URL   HTTPS, certificate of an untrusted CA
# NETCHAIN_NGINX_WRONG_HOST_URL  HTTPS, certificate of the tests' CA for another host
# NETCHAIN_NGINX_EXPIRED_URL     HTTPS, expired certificate of the tests' CA
# NETCHAIN_NGINX_TLS12_URL       HTTPS, TLS 1.2 and nothing newer
# NETCHAIN_NGINX_SHORT_URL       HTTPS, each connection for 50 requests
# NETCHAIN_NGINX_CLIENT_URL      HTTPS, wants a certificate of the tests' CA from the client
# NETCHAIN_CA_FILE               the tests' CA (PEM)
# NETCHAIN_TLS_PIN               SHA-256 of the public key of NETCHAIN_NGINX_TLS_URL, in base64
# NETCHAIN_CLIENT_CERTIFICATE    a client's certificate of the tests' CA, common name 'NetChainKit tests client' (PEM)
# NETCHAIN_CLIENT_KEY            its key (PEM)
# NETCHAIN_CLIENT_SECRET_KEY     the same key, encrypted with the password 'pass:word' (PEM)
# NETCHAIN_REAL_ROOT             the folder of nginx's static files
# NETCHAIN_HTTPBIN_URL           httpbin, HTTP/1.1
# NETCHAIN_PROXY_URL             tinyproxy, an HTTP proxy that wants a password, which the URL has
# NETCHAIN_SOCKS_URL             microsocks, a SOCKS5 proxy that wants a password, which the URL has
# NETCHAIN_HTTP2_URL             HTTPS, HTTP/2 and HTTP/1.1; ends connections and streams as the path says
# NETCHAIN_HTTP2_LOG             the ids of the requests that it has processed, a line each
# NETCHAIN_PYTHON                the Python that httpbin runs on; it has haralyzer, which reads HAR files
#
# Scripts/lab/real-servers/README.md lists the responses of nginx.
set -euo pipefail
# shellcheck source=Scripts/support/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/support/common.sh"
PATH=$PATH:/usr/sbin:/sbin
parts=$root/Scripts/lab/real-servers

# --- files -----------------------------------------------------------------------------------------

make_files() {
    mkdir -p "$dir/www/users" "$dir/www/gzip" "$dir/temp"
    python3 - "$dir/www" <<'PYTHON'
import gzip, hashlib, json, pathlib, sys, zlib

www = pathlib.Path(sys.argv[1])
users = [
    {"id": 1, "name": "Ada", "email": "ada@example.com", "tags": ["admin", "math"], "manager": None},
    {"id": 2, "name": "Grace", "email": "grace@example.com", "tags": [], "manager": {"id": 1, "name": "Ada"}},
    {"id": 3, "name": "Лев Ω 🦁", "email": "lev@example.com", "tags": ["zoo"], "manager": {"id": 2, "name": "Grace"}},
]
many = [{"id": i, "name": f"User number {i}", "email": f"user-{i}@example.com", "tags": [f"t{i % 7}", f"t{i % 11}"],
         "score": i * 13 % 1000 + 0.5} for i in range(1, 206)]
for name, value in {"users": users, "users/1": users[0], "users-large": many}.items():
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    (www / f"{name}.json").write_text(text, encoding="utf-8")

# Byte number i is i % 251: a receiver can check every byte without the file.
blob = (bytes(range(251)) * 20_889)[: 5 << 20]
(www / "blob.bin").write_bytes(blob)
(www / "blob.sha256.txt").write_text(hashlib.sha256(blob).hexdigest() + "\n")
(www / "gzip/blob").write_bytes(gzip.compress(blob))
(www / "gzip/cut").write_bytes(gzip.compress(blob)[:-8])
with open(www / "zeros.bin", "wb") as file:
    # Without blocks on the disk.
    file.truncate(300 << 20)

# Blocks that are stored (RFC 1951 §3.2.4), so that the zeros keep their size.
size, count = 65535, (300 << 20) // 65535
check = 0
with open(www / "gzip/zeros", "wb") as file:
    file.write(b"\x1f\x8b\x08" + bytes(6) + b"\xff")
    for number in range(count):
        file.write(bytes([number == count - 1]) + size.to_bytes(2, "little") + bytes(2))
        file.seek(size, 1)
        check = zlib.crc32(bytes(size), check)
    file.write(check.to_bytes(4, "little") + (size * count).to_bytes(4, "little"))
PYTHON
    printf 'user:%s\n' "$(openssl passwd -apr1 'pass:word')" >"$dir/htpasswd"
}

# make_ca NAME SUBJECT
make_ca() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -sha256 -days 30 -subj "/CN=$2" \
        -addext 'basicConstraints=critical,CA:TRUE' -addext 'keyUsage=critical,keyCertSign,cRLSign' \
        -keyout "$1.key" -out "$1.pem" 2>>openssl.log
}

# make_certificate NAME CA HOSTS START END [USE] (start and end as YYYYMMDDHHMMSSZ)
make_certificate() {
    openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=NetChainKit tests $1" \
        -keyout "$1.key" -out "$1.csr" 2>>openssl.log
    : >database.txt
    cat >signing.conf <<CONF
[ca]
default_ca = this
[this]
database = database.txt
new_certs_dir = .
rand_serial = yes
default_md = sha256
policy = any
unique_subject = no
[any]
commonName = supplied
[server]
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature,keyEncipherment
extendedKeyUsage = ${6:-serverAuth}
subjectAltName = $3
CONF
    openssl ca -batch -notext -config signing.conf -extensions server -cert "$2.pem" -keyfile "$2.key" \
        -startdate "$4" -enddate "$5" -in "$1.csr" -out "$1.pem" 2>>openssl.log
}

make_certificates() {
    mkdir -p "$dir/certificates"
    (
        cd "$dir/certificates"
        # A step that fails ends the rest (the caller's condition switches set -e off here).
        local here='DNS:localhost,IP:127.0.0.1,IP:::1' long_ago=20200101000000Z far=20400101000000Z
        make_ca ca 'NetChainKit tests CA' &&
            make_ca stranger 'NetChainKit tests stranger CA' &&
            make_certificate localhost ca "$here" "$long_ago" "$far" &&
            make_certificate untrusted stranger "$here" "$long_ago" "$far" &&
            make_certificate wrong-host ca 'DNS:elsewhere.example' "$long_ago" "$far" &&
            make_certificate expired ca "$here" "$long_ago" 20210101000000Z &&
            make_certificate client ca 'DNS:client.example' "$long_ago" "$far" clientAuth &&
            openssl pkey -in client.key -aes256 -passout 'pass:pass:word' -out client-secret.key &&
            openssl x509 -in localhost.pem -noout -pubkey | openssl pkey -pubin -outform DER |
            openssl dgst -sha256 -binary | openssl base64 >localhost.pin
    )
}

# --- processes -------------------------------------------------------------------------------------

# The process of a pid file, if it runs and is one of DIR's: a number alone may belong to another by now.
process_of() {
    local pid
    pid=$(cat "$1" 2>/dev/null) && [ -n "$pid" ] || return 1
    case "$(ps -ww -o args= -p "$pid" 2>/dev/null) $(readlink "/proc/$pid/cwd")" in
    *"$dir"*) printf '%s\n' "$pid" ;;
    *) return 1 ;;
    esac
}

# stop_process PIDFILE: asks, waits five seconds, then kills it and its children.
stop_process() {
    local pid children waited
    pid=$(process_of "$1") || { rm -f "$1" && return 0; }
    children=$(pgrep -P "$pid" || true)
    kill -TERM "$pid" 2>/dev/null || true
    for ((waited = 0; waited < 50; waited++)); do
        # shellcheck disable=SC2086 # a list of numbers
        kill -0 "$pid" $children 2>/dev/null || break
        sleep 0.1
    done
    for child in $pid $children; do
        kill -KILL "$child" 2>/dev/null || true
    done
    rm -f "$1"
}

# wait_for WHAT LOG COMMAND…: tries the command for ten seconds.
wait_for() {
    local what=$1 log=$2 tries
    shift 2
    for ((tries = 0; tries < 100; tries++)); do
        "$@" >/dev/null 2>&1 && return 0
        sleep 0.1
    done
    say "$what did not respond within ten seconds; the end of $log:"
    tail -n 20 "$log" >&2 || true
    return 1
}

# fetches URL: does the server respond with a status below 400?
fetches() {
    curl --silent --fail --noproxy '*' --cacert "$dir/certificates/ca.pem" "$1"
}

# connects PORT: does a process listen there?
connects() (
    exec 3<>"/dev/tcp/127.0.0.1/$1"
)

# next_port: sets `port` to the next one of 127.0.0.1 where no process listens, below the range that the system gives to
# clients.
port=$((20000 + RANDOM % 12000))
next_port() {
    port=$((port + 1))
    while connects "$port" 2>/dev/null; do port=$((port + 1)); done
}

# variable NAME VALUE: what the tests read, once the server has started.
variable() {
    printf "export NETCHAIN_%s='%s'\n" "$1" "$2" >>"$dir/environment"
}

# installed PROGRAM…: are these programs there?
installed() {
    type "$@" >/dev/null 2>&1 && return 0
    say "one of these is missing: $* (Scripts/install-dependencies.sh --for test)"
    return 1
}

# --- nginx -----------------------------------------------------------------------------------------

start_nginx() {
    local module=/usr/lib/nginx/modules/ngx_http_echo_module.so modules='' user='' log=$dir/nginx-error.log name file
    installed nginx openssl python3 curl || return 1
    make_files
    make_certificates || {
        say "openssl could not make the certificates:"
        cat "$dir/certificates/openssl.log" >&2
        return 1
    }
    [ ! -e "$module" ] || modules="load_module $module;"
    # As root nginx would hand its files to another user.
    [ "$(id -u)" -ne 0 ] || user='user root root;'
    local substitutions=(-e "s|@DIR@|$dir|g" -e "s|# @MODULES@|$modules|" -e "s|# @USER@|$user|") scheme
    for name in NGINX NGINX_H2C NGINX_TLS NGINX_UNTRUSTED NGINX_WRONG_HOST NGINX_EXPIRED NGINX_TLS12 NGINX_SHORT \
        NGINX_CLIENT; do
        next_port
        scheme=https
        case $name in NGINX | NGINX_H2C) scheme=http ;; esac
        substitutions+=(-e "s|@${name}_PORT@|$port|g")
        variable "${name}_URL" "$scheme://127.0.0.1:$port"
    done
    for file in nginx.conf locations.conf; do
        sed "${substitutions[@]}" "$parts/$file" >"$dir/$file"
    done
    [ -z "$modules" ] || cat "$parts/locations-echo.conf" >>"$dir/locations.conf"
    variable CA_FILE "$dir/certificates/ca.pem"
    variable TLS_PIN "$(cat "$dir/certificates/localhost.pin")"
    variable CLIENT_CERTIFICATE "$dir/certificates/client.pem"
    variable CLIENT_KEY "$dir/certificates/client.key"
    variable CLIENT_SECRET_KEY "$dir/certificates/client-secret.key"
    variable REAL_ROOT "$dir/www"
    # shellcheck disable=SC1091 # made by variable()
    source "$dir/environment"
    nginx -p "$dir" -e "$log" -c "$dir/nginx.conf" </dev/null &&
        wait_for nginx "$log" fetches "$NETCHAIN_NGINX_URL/users.json" &&
        wait_for "nginx's TLS" "$log" fetches "$NETCHAIN_NGINX_TLS_URL/users.json"
}

# --- httpbin ---------------------------------------------------------------------------------------

start_httpbin() {
    local log=$dir/httpbin.log url
    # Port 0: the system picks one, and gunicorn's log names it. DIR on the command line (--pid) marks the process.
    (
        cd "$dir"
        exec nohup "$python" -m gunicorn --bind 127.0.0.1:0 --worker-class gthread --workers 1 --threads 64 \
            --worker-connections 4000 --backlog 2048 --keep-alive 75 --timeout 120 --graceful-timeout 1 \
            --worker-tmp-dir "$dir/temp" --no-control-socket \
            --pid "$dir/httpbin.pid" httpbin:app >"$log" 2>&1 </dev/null
    ) &
    wait_for httpbin "$log" grep -q 'Listening at' "$log" || return 1
    url=$(sed -n 's|.*Listening at: \(http://127.0.0.1:[0-9]*\).*|\1|p' "$log" | head -n 1)
    wait_for httpbin "$log" fetches "$url/get" || return 1
    variable HTTPBIN_URL "$url"
    variable PYTHON "$python"
}

# --- http2_server.py -------------------------------------------------------------------------------

# Has a certificate of the authority that start_nginx makes.
start_http2() {
    local log=$dir/http2.log certificates=$dir/certificates
    [ -e "$certificates/localhost.key" ] || return 1
    cat "$certificates/localhost.pem" "$certificates/localhost.key" >"$dir/http2.pem"
    : >"$dir/http2-processed.log"
    nohup "$python" "$parts/http2_server.py" 127.0.0.1 0 "$dir/http2.pem" "$dir/http2-processed.log" \
        >"$log" 2>&1 </dev/null &
    echo $! >"$dir/http2.pid"
    wait_for http2_server.py "$log" grep -q '^Listening at' "$log" || return 1
    variable HTTP2_URL "https://127.0.0.1:$(sed -n 's/^Listening at //p' "$log")"
    variable HTTP2_LOG "$dir/http2-processed.log"
}

# --- proxies ---------------------------------------------------------------------------------------

# DIR as the working folder marks the processes as ours: microsocks overwrites its command line, for the password.
start_proxies() {
    installed tinyproxy microsocks || return 1
    local http socks log=$dir/proxies.log
    next_port && http=$port
    next_port && socks=$port
    printf '%s\n' "Port $http" 'Listen 127.0.0.1' 'Timeout 60' 'MaxClients 100' "LogFile \"$dir/tinyproxy.log\"" \
        'BasicAuth user secret' >"$dir/tinyproxy.conf"
    (cd "$dir" && exec nohup tinyproxy -d -c "$dir/tinyproxy.conf" >"$log" 2>&1 </dev/null) &
    echo $! >"$dir/tinyproxy.pid"
    (cd "$dir" && exec nohup microsocks -i 127.0.0.1 -p "$socks" -u user -P secret >>"$log" 2>&1 </dev/null) &
    echo $! >"$dir/microsocks.pid"
    wait_for tinyproxy "$log" connects "$http" && wait_for microsocks "$log" connects "$socks" || return 1
    variable PROXY_URL "http://user:secret@127.0.0.1:$http"
    variable SOCKS_URL "socks5h://user:secret@127.0.0.1:$socks"
}

# --- commands --------------------------------------------------------------------------------------

stop() {
    local name
    for name in nginx httpbin http2 tinyproxy microsocks; do stop_process "$dir/$name.pid"; done
}

start() {
    # Only what an earlier start made is emptied.
    [ -e "$dir/made-by-real-servers" ] || [ -z "$(ls -A "$dir")" ] || fail "$dir is neither empty nor from an earlier start"
    stop
    rm -rf "$dir"
    mkdir -p "$dir/temp"
    : >"$dir/made-by-real-servers"
    : >"$dir/environment"
    local missing='' python=$work/venv/bin/python
    # Its variables are the first ones.
    start_nginx || { missing="$missing nginx" && : >"$dir/environment"; }
    if make_venv "$work/venv" "$parts/requirements.txt" >&2; then
        start_httpbin || missing="$missing httpbin"
        start_http2 || missing="$missing http2_server.py"
    else
        missing="$missing httpbin http2_server.py"
    fi
    start_proxies || missing="$missing proxies"
    if [ -n "$missing" ] && [ -n "${CI:-}" ]; then
        stop
        fail "could not start:$missing"
    elif [ -n "$missing" ]; then
        say "Not running:$missing. The tests that need it are skipped."
    fi
    cat "$dir/environment"
}

command=${1:-}
case $command in
--help | -h) show_help && exit 0 ;;
start | stop) [ -n "${2:-}" ] || fail "which folder? (see --help)" ;;
*) fail "'start DIR' or 'stop DIR' (see --help)" ;;
esac
mkdir -p "$2"
dir=$(cd "$2" && pwd)
case $dir in
*["'|&\\"]*) fail "a folder without quotes, '|', '&' and '\\' in its path, please: $dir" ;;
esac
"$command"
