#if os(Linux)
import CNetChainCurl

/// Owns a list of libcurl. Easy handles only read it, so several may share it.
final class CurlList: @unchecked Sendable {  // immutable
    /// nil for an empty list.
    let raw: UnsafeMutablePointer<curl_slist>?

    /// Creates a list, whose last lines are `bytes`, without a NUL. Returns nil if libcurl has no memory.
    init?(_ lines: [String], bytes: [[UInt8]] = []) {
        var list: UnsafeMutablePointer<curl_slist>?
        func append(_ line: UnsafePointer<CChar>) -> Bool {
            guard let extended = curl_slist_append(list, line) else { return false }
            list = extended
            return true
        }
        let isWhole =
            lines.allSatisfy { $0.withCString(append) } && bytes.allSatisfy { Self.withCString($0, append) }
        raw = list
        if !isWhole { return nil }
    }

    deinit {
        curl_slist_free_all(raw)
    }

    static func withCString<Result>(_ bytes: [UInt8], _ body: (UnsafePointer<CChar>) -> Result) -> Result {
        var text = bytes.map { CChar(bitPattern: $0) }
        text.append(0)
        return text.withUnsafeBufferPointer { text in
            // A buffer with an element has an address.
            text.baseAddress.map(body) ?? body("")
        }
    }
}
#endif
