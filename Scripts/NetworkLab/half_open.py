"""An HTTP/2 server for Scripts/network-lab.sh that ends a connection's HTTP/2 and TLS, but not its TCP.

half_open.py PORT CERTIFICATE-AND-KEY

After 100 streams it sends GOAWAY, responds to those, and sends TLS' close_notify. It reads no headers, so that it has
no log of ids.
"""

import contextlib
import socket
import ssl
import struct
import sys
import threading

STREAMS = 100
DATA, HEADERS, SETTINGS, PING, GOAWAY = 0, 1, 4, 6, 7
END_STREAM, END_HEADERS, ACK = 1, 4, 1
PREFACE = len(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def frames(connection):
    """The frames of a connection: kind, flags, stream and payload."""
    with connection.makefile("rb") as file:
        file.read(PREFACE)
        while len(head := file.read(9)) == 9:
            kind, flags, stream = struct.unpack(">BBI", head[3:])
            yield kind, flags, stream, file.read(int.from_bytes(head[:3], "big"))


def serve(connection):
    connection.sendall(frame(SETTINGS, 0, 0))
    opened = responded = last = 0
    for kind, flags, stream, payload in frames(connection):
        if kind in (SETTINGS, PING) and not flags & ACK:
            connection.sendall(frame(kind, ACK, 0, payload if kind == PING else b""))
        elif kind == HEADERS and not last:
            opened += 1
            if opened == STREAMS:
                last = stream
                connection.sendall(frame(GOAWAY, 0, 0, struct.pack(">II", last, 0)))
        if kind in (DATA, HEADERS) and flags & END_STREAM and (not last or stream <= last):
            responded += 1
            # 0x88 is `:status: 200` (RFC 7541, appendix A).
            connection.sendall(frame(HEADERS, END_HEADERS, stream, b"\x88") + frame(DATA, END_STREAM, stream, b"ok\n"))
            if responded == STREAMS:
                break
    # Sends close_notify; fails where the client has sent more.
    with contextlib.suppress(OSError):
        connection.unwrap()


def main():
    port, certificate = sys.argv[1:]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    context.set_alpn_protocols(["h2"])

    def accept(client):
        # TCP stays open until the client closes it.
        with contextlib.suppress(OSError), client.dup() as tcp:
            serve(context.wrap_socket(client, server_side=True))
            while tcp.recv(1 << 16):
                pass

    with socket.create_server(("", int(port)), backlog=1024) as listener:
        while True:
            client, _ = listener.accept()
            threading.Thread(target=accept, args=(client,), daemon=True).start()


if __name__ == "__main__":
    main()
