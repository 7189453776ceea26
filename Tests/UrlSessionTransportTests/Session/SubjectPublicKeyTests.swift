import Foundation
import Testing

@testable import UrlSessionTransport

/// The DER of public keys, beside that of openssl.
struct SubjectPublicKeyTests {
    private static let isAvailable = (try? run("openssl", "version")) != nil

    /// The output of a program.
    private static func run(_ words: String..., input: Data = Data()) throws -> Data {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        // Reading the process's own environment races with tests that change it.
        process.environment = ["PATH": "/usr/local/bin:/usr/bin:/bin"]
        let (standardInput, output) = (Pipe(), Pipe())
        process.standardInput = standardInput
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        standardInput.fileHandleForWriting.write(input)
        standardInput.fileHandleForWriting.closeFile()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return data
    }

    @Test(.enabled(if: isAvailable, "needs openssl"), arguments: [1024, 2048, 3072, 4096])
    func anRsaKeyIsAsOpensslWritesIt(bits: Int) throws {
        let key = try Self.run("openssl", "genrsa", "\(bits)")
        let expected = try Self.run("openssl", "pkey", "-pubout", "-outform", "DER", input: key)
        let raw = try Self.run("openssl", "rsa", "-RSAPublicKey_out", "-outform", "DER", input: key)
        #expect(SubjectPublicKey(algorithm: .rsa, key: Array(raw)).der == Array(expected))
    }

    @Test(
        .enabled(if: isAvailable, "needs openssl"),
        arguments: [("prime256v1", 256, 65), ("secp384r1", 384, 97), ("secp521r1", 521, 133)])
    func anEllipticKeyIsAsOpensslWritesIt(name: String, bits: Int, pointSize: Int) throws {
        let key = try Self.run("openssl", "ecparam", "-name", name, "-genkey", "-noout")
        let expected = try Self.run("openssl", "pkey", "-pubout", "-outform", "DER", input: key)
        let curve = try #require(SubjectPublicKey.Curve(bits: bits))
        // The point is the end of the text.
        let point = Array(expected.suffix(pointSize))
        #expect(SubjectPublicKey(algorithm: .ec(curve), key: point).der == Array(expected))
    }

    @Test func otherCurvesAreNotKnown() {
        #expect(SubjectPublicKey.Curve(bits: 255) == nil)
    }
}
