"""The two hosts of Scripts/network-lab.sh, as network namespaces, and the servers on one of them."""

import contextlib
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

PARTS = pathlib.Path(__file__).resolve().parent
CLIENT = "10.203.0.2"
SERVER = "10.203.0.1"
# More addresses of the server, outside of the client's subnet, so that RFC 6724 keeps their order.
OTHERS = [f"10.203.1.{last}" for last in range(11, 19)]
SERVER6 = "fd00:6e:6c::1"
KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
FIREWALL = f"""
table inet lab {{
    set forgotten {{ type inet_service; }}
    set dead {{ type ipv4_addr; }}
    set dead6 {{ type ipv6_addr; }}
    chain received {{
        type filter hook input priority 0;
        ip saddr {CLIENT} tcp sport @forgotten drop
        ip daddr @dead drop
        ip6 daddr @dead6 drop
    }}
    chain sent {{
        type filter hook output priority 0;
        ip daddr {CLIENT} tcp dport @forgotten drop
        ip saddr @dead drop
        ip6 saddr @dead6 drop
    }}
}}
"""


class Missing(Exception):
    """A server that is not installed."""


def program(name):
    """The path of a program, also in the folders of the superuser."""
    path = shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    if path is None:
        raise Missing(f"{name} is not installed")
    return path


class Hosts:
    """A client and a server host, a link between them, and the firewall of the server."""

    def __init__(self, folder, client, server):
        self.folder = folder
        self.client = client
        self.server = server
        self.names = folder / "hosts"

    def make(self):
        def ip(*words):
            subprocess.run(["ip", *words], check=True, capture_output=True, text=True)

        for name in (self.client, self.server):
            ip("netns", "add", name)
            ip("-n", name, "link", "set", "lo", "up")
        ip("-n", self.client, "link", "add", "lab", "type", "veth", "peer", "name", "lab", "netns", self.server)
        ip("-n", self.client, "address", "add", f"{CLIENT}/24", "dev", "lab")
        ip("-n", self.client, "address", "add", "fd00:6e:6c::2/64", "dev", "lab", "nodad")
        for address in [f"{SERVER}/24", *(f"{other}/32" for other in OTHERS)]:
            ip("-n", self.server, "address", "add", address, "dev", "lab")
        ip("-n", self.server, "address", "add", f"{SERVER6}/64", "dev", "lab", "nodad")
        for name in (self.client, self.server):
            ip("-n", name, "link", "set", "lab", "up")
        # The server has no name server; where this address is dead, it is silent.
        (self.folder / "resolv.conf").write_text(f"nameserver {OTHERS[0]}\n")
        ip("-n", self.client, "route", "add", "10.203.1.0/24", "via", SERVER)
        self.heal()

    def on(self, host, *words):
        """The command that runs words on a host. The client's names come from the lab's files."""
        if host == self.client:
            mounts = "; ".join(f'mount --bind "$0/{name}" /etc/{name}' for name in ("hosts", "resolv.conf"))
            words = ["sh", "-ec", f'{mounts}; exec "$@"', self.folder, *words]
        return ["ip", "netns", "exec", host, *words]

    def firewall(self, text):
        subprocess.run(self.on(self.server, program("nft"), "-f", "-"), input=text, text=True, check=True)

    def heal(self):
        """Every packet arrives, and each name has its one address."""
        self.firewall(f"table inet lab\ndelete table inet lab\n{FIREWALL}")
        # Otherwise the kernel would take a neighbor that was dead for dead for some seconds more.
        for name in (self.client, self.server):
            subprocess.run(["ip", "-n", name, "neighbor", "flush", "dev", "lab"], check=True, capture_output=True)
        self.name()

    def name(self, **other):
        """Sets the addresses of names below lab.test; `www` is the server."""
        lines = ["127.0.0.1 localhost"]
        for name, addresses in {"www": [SERVER], **other}.items():
            lines += [f"{address} {name}.lab.test" for address in addresses]
        # In place, because it is mounted.
        self.names.write_text("\n".join(lines) + "\n")

    def kill_addresses(self, *addresses):
        """No packet from or to these addresses arrives."""
        for address in addresses:
            self.firewall(f"add element inet lab {'dead6' if ':' in address else 'dead'} {{ {address} }}")

    def forget(self, one=False):
        """Drops the packets of all connections to port 443 that are open now, or of one of them, as a NAT that has lost
        its table. New ones work."""
        listed = subprocess.run(self.on(self.server, "ss", "-Htn", "state", "established"), check=True,
                                capture_output=True, text=True).stdout
        ports = re.findall(rf":443\s+\S*{re.escape(CLIENT)}\]?:(\d+)\s*$", listed, re.MULTILINE)
        if ports:
            forgotten = [random.choice(ports)] if one else ports
            self.firewall(f"add element inet lab forgotten {{ {', '.join(forgotten)} }}")

    def remove(self):
        for name in (self.client, self.server):
            for number in (signal.SIGTERM, signal.SIGKILL):
                listed = subprocess.run(["ip", "netns", "pids", name], capture_output=True, text=True).stdout
                for process in listed.split():
                    with contextlib.suppress(OSError):
                        os.kill(int(process), number)
                if listed and number == signal.SIGTERM:
                    time.sleep(0.5)
            subprocess.run(["ip", "netns", "delete", name], capture_output=True)


