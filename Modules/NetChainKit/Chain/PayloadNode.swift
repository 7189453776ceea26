import HttpMessages
import Models
import NodeCore
import ResponseProcessing
import UrlTransport

/// Connects models and HTTP: creates a request's payload from the input, and a value from the response.
final class PayloadNode<Input: Sendable, Output: Sendable>: AsyncNode<Input, Output>,
    @unchecked Sendable
{  // immutable state
    private let next: Node<RequestPayload, HttpResponse>
    private let payload: @Sendable (Input) throws -> RequestPayload
    private let output: @Sendable (HttpResponse) throws -> Output

    init(
        next: Node<RequestPayload, HttpResponse>, payload: @escaping @Sendable (Input) throws -> RequestPayload,
        output: @escaping @Sendable (HttpResponse) throws -> Output
    ) {
        self.next = next
        self.payload = payload
        self.output = output
    }

    override func execute(_ data: Input) async throws -> Output {
        let response = try await next.execute(try recordingFailure { try payload(data) })
        return try recordingFailure { try output(response) }
    }
}

extension PayloadNode where Input: RequestConvertible, Output: ResponseConvertible {
    /// Creates the node between two raw forms.
    convenience init(next: Node<RequestPayload, HttpResponse>) {
        self.init(next: next, payload: { $0.payload }, output: { try Output.from(response: $0) })
    }
}

@Sendable func payload<Input: DTOEncodable>(of input: Input) throws -> RequestPayload
where Input.DTO.Raw: RequestConvertible {
    try input.toDTO().toRaw().payload
}
