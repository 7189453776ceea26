import Foundation
import NetChainTestKit
import TestSupport
import Testing

@testable import UrlSessionTransport

/// The DER of public keys, beside that of openssl.
struct SubjectPublicKeyTests {
    private static let isAvailable = (try? run("openssl version")) != nil

    /// The output of a shell command.
    ///
    /// By popen(3): the `Process` of Swift 6.3 reads past the end of a list in memory
    /// where this process has more than 1,000 open files, and may crash.
    private static func run(_ command: String) throws -> [UInt8] {
        let pipe = try #require(popen(command + " 2>/dev/null", "r"))
        var output: [UInt8] = []
        while case let byte = getc(pipe), byte != EOF { output.append(UInt8(byte)) }
        try #require(pclose(pipe) == 0)
        return output
    }

    /// A private key that openssl made, in a file.
    private static func key(_ command: String) throws -> (folder: TestFolder, path: String) {
        let folder = try TestFolder()
        return (folder, try folder.file("key.pem", try run(command)).path)
    }

    @Test(.enabled(if: isAvailable, "needs openssl"), arguments: [1024, 2048, 3072, 4096])
    func anRsaKeyIsAsOpensslWritesIt(bits: Int) throws {
        let key = try Self.key("openssl genrsa \(bits)")
        let expected = try Self.run("openssl pkey -pubout -outform DER -in '\(key.path)'")
        let raw = try Self.run("openssl rsa -RSAPublicKey_out -outform DER -in '\(key.path)'")
        #expect(SubjectPublicKey(algorithm: .rsa, key: raw).der == expected)
    }

    @Test(
        .enabled(if: isAvailable, "needs openssl"),
        arguments: [("prime256v1", 256, 65), ("secp384r1", 384, 97), ("secp521r1", 521, 133)])
    func anEllipticKeyIsAsOpensslWritesIt(name: String, bits: Int, pointSize: Int) throws {
        let key = try Self.key("openssl ecparam -name \(name) -genkey -noout")
        let expected = try Self.run("openssl pkey -pubout -outform DER -in '\(key.path)'")
        let curve = try #require(SubjectPublicKey.Curve(bits: bits))
        // The point is the end of the text.
        let point = Array(expected.suffix(pointSize))
        #expect(SubjectPublicKey(algorithm: .ec(curve), key: point).der == expected)
    }

    @Test func otherCurvesAreNotKnown() {
        #expect(SubjectPublicKey.Curve(bits: 255) == nil)
    }
}
