#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// Members that other libraries have here. The compiler says what to write.

extension RequestBody {
    /// Unavailable: states how text is sent.
    @available(*, unavailable, message: "write .data(Data(text.utf8))")
    public static func text(_ text: String) -> RequestBody { .data(Data(text.utf8)) }

    /// Unavailable: names the function.
    @available(*, unavailable, message: "write try request.body.read()")
    public var data: Data { inMemory ?? Data() }
}

extension ByteStream {
    /// Unavailable: states how a whole body is received.
    @available(*, unavailable, message: "write send() in place of stream(): it receives the whole body")
    public func collect() async throws -> Data { Data() }
}
