import Testing

@testable import NetChainKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct DigestTests {
    private static let nonce = "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v"

    private func challenge(_ text: String) throws -> DigestChallenge {
        let challenge = try #require(AuthChallenge.challenges(in: text).first)
        return try #require(DigestChallenge(challenge))
    }

    private func parameters(_ header: String) throws -> [String: String] {
        let read = try #require(AuthChallenge.challenges(in: header).first)
        #expect(read.scheme == "Digest")
        return read.parameters
    }

    // MARK: - Hashes

    /// RFC 1321 §A.5, and lengths around those of a block.
    @Test(arguments: [
        ("", "d41d8cd98f00b204e9800998ecf8427e"), ("a", "0cc175b9c0f1b6a831c399e269772661"),
        ("abc", "900150983cd24fb0d6963f7d28e17f72"), ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
        ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
        (
            "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
            "57edf4a22be3c955ac49da2e2107b67a"
        ),
        (String(repeating: "a", count: 55), "ef1772b6dff9a122358552954ad0df65"),
        (String(repeating: "a", count: 56), "3b0c8ac703f828b04c6c197006d17218"),
        (String(repeating: "a", count: 64), "014842d480b571495a4a0363793f7367"),
    ])
    func md5(text: String, digest: String) {
        #expect(Md5.digest(text.utf8).map(DigestChallenge.hex).joined() == digest)
    }

    /// FIPS 180-4's examples, and lengths around those of a block.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (String(repeating: "a", count: 55), "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
        (String(repeating: "a", count: 56), "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"),
        (String(repeating: "a", count: 64), "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
    ])
    func sha256(text: String, digest: String) {
        #expect(Sha256.digest(text.utf8).map(DigestChallenge.hex).joined() == digest)
    }

    // MARK: - Responses

    /// RFC 7616 §3.9.1; the responses of the `-sess` forms were computed with Python's hashlib.
    @Test(arguments: [
        ("MD5", "8ca523f5e9506fed4657c9700eebdbec"), ("md5-sess", "e783283f46242139c486a698fec7211d"),
        ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
        ("SHA-256-sess", "2fd51b3a77ad75bad6afad6003e818d767133c46d9e2749e7f5232ae1ea3efd7"),
    ])
    func theResponseIsThatOfTheRfc(algorithm: String, response: String) throws {
        let challenge = try challenge(
            """
            Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=\(algorithm), \
            nonce="\(Self.nonce)", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
            """)
        let header = challenge.authorization(
            user: "Mufasa", password: "Circle of Life", method: .get, target: "/dir/index.html", count: 1,
            clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ")
        #expect(
            header == """
                Digest username="Mufasa", realm="http-auth@example.org", uri="/dir/index.html", algorithm=\(algorithm), \
                nonce="\(Self.nonce)", nc=00000001, cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", qop=auth, \
                response="\(response)", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
                """)
    }

    /// RFC 2617 §3.5.
    @Test func theResponseIsThatOfTheOlderRfc() throws {
        let challenge = try challenge(
            "Digest realm=\"testrealm@host.com\", qop=\"auth,auth-int\", nonce=\"dcd98b7102dd2f0e8b11d0f600bfb0c093\"")
        let header = challenge.authorization(
            user: "Mufasa", password: "Circle Of Life", method: .get, target: "/dir/index.html", count: 1,
            clientNonce: "0a4f113b")
        #expect(try parameters(header)["response"] == "6629fae49393a05397450978507c4ef1")
        #expect(try parameters(header)["algorithm"] == nil)
    }

    /// RFC 2069 §2.4, with the response of its erratum 749.
    @Test func withoutAQualityOfProtectionNothingIsCounted() throws {
        let challenge = try challenge(
            "Digest realm=\"testrealm@host.com\", nonce=\"dcd98b7102dd2f0e8b11d0f600bfb0c093\", opaque=\"5ccc\"")
        let header = challenge.authorization(
            user: "Mufasa", password: "CircleOfLife", method: .get, target: "/dir/index.html", count: 1,
            clientNonce: "0a4f113b")
        let sent = try parameters(header)
        #expect(sent["response"] == "1949323746fe6a43ef61f9606e7febea")
        #expect(sent["nc"] == nil && sent["cnonce"] == nil && sent["qop"] == nil && sent["opaque"] == "5ccc")
    }

    @Test(arguments: [
        ("MD5", "2e063fa2c54dea1c36808b7a6e3b14c9"),
        ("SHA-256", "5a1a8a47df5c298551b9b42ba9b05835174a5bd7d511ff7fe9191d8e946fc4e7"),
    ])
    func theNameMayBeHashed(algorithm: String, name: String) throws {
        let challenge = try challenge(
            """
            Digest realm="api@example.org", qop="auth", algorithm=\(algorithm), nonce="n", charset=UTF-8, \
            userhash=true
            """)
        let header = challenge.authorization(
            user: "Jäsøn Doe", password: "Secret, or not?", method: .get, target: "/doe.json", count: 1,
            clientNonce: "c")
        #expect(try parameters(header)["username"] == name)
        #expect(header.hasSuffix(", userhash=true"))
    }

    /// The user and the password of RFC 7616 §3.9.2, with SHA-256; computed with Python's hashlib.
    @Test func aNameBeyondAsciiIsPercentEncoded() throws {
        let challenge = try challenge(
            """
            Digest realm="api@example.org", qop="auth", algorithm=SHA-256, charset=UTF-8, \
            nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK"
            """)
        let header = challenge.authorization(
            user: "Jäsøn Doe", password: "Secret, or not?", method: .get, target: "/doe.json", count: 1,
            clientNonce: "NTg6RKcb9boFIAS3KrFK9BGeh+niz/sm")
        #expect(header.hasPrefix("Digest username*=UTF-8''J%C3%A4s%C3%B8n%20Doe, realm="))
        #expect(
            try parameters(header)["response"] == "06d0c14162099f487a92ebceaf71097534ee5f90d858386449c337ab69f7f6b8")
    }

    @Test func quotesAndBackslashesAreEscaped() throws {
        let challenge = try challenge(#"Digest realm="a\"b\\", nonce="n\"", opaque="o\\", qop=auth"#)
        let header = challenge.authorization(
            user: #"u"\ser"#, password: "p", method: .get, target: "/", count: 1, clientNonce: "c")
        let sent = try parameters(header)
        #expect(sent["username"] == #"u"\ser"# && sent["realm"] == #"a"b\"#)
        #expect(sent["nonce"] == "n\"" && sent["opaque"] == #"o\"#)
    }

    @Test(arguments: [
        "Basic realm=\"a\"", "Digest realm=\"a\"", "Digest nonce=\"a\"",
        "Digest realm=\"a\", nonce=\"b\", qop=auth-int",
        "Digest realm=\"a\", nonce=\"b\", algorithm=SHA-512-256", "Digest realm=\"a\", nonce=\"b\", algorithm=",
        "Digest realm=\"a\", nonce=\"b\", qop=\"\"", "Digest realm=\"a\", nonce=\"b\", algorithm=MD5-sess",
        "Digest realm=\"a\", nonce=\"b\", qop=\"auth-int, authority\"",
    ])
    func otherChallengesAreNotAnswered(text: String) {
        for challenge in AuthChallenge.challenges(in: text) { #expect(DigestChallenge(challenge) == nil) }
    }

    @Test(arguments: [
        ("https://h", "/"), ("https://h?a=1", "/?a=1"), ("https://u:p@h:1/a%20b/?x=%2B#f", "/a%20b/?x=%2B"),
        ("http://h/a/../b", "/a/../b"),
    ])
    func theTargetIsPathAndQuery(url: String, target: String) throws {
        #expect(try #require(URL(string: url)).requestTarget == target)
    }

    /// Each count of a nonce is used once, whatever the number of tasks.
    @Test func countsAreUniqueUnderContention() async throws {
        let nonce = DigestNonce(try challenge("Digest realm=\"a\", nonce=\"b\", qop=auth"))
        let url = try #require(URL(string: "https://h/"))
        let counts = try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try (0..<500).map { _ in
                        let header = nonce.authorization(user: "u", password: "p", method: .get, url: url)
                        return try #require(AuthChallenge.challenges(in: header).first?["nc"])
                    }
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(Set(counts).count == 4000)
        #expect(counts.max() == "00000fa0")
    }

    @Test func clientNoncesAreRandom() throws {
        let challenge = try challenge("Digest realm=\"a\", nonce=\"b\", qop=auth")
        let url = try #require(URL(string: "https://h/"))
        let values = try (0..<100).map { _ in
            try parameters(DigestNonce(challenge).authorization(user: "u", password: "p", method: .get, url: url))[
                "cnonce"]
        }
        #expect(Set(values).count == 100 && values.allSatisfy { $0?.count == 32 })
    }
}
