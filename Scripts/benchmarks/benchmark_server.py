"""The servers of Scripts/benchmark-http.sh and Scripts/benchmark-cache.sh: nginx, and one that lets requests wait."""

import asyncio
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
LARGE = 200_000_000


def free_port():
    """A port below the range that the system gives to clients, where nobody listens."""
    while True:
        port = random.randrange(20000, 32000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


def user(number):
    return {
        "id": number,
        "name": f"User number {number}",
        "email": f"user-{number}@example.com",
        "isActive": number % 3 != 0,
        "score": number * 13 % 1000 + 0.5,
        "tags": ["alpha", f"group-{number % 7}", f"team-{number % 11}"],
        "address": {"street": f"{number} Long Street", "city": "Springfield", "zip": f"{10000 + number}"},
        "manager": None if number % 4 == 0 else number // 4,
        "note": "A member that the model does not ask for, as responses have them.",
    }


class Nginx:
    """nginx with its files in a folder of its own, in memory where the system offers that."""

    def __init__(self):
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="netchain-benchmark-", dir=memory))
        for name in ("www", "upload", "temp"):
            (self.folder / name).mkdir()
        www = self.folder / "www"
        (www / "user.json").write_text(json.dumps(user(7)))
        for name, count in (("few-users", 7), ("users", 66)):
            (www / f"{name}.json").write_text(json.dumps([user(number) for number in range(1, count + 1)]))
        with open(www / "large.bin", "wb") as file:
            for _ in range(LARGE // 1_000_000):
                file.write(os.urandom(1_000) * 1_000)
        self._make_certificates()
        self._start()

    def _make_certificates(self):
        def openssl(*arguments):
            subprocess.run(["openssl", *arguments], cwd=self.folder, check=True, capture_output=True)

        key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        openssl("req", "-x509", *key, "-days", "30", "-subj", "/CN=NetChainKit benchmarks CA", "-keyout", "ca.key",
                "-out", "ca.pem", "-addext", "keyUsage=critical,keyCertSign,cRLSign")
        openssl("req", *key, "-subj", "/CN=localhost", "-keyout", "server.key", "-out", "server.csr")
        (self.folder / "extensions").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1")
        openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
                "-days", "30", "-extfile", "extensions", "-out", "server.pem")
        # Among the system's authorities, so that reading them costs what it costs elsewhere.
        system = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")
        text = system.read_text() if system.exists() else ""
        self.authorities = self.folder / "authorities.pem"
        self.authorities.write_text(text + (self.folder / "ca.pem").read_text())

    def _start(self):
        template = (HERE / "nginx.conf").read_text()
        http, tls = free_port(), free_port()
        text = template.replace("@DIR@", str(self.folder)).replace("@HTTP_PORT@", str(http))
        text = text.replace("@TLS_PORT@", str(tls))
        if os.geteuid() == 0:
            text = text.replace("# @USER@", "user root root;")
        (self.folder / "nginx.conf").write_text(text)
        subprocess.run(["nginx", "-e", self.folder / "nginx-error.log", "-c", self.folder / "nginx.conf"], check=True)
        self.http, self.tls = f"http://127.0.0.1:{http}", f"https://127.0.0.1:{tls}"

    def stop(self):
        os.kill(int((self.folder / "nginx.pid").read_text()), signal.SIGTERM)
        shutil.rmtree(self.folder, ignore_errors=True)


class SlowServer:
    """Responds to `/later` after five seconds, and to `/now` at once, at any address of 127.0.0.0/8."""

    def __init__(self):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process = subprocess.Popen([sys.executable, __file__, str(self.port)])
        for _ in range(100):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)
        sys.exit("the slow server did not start")

    def stop(self):
        self.process.kill()
        self.process.wait()


def serve(port):
    body = json.dumps(user(7)).encode()
    response = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nContent-Type: application/json\r\n\r\n%b" % (len(body), body)

    class Connection(asyncio.Protocol):
        def connection_made(self, transport):
            self.transport, self.bytes = transport, b""

        def data_received(self, data):
            self.bytes += data
            if self.bytes.endswith(b"\r\n\r\n"):
                path, self.bytes = self.bytes.split(b" ", 2)[1], b""
                asyncio.get_running_loop().call_later(5 if path == b"/later" else 0, self.transport.write, response)

    async def main():
        server = await asyncio.get_running_loop().create_server(Connection, "0.0.0.0", port, backlog=20_000)
        await server.serve_forever()

    asyncio.run(main())


if __name__ == "__main__":
    serve(int(sys.argv[1]))
