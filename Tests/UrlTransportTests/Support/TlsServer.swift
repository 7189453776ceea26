#if os(Linux)
import Glibc
import NetChainTestKit
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A TLS server of 127.0.0.1 in a process of its own, Python's: it sends what a request's path names, and ends the
/// connection with a close_notify, or without one, or keeps it. In a response it replaces `@resumed@` by whether the connection resumed a TLS
/// session (`True` or `False`), `@client@` by the common name of the client's certificate, or by `none`.
final class TlsServer: Sendable {
    /// The certificate, which it has signed itself.
    let certificate: URL
    private let folder: TestFolder
    private let process: pid_t
    private let port: Int

    /// Whether this machine has what it takes.
    static let isAvailable =
        (try? run("openssl", "version")) == 0 && (try? run("python3", "-c", "import ssl")) == 0

    /// - Parameters:
    ///   - responses: the bytes that a path gets.
    ///   - version: the version of TLS, `TLSv1_2` or `TLSv1_3`.
    ///   - clientCertificate: the certificate that a client may show; nil to request none.
    ///   - requiresCertificate: whether a client must show it. Otherwise the handshake fails.
    ///   - protocols: what the server chooses from (ALPN), such as `http/1.1`; empty to negotiate nothing.
    init(
        _ responses: [String: String], version: String = "TLSv1_3", clientCertificate: URL? = nil,
        requiresCertificate: Bool = false, protocols: String = ""
    ) throws {
        folder = try TestFolder()
        certificate = try Self.makeCertificate("localhost", in: folder).certificate
        for (name, bytes) in responses { try Data(bytes.utf8).write(to: folder.url.appending(path: name)) }
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let words = [
            "python3", "-c", Self.script, folder.url.path, version, clientCertificate?.path ?? "",
            requiresCertificate ? "CERT_REQUIRED" : "CERT_OPTIONAL", protocols,
        ]
        process = try Self.spawn(words, output: ends[1])
        close(ends[1])
        defer { close(ends[0]) }
        var text: [UInt8] = []
        var byte: UInt8 = 0
        while read(ends[0], &byte, 1) == 1, byte != 0x0A { text.append(byte) }
        port = try #require(Int(String(decoding: text, as: UTF8.self)))
    }

    deinit {
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
    }

    /// Where the response of this name is. The connection is kept after it.
    func url(kept name: String) throws -> URL {
        try #require(URL(string: "https://127.0.0.1:\(port)/keep/\(name)"))
    }

    /// Where the response of this name is, and whether a close_notify follows it.
    func url(_ name: String, notifies: Bool) throws -> URL {
        try #require(URL(string: "https://127.0.0.1:\(port)/\(notifies ? "notify" : "close")/\(name)"))
    }

    /// Makes a certificate for 127.0.0.1 that is signed with its own key. The key is encrypted where there is a password.
    static func makeCertificate(
        _ name: String, in folder: TestFolder, password: String = ""
    ) throws -> (certificate: URL, key: URL) {
        let (certificate, key) = (folder.place("\(name).pem"), folder.place("\(name).key"))
        try #require(
            run(
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                password.isEmpty ? "-nodes" : "-verbose", "-passout", "pass:\(password)", "-days", "2", "-subj",
                "/CN=\(name)", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key.path, "-out",
                certificate.path) == 0)
        return (certificate, key)
    }

    private static let script = """
        import os, socket, ssl, sys, time
        folder, version, client_certificate, need, protocols = sys.argv[1:]
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = context.maximum_version = ssl.TLSVersion[version]
        context.load_cert_chain(os.path.join(folder, "localhost.pem"), os.path.join(folder, "localhost.key"))
        if client_certificate:
            context.verify_mode = ssl.VerifyMode[need]
            context.load_verify_locations(client_certificate)
        if protocols: context.set_alpn_protocols(protocols.split())
        listener = socket.create_server(("127.0.0.1", 0))
        print(listener.getsockname()[1], flush=True)
        while True:
            plain, _ = listener.accept()
            try:
                client = context.wrap_socket(plain, server_side=True)
                ending = "keep"
                while ending == "keep":
                    head = b""
                    while b"\\r\\n\\r\\n" not in head:
                        piece = client.recv(65536)
                        if not piece: break
                        head += piece
                    if not head: break
                    ending, name = head.split()[1].decode().split("?")[0].split("/")[-2:]
                    shown = client.getpeercert()
                    shown = dict(pair for part in shown["subject"] for pair in part)["commonName"] if shown else "none"
                    response = open(os.path.join(folder, name), "rb").read()
                    response = response.replace(b"@resumed@", str(client.session_reused).encode())
                    response = response.replace(b"@client@", shown.encode())
                    end = response.index(b"\\r\\n\\r\\n") + 4
                    client.sendall(response[:end])
                    time.sleep(0.02)
                    client.sendall(response[end:])
                if ending == "notify": client = client.unwrap()
                client.close()
            except (OSError, ssl.SSLError):
                pass
        """

    private static func run(_ words: String...) throws -> Int32 {
        var status: Int32 = 0
        try #require(waitpid(try spawn(words, output: nil), &status, 0) > 0)
        return status
    }

    private static func spawn(_ words: [String], output: Int32?) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        if let output { posix_spawn_file_actions_adddup2(&actions, output, 1) }
        let environment = ProcessInfo.processInfo.environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        let arguments = words.map { strdup($0) } + [nil]
        defer {
            for text in environment + arguments { free(text) }
        }
        var child = pid_t()
        try #require(posix_spawnp(&child, words[0], &actions, nil, arguments, environment) == 0)
        return child
    }
}
#endif
