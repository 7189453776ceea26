package import Models
package import NodeCore
package import UrlTransport

/// Lets an answer's status and headers travel up the part of a chain that is typed for `Json`, beside what was read of
/// the body: nodes on the way see the `Json` as it is.
///
/// Each run's answer is a part of the value that the run gives, so none can reach another run, and what a node that
/// sends again drops is gone with its answer.
package final class ApiResponseCarrierNode: Node<HttpResponse, Json>, @unchecked Sendable {  // immutable state
    private let next: Node<HttpResponse, Json>

    package init(next: Node<HttpResponse, Json>) {
        self.next = next
    }

    package override func process(_ data: HttpResponse) -> Observer<Json> {
        let head = ApiResponse(model: (), of: data)
        return next.process(data).map { try $0.attaching(head) }
    }
}

/// Takes out what ``ApiResponseCarrierNode`` put in, and puts the model beside it. A `Json` that tells no answer is a
/// ``ReceivedBodyError``. The model keeps nothing of what was put in: it may be the input of another request.
package final class ApiResponseNode<Output: DTODecodable>: Node<Json, ApiResponse<Output>>, @unchecked Sendable
where Output.DTO.Raw == Json {  // immutable state
    private let next: Node<Json, Json>

    package init(next: Node<Json, Json>) {
        self.next = next
    }

    package override func process(_ data: Json) -> Observer<ApiResponse<Output>> {
        next.process(data).map { [self] json in
            guard let head = json.attached as? ApiResponse<Void> else { throw ReceivedBodyError() }
            return try head.map { try model(from: json.bare) }
        }
    }
}
