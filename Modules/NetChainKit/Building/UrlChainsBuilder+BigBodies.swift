import Models
import NodeCore
import ResponseProcessing
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension UrlChainsBuilder {
    /// A chain that loads a file to disk and gives its place; memory doesn't grow with it. See `BodyDestination.file`.
    ///
    /// - Parameters:
    ///   - file: where the body goes when it's complete.
    ///   - resuming: whether a part of the body is kept when a transfer fails, and resumed by the next attempt: a retry
    ///     of ``retry(_:)``, or another run of such a chain.
    ///   - onProgress: as `RequestOptions.onProgress`, and in place of it.
    public func download(
        to file: URL, resuming: Bool = false, onProgress: (@Sendable (TransferProgress) -> Void)? = nil
    ) -> Node<Void, URL> {
        head(VoidReceivingNode(next: downloading(to: .file(file, resuming: resuming), onProgress)))
    }

    /// A chain that sends a model and loads a file to disk. Nothing is resumed: a request with parameters in its body is
    /// no plain `GET`.
    public func download<Input: DTOEncodable>(
        to file: URL, onProgress: (@Sendable (TransferProgress) -> Void)? = nil
    ) -> Node<Input, URL> where Input.DTO.Raw == Json {
        head(DTOEncoderNode(next: service.traced(RawEncoderNode(next: downloading(to: .file(file), onProgress)))))
    }

    /// A chain that gives the body as a stream of bytes, as soon as the headers of a successful answer are there.
    public func stream() -> Node<Void, ByteStream> {
        head(VoidReceivingNode(next: streaming()))
    }

    /// A chain that sends a model and gives the body as a stream of bytes.
    public func stream<Input: DTOEncodable>() -> Node<Input, ByteStream> where Input.DTO.Raw == Json {
        head(DTOEncoderNode(next: service.traced(RawEncoderNode(next: streaming()))))
    }

    private func downloading(
        to destination: BodyDestination, _ onProgress: (@Sendable (TransferProgress) -> Void)?
    ) -> Node<Json, URL> {
        receiving(in: destination, onProgress: onProgress) { $0.file }
    }

    private func streaming() -> Node<Json, ByteStream> {
        receiving(in: .stream) { $0.bytes }
    }

    /// The pipeline with an end that gives the answer itself, of which `take` takes what the chain gives.
    func receiving<Output>(
        in destination: BodyDestination, onProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        _ take: @escaping @Sendable (HttpResponse) -> Output?
    ) -> Node<Json, Output> {
        let pipeline = pipeline(answer: .received, destination: destination, onProgress: onProgress)
        return service.traced(ReceivedBodyNode(next: pipeline, take: take))
    }
}

/// Starts a chain without parameters whose output the nodes behind it make: a file, a stream, a model with its answer.
final class VoidReceivingNode<Output: Sendable>: Node<Void, Output>, @unchecked Sendable {  // immutable state
    private let next: Node<Json, Output>

    init(next: Node<Json, Output>) {
        self.next = next
    }

    override func process(_ data: Void) -> Observer<Output> {
        next.process(.noParameters)
    }
}
