"""An HTTP/2 server that ends connections and streams, or violates the protocol, as a request's path says.

http2_server.py ADDRESS PORT CERTIFICATE-AND-KEY LOG

Listens with TLS, and prints "Listening at PORT"; with PORT 0 the system picks one. It responds with 200 and "ok". For
each request that it has processed, it writes a line "id 200" to LOG; the id is the value of X-Request-Id.

/goaway/N      after N streams of the connection: sends GOAWAY, responds to those N, and closes the connection
/half-open/N   the same, but TCP stays open after the close_notify of TLS
/error/N       processes the Nth stream of the connection, sends GOAWAY with an error that excludes it, and closes it
/refused/N     the first attempt of every Nth id: RST_STREAM with REFUSED_STREAM
/reset/N       processes every Nth id, sends the head and a part of the body, then RST_STREAM
/idle/N        closes the connection N milliseconds after its last response
/http1         RST_STREAM with HTTP_1_1_REQUIRED
/http1-goaway  sends GOAWAY with HTTP_1_1_REQUIRED that excludes the stream, and closes the connection
/field         responds with `connection: keep-alive`, which HTTP/2 forbids
/short, /long  announces a byte more, or a byte less, than it sends
/violation     RST_STREAM with PROTOCOL_ERROR

A client that doesn't offer HTTP/2 gets the same 200 and "ok" over HTTP/1.1, for any path.
"""

import contextlib
import socket
import ssl
import struct
import sys
import threading

import hpack

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
END_STREAM, ACK, END_HEADERS, PADDED, PRIORITY = 1, 1, 4, 8, 32
PROTOCOL_ERROR, INTERNAL_ERROR, REFUSED_STREAM, HTTP_1_1_REQUIRED = 1, 2, 7, 13


class Log:
    """What was processed, and what was refused. Used by all threads."""

    def __init__(self, path):
        self.file = open(path, "a", encoding="utf-8", buffering=1)
        self.lock = threading.Lock()
        self.refused = set()

    def processed(self, number):
        with self.lock:
            self.file.write(f"{number} 200\n")

    def is_first(self, number):
        """Whether the id was not refused before; it is now."""
        with self.lock:
            if number in self.refused:
                return False
            self.refused.add(number)
            return True