class Servers:
    """The servers, started when they are first needed. Their settings are those of their Debian packages, but for
    ports, paths, certificates, and what a scenario names."""

    # The ports where each server listens.
    PORTS = {
        "app": [], "nginx": [80, 443, 4403, 4404, 4410], "haproxy": [5443], "apache": [6443], "squid": [3128],
        "caddy": [7443], "node": [8443], "gunicorn": [9080]}

    def __init__(self, hosts, folder, venv):
        self.hosts = hosts
        self.folder = folder
        self.venv = venv
        self.processes = {}
        self.make_certificates()
        www = folder / "www"
        www.mkdir()
        (www / "index.html").write_text("ok\n")
        (www / "large.bin").write_bytes(random.Random(1).randbytes(24 << 20))

    def make_certificates(self):
        (self.folder / "names").write_text("subjectAltName = DNS:*.lab.test\n")
        for name in ("ca", "stranger"):
            self.openssl("req", "-x509", *KEY, "-subj", f"/CN=Lab {name}", "-days", "2", "-keyout", f"{name}.key",
                         "-out", f"{name}.pem", "-addext", "keyUsage=critical,keyCertSign")
        self.make_certificate("ca")

    def openssl(self, *words):
        subprocess.run([program("openssl"), *words], cwd=self.folder, check=True, capture_output=True)

    def make_certificate(self, authority):
        """Makes the servers' certificate and key."""
        self.openssl("req", *KEY, "-subj", "/CN=lab.test", "-keyout", "server.key", "-out", "server.csr")
        self.openssl("x509", "-req", "-in", "server.csr", "-CA", f"{authority}.pem", "-CAkey", f"{authority}.key",
                     "-CAcreateserial", "-days", "2", "-extfile", "names", "-out", "server.pem")
        both = (self.folder / "server.pem").read_text() + (self.folder / "server.key").read_text()
        (self.folder / "both.pem").write_text(both)

    def change_certificate(self, authority):
        """nginx reads another certificate; the other servers that run keep theirs."""
        self.make_certificate(authority)
        self.reload("nginx")

    def log(self, name):
        return self.folder / f"{name}.log"

    def start(self, *names):
        for name in names:
            if name in self.processes and self.processes[name].poll() is None:
                continue
            command, environment = getattr(self, name)()
            with open(self.folder / f"{name}.out", "a", encoding="utf-8") as output:
                self.processes[name] = subprocess.Popen(
                    self.hosts.on(self.hosts.server, *command), stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                    env={**os.environ, **environment}, cwd=self.folder)
            self.wait_for(name)

    def wait_for(self, name):
        for _ in range(200):
            listed = subprocess.run(self.hosts.on(self.hosts.server, "ss", "-Hltnx"), check=True, capture_output=True,
                                    text=True).stdout
            wanted = [f":{port} " for port in self.PORTS[name]] or [f"{self.folder}/app.sock"]
            if all(each in listed for each in wanted):
                return
            if self.processes[name].poll() is not None:
                break
            time.sleep(0.05)
        output = (self.folder / f"{name}.out").read_text(encoding="utf-8", errors="replace")[-2000:]
        raise Missing(f"{name} did not start: {output}")

    def reload(self, name):
        self.processes[name].send_signal(signal.SIGHUP)

    def kill_workers(self, name):
        # They are stopped first: none of them accepts a connection after the others have ended.
        process = self.processes[name].pid
        workers = pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for worker in workers:
                with contextlib.suppress(OSError):
                    os.kill(int(worker), number)

    # --- how each is started: a command and its environment -----------------------------------------

    def nginx_temporary(self, name):
        return "".join(f"{kind}_temp_path {self.folder}/{name}-{kind};\n"
                       for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))

    def app(self):
        """What processes the requests of nginx, HAProxy and squid: an nginx that is never reloaded or killed. Its log
        has a line for each request, also where the server before it was killed."""
        (self.folder / "app.conf").write_text(f"""
user root;
worker_processes 1;
pid {self.folder}/app.pid;
error_log {self.folder}/app-error.log;
events {{ worker_connections 4096; }}
http {{
    log_format lab '$http_x_request_id $status';
    access_log {self.log("app")} lab;
    {self.nginx_temporary("app")}
    server {{
        listen unix:{self.folder}/app.sock;
        location / {{ return 200 "ok\\n"; }}
    }}
}}
""")
        return [program("nginx"), "-c", self.folder / "app.conf", "-g", "daemon off;"], {}

    def nginx(self):
        text = pathlib.Path("/etc/nginx/nginx.conf").read_text(encoding="utf-8")
        changes = {
            r"^\s*pid\s.*;": f"pid {self.folder}/nginx.pid;",
            r"^\s*error_log\s.*;": f"error_log {self.folder}/nginx-error.log;",
            r"^\s*access_log\s.*;": f"log_format lab '$http_x_request_id $status'; access_log {self.log('nginx')} lab;",
            r"^\s*include\s+/etc/nginx/conf\.d/.*;": "",
            r"^\s*include\s+/etc/nginx/sites-enabled/.*;": f"include {self.folder}/nginx-site.conf;",
        }
        for pattern, new in changes.items():
            text = re.sub(pattern, lambda _, new=new: new, text, flags=re.MULTILINE)
        (self.folder / "nginx.conf").write_text(text)
        common = f"""
    ssl_certificate {self.folder}/server.pem;
    ssl_certificate_key {self.folder}/server.key;
    location / {{ proxy_pass http://unix:{self.folder}/app.sock:; }}
    location = /large.bin {{ root {self.folder}/www; limit_rate 4m; }}
"""
        (self.folder / "nginx-site.conf").write_text(f"""
{self.nginx_temporary("nginx")}
server {{ listen 80; listen 443 ssl http2; listen [::]:443 ssl http2; {common} }}
# The header Keep-Alive: timeout=3.
server {{ listen 4403 ssl http2; keepalive_timeout 3s 3s; {common} }}
server {{ listen 4404 ssl http2; http2_max_concurrent_streams 4; {common} }}
server {{ listen 4410 ssl http2; keepalive_requests 100; {common} }}
""")
        return [program("nginx"), "-c", self.folder / "nginx.conf", "-g", "daemon off;"], {}

    def haproxy(self):
        text = pathlib.Path("/etc/haproxy/haproxy.cfg").read_text(encoding="utf-8")
        text = re.sub(r"^\s*(log|chroot|stats|user|group|daemon)\b.*$", "", text, flags=re.MULTILINE)
        (self.folder / "haproxy.cfg").write_text(f"""{text}
    timeout http-keep-alive 2s
frontend lab
    bind :5443 ssl crt {self.folder}/both.pem alpn h2,http/1.1
    default_backend app
backend app
    server app unix@{self.folder}/app.sock
""")
        return [program("haproxy"), "-db", "-f", self.folder / "haproxy.cfg"], {}

    def apache(self):
        command = program("apache2")
        folder = self.folder / "apache"
        if not folder.exists():
            shutil.copytree("/etc/apache2", folder)
            shutil.rmtree(folder / "sites-enabled")
            for module in ("socache_shmcb", "ssl", "http2"):
                for file in (folder / "mods-available").glob(f"{module}.*"):
                    shutil.copy(file, folder / "mods-enabled")
        (folder / "ports.conf").write_text("Listen 6443\n")
        (folder / "sites-enabled").mkdir(exist_ok=True)
        (folder / "sites-enabled" / "lab.conf").write_text(f"""
ServerName www.lab.test
<VirtualHost *:6443>
    SSLEngine on
    SSLCertificateFile {self.folder}/server.pem
    SSLCertificateKeyFile {self.folder}/server.key
    Protocols h2 http/1.1
    DocumentRoot {self.folder}/www
    LimitRequestBody 1048576
    CustomLog {self.log("apache")} "%{{X-Request-Id}}i %>s"
    <Directory {self.folder}/www>
        Require all granted
    </Directory>
</VirtualHost>
""")
        run = self.folder / "apache-run"
        run.mkdir(exist_ok=True)
        return [command, "-d", folder, "-D", "FOREGROUND"], {
            "APACHE_RUN_USER": "www-data", "APACHE_RUN_GROUP": "www-data", "APACHE_PID_FILE": f"{run}/pid",
            "APACHE_RUN_DIR": str(run), "APACHE_LOCK_DIR": str(run), "APACHE_LOG_DIR": str(run)}

    def squid(self):
        command = program("squid")
        text = pathlib.Path("/etc/squid/squid.conf").read_text(encoding="utf-8")
        text = re.sub(r"^coredump_dir\b.*$", "", text, flags=re.MULTILINE)
        text = re.sub(r"^http_access deny all", "http_access allow localnet\nhttp_access deny all", text,
                      flags=re.MULTILINE)
        run = self.folder / "squid-run"
        run.mkdir(exist_ok=True)
        run.chmod(0o777)
        (self.folder / "squid.conf").write_text(f"""{text}
hosts_file {self.hosts.names}
pid_filename {run}/pid
cache_log {run}/cache.log
access_log stdio:{run}/access.log
coredump_dir {run}
netdb_filename none
pinger_enable off
""")
        return [command, "-N", "-f", self.folder / "squid.conf"], {}

    def caddy(self):
        (self.folder / "Caddyfile").write_text(f"""
{{
    admin off
    auto_https off
    storage file_system {self.folder}/caddy
}}
https://:7443 {{
    tls {self.folder}/server.pem {self.folder}/server.key
    log {{
        output file {self.log("caddy")} {{
            roll_disabled
        }}
    }}
    respond "ok"
}}
""")
        home = str(self.folder / "caddy")
        return [program("caddy"), "run", "--adapter", "caddyfile", "--config", self.folder / "Caddyfile"], {
            "HOME": home, "XDG_DATA_HOME": home, "XDG_CONFIG_HOME": home}

    def node(self):
        return [program("node"), PARTS / "server.js", self.folder, self.log("node"), "8443"], {}

    def gunicorn(self):
        python = self.venv / "bin" / "python"
        if not python.exists():
            raise Missing("gunicorn is not installed")
        return [python, "-m", "gunicorn", "--chdir", PARTS, "--bind", f"{SERVER}:9080", "--bind",
                "127.0.0.1:9080", "--worker-tmp-dir", self.folder, "application:application"], {
                    "LAB_LOG": str(self.log("gunicorn"))}


def warn(text):
    print(text, file=sys.stderr, flush=True)
