import Models
import NodeCore
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Sends what is no `Json` down the part of a chain that is typed for it, so that this part is the same for all forms of
/// chains; `UrlRequestTransformerNode` takes it out again. The forms have names of their own for it, below.
final class CarrierNode<Input: Sendable, Answer: Sendable, Output: Sendable>: Node<Input, Output>,
    @unchecked Sendable
{  // immutable state
    private let next: Node<Json, Answer>
    private let givenName: String
    private let carry: @Sendable (Input) -> any Sendable
    private let end: @Sendable (Observer<Answer>, any AnyNode) -> Observer<Output>

    /// Makes the node: `carry` gives what goes down, `end` what comes of the answer.
    init(
        _ name: String, next: Node<Json, Answer>, carry: @escaping @Sendable (Input) -> any Sendable,
        end: @escaping @Sendable (Observer<Answer>, any AnyNode) -> Observer<Output>
    ) {
        self.next = next
        givenName = name
        self.carry = carry
        self.end = end
    }

    override func process(_ data: Input) -> Observer<Output> {
        end(next.process(Json(carrying: carry(data))), self)
    }

    override var name: String {
        givenName
    }
}

extension Node where Input == MultipartModel<[String: Data]> {
    /// Sends a multipart form.
    static func multipartCarrier(next: Node<Json, Output>) -> Node {
        CarrierNode("MultipartCarrierNode", next: next, carry: { $0 }, end: { answer, _ in answer })
    }
}

extension Node where Input == RequestBody {
    /// Starts a chain that sends a body as it is and whose output the nodes behind it make.
    static func uploadCarrier(next: Node<Json, Output>, contentType: String) -> Node {
        uploading("UploadCarrierNode", next, contentType) { answer, _ in answer }
    }

    /// Starts a chain that sends a body as it is and gives a model.
    static func upload(next: Node<Json, Json>, contentType: String) -> Node
    where Output: DTODecodable, Output.DTO.Raw == Json {
        uploading("UploadNode", next, contentType) { answer, node in answer.map { try node.model(from: $0) } }
    }

    /// Starts a chain that sends a body as it is and gives nothing back.
    static func voidUpload(next: Node<Json, Json>, contentType: String) -> Node where Output == Void {
        uploading("VoidUploadNode", next, contentType) { answer, _ in answer.map { _ in } }
    }

    private static func uploading<Answer>(
        _ name: String, _ next: Node<Json, Answer>, _ contentType: String,
        end: @escaping @Sendable (Observer<Answer>, any AnyNode) -> Observer<Output>
    ) -> Node {
        CarrierNode(name, next: next, carry: { RawUpload($0, contentType: contentType) }, end: end)
    }
}
