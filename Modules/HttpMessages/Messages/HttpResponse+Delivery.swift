#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension HttpResponse {
    /// The response with its body at the requested destination: in memory, in a file or as a stream. For senders that
    /// have the whole body. Only the body of an accepted 2xx response goes to a file or a stream.
    ///
    /// - Throws: ``TransportError`` with ``TransportError/Code/destinationFailed``.
    package func delivered() throws(TransportError) -> HttpResponse {
        guard request.options.hasDestination(status), request.method != .head else { return self }
        var response = self
        // They have no content (RFC 9110 §15.3.5, §15.3.6), so a file stays as it is.
        if status == 204 || status == 205 {
            response.data = Data()
            if case .stream = request.options.destination { response.bytes = ByteStream(Data()) }
            return response
        }
        switch request.options.destination {
        case .memory: return self
        case .file(let url, _):
            do throws(BodyFailure) {
                try FileWriter.check(url)
                try TemporaryFile(for: url).write(data)
            } catch {
                throw TransportError(.destinationFailed, of: request, reason: error.description)
            }
            response.file = url
        case .stream: response.bytes = ByteStream(data)
        }
        response.data = Data()
        return response
    }
}