class Connection:
    def __init__(self, tls, log):
        self.tls = tls
        self.log = log
        self.decoder = hpack.Decoder()
        self.received = b""
        # The ids of the requests that have no response, by their streams.
        self.requests = {}
        # The streams that are reset after the head of their response.
        self.resets = set()
        # What follows the status in the head of a response, by stream.
        self.fields = {}
        self.streams = 0
        # The last stream that is processed, once GOAWAY is sent.
        self.last = None

    def send(self, kind, flags, stream, payload=b""):
        self.tls.sendall(struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload)

    def read(self, count):
        while len(self.received) < count:
            try:
                data = self.tls.recv(1 << 16)
            except TimeoutError:
                if self.requests:
                    continue
                raise
            if not data:
                raise EOFError
            self.received += data
        data, self.received = self.received[:count], self.received[count:]
        return data

    def serve(self):
        """Returns how the connection is to be ended: the first part of a path."""
        self.read(len(PREFACE))
        self.send(SETTINGS, 0, 0)
        ending = "idle"
        while self.last is None or self.requests:
            try:
                head = self.read(9)
            except TimeoutError:
                break
            kind, flags, stream = struct.unpack(">BBI", head[3:])
            payload = self.read(int.from_bytes(head[:3], "big"))
            if kind in (SETTINGS, PING) and not flags & ACK:
                self.send(kind, ACK, 0, payload if kind == PING else b"")
            elif kind == DATA and payload:
                for window in (0, stream):
                    self.send(WINDOW_UPDATE, 0, window, struct.pack(">I", len(payload)))
            elif kind == HEADERS:
                ending = self.open(stream, self.headers(flags, payload)) or ending
            elif kind == RST_STREAM:
                self.requests.pop(stream, None)
            if kind in (DATA, HEADERS) and flags & END_STREAM and stream in self.requests:
                self.log.processed(self.requests.pop(stream))
                # 0x88 is `:status: 200` (RFC 7541, appendix A).
                if stream in self.resets:
                    # With `content-length: 10`.
                    self.send(HEADERS, END_HEADERS, stream, b"\x88\x0f\x0d\x0210")
                    self.send(DATA, 0, stream, b"ok\n")
                    self.send(RST_STREAM, 0, stream, struct.pack(">I", INTERNAL_ERROR))
                    continue
                self.send(HEADERS, END_HEADERS, stream, b"\x88" + self.fields.pop(stream, b""))
                self.send(DATA, END_STREAM, stream, b"ok\n")
        return ending

    def headers(self, flags, payload):
        if flags & PADDED:
            payload = payload[1:len(payload) - payload[0]]
        if flags & PRIORITY:
            payload = payload[5:]
        assert flags & END_HEADERS, "the headers have more than one frame"
        return dict(self.decoder.decode(payload))

    def open(self, stream, headers):
        """Returns how the connection ends, where the path says it."""
        if self.last is not None:
            # GOAWAY excludes it.
            return None
        number = int(headers.get("x-request-id", 0))
        ending, _, count = headers[":path"].partition("?")[0].strip("/").partition("/")
        self.streams += 1
        if ending == "refused" and number % int(count) == 0 and self.log.is_first(number):
            self.send(RST_STREAM, 0, stream, struct.pack(">I", REFUSED_STREAM))
            return None
        if ending in ("http1", "violation"):
            error = HTTP_1_1_REQUIRED if ending == "http1" else PROTOCOL_ERROR
            self.send(RST_STREAM, 0, stream, struct.pack(">I", error))
            return None
        if ending == "http1-goaway":
            self.last = max(0, stream - 2)
            self.send(GOAWAY, 0, 0, struct.pack(">II", self.last, HTTP_1_1_REQUIRED))
            return "goaway"
        self.requests[stream] = number
        # Literal fields, the length by its index in the static table (RFC 7541 §6.2.2).
        if ending == "field":
            self.fields[stream] = b"\x00\x0aconnection\x0akeep-alive"
        elif ending in ("short", "long"):
            self.fields[stream] = b"\x0f\x0d\x01" + (b"4" if ending == "short" else b"2")
        if ending == "reset" and number % int(count) == 0:
            self.resets.add(stream)
        if ending == "error" and self.streams == int(count):
            self.last = stream
            self.log.processed(self.requests.pop(stream))
            self.send(GOAWAY, 0, 0, struct.pack(">II", 0, INTERNAL_ERROR))
        elif ending == "idle":
            self.tls.settimeout(int(count) / 1000)
        elif ending in ("goaway", "half-open") and self.streams == int(count):
            self.last = stream
            self.send(GOAWAY, 0, 0, struct.pack(">II", stream, 0))
        return ending


def serve_http1(tls, log):
    """Responds to requests until the client closes the connection."""
    stream = tls.makefile("rwb")
    while stream.readline():
        headers = {}
        while line := stream.readline().strip():
            name, _, value = line.decode().partition(":")
            headers[name.lower()] = value.strip()
        stream.read(int(headers.get("content-length", 0)))
        log.processed(headers.get("x-request-id", 0))
        stream.write(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok\n")
        stream.flush()


def accept(client, context, log):
    # A connection that the client ends.
    with contextlib.suppress(OSError, EOFError), client, client.dup() as tcp:
        with context.wrap_socket(client, server_side=True) as tls:
            if tls.selected_alpn_protocol() == "http/1.1":
                return serve_http1(tls, log)
            ending = Connection(tls, log).serve()
            if ending == "goaway":
                # A reset could overtake the last responses, so the client closes first, or ten seconds pass.
                tls.settimeout(10)
                tcp.shutdown(socket.SHUT_WR)
                while tls.recv(1 << 16):
                    pass
            elif ending == "half-open":
                # Fails where the client has sent more.
                with contextlib.suppress(OSError):
                    tls.unwrap()
                while tcp.recv(1 << 16):
                    pass


def main():
    address, port, certificate, log = sys.argv[1:]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    context.set_alpn_protocols(["h2", "http/1.1"])
    log = Log(log)
    with socket.create_server((address, int(port)), backlog=1024) as listener:
        print(f"Listening at {listener.getsockname()[1]}", flush=True)
        while True:
            client, _ = listener.accept()
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=accept, args=(client, context, log), daemon=True).start()


if __name__ == "__main__":
    main()
