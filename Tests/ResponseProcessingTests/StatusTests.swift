import Models
import NodeCore
import ResponseProcessing
import Synchronization
import TestSupport
import Testing
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct StatusTests {
    @Test(arguments: [200, 201, 202, 206, 226, 299])
    func aStatusOfTheTwoHundredsPasses(status: Int) async throws {
        #expect(try await processed(answer(status, #"{"id": 1}"#)) == ["id": 1])
    }

    @Test(arguments: [100, 199, 300, 304, 301, 402, 404, 409, 418, 422, 429, 499, 502, 503, 599, 999])
    func everyOtherStatusIsAnErrorThatCarriesTheAnswer(status: Int) async throws {
        let answer = try answer(status, "body", headers: ["X-Id": "7"])
        let error = try #require(await thrown(HttpError.self) { _ = try await processed(answer) })
        #expect(error.status == status)
        #expect(error.response.data == Data("body".utf8))
        #expect(error.response.headers["x-id"] == "7")
    }

    @Test func theFiveStatusesOfCoreNetKitHaveNames() async throws {
        for status in [400, 401, 403, 404, 500, 418] {
            let error = try #require(await thrown(HttpError.self) { _ = try await processed(answer(status)) })
            switch (status, error) {
            case (400, .badRequest), (401, .unauthorized), (403, .forbidden), (404, .notFound),
                (500, .internalServerError), (418, .other(status: 418, _)):
                break
            default: Issue.record("\(status) gave \(error)")
            }
        }
    }

    @Test func theAcceptedStatusesAreASetting() async throws {
        let notModified = try answer(304)
        #expect(try await processed(notModified, accepted: .successful(and: 304, 404)) == Json())
        #expect(try await processed(answer(404, "[1]"), accepted: .successful(and: 304, 404)) == [1])
        #expect(try await processed(answer(503, "[1]"), accepted: .all) == [1])
        #expect(try await processed(answer(299, "[1]"), accepted: .range(200...299)) == [1])
        #expect(try await processed(answer(242, "[1]"), accepted: AcceptedStatuses { $0 == 242 }) == [1])
        for (status, accepted) in [
            (304, AcceptedStatuses.successful), (500, .successful(and: 304)), (204, .range(200...203)),
            (200, AcceptedStatuses { $0 == 242 }),
        ] {
            let error = try #require(
                await thrown(HttpError.self) {
                    _ = try await processed(answer(status), accepted: accepted)
                })
            #expect(error.status == status)
        }
    }

    /// An error that is kept would keep the connection.
    @Test func aRejectedResponseHasNoOpenStream() async throws {
        let isAbandoned = Mutex(false)
        let buffer = ByteBuffer(onSpace: {}, onAbandon: { isAbandoned.withLock { $0 = true } })
        var response = try answer(202)
        response.bytes = ByteStream(buffer)
        let error = await thrown(HttpError.self) { [response] in
            _ = try await processed(response, accepted: .range(200...201))
        }
        #expect(error?.response.bytes == nil)
        #expect(isAbandoned.withLock { $0 })
    }

    @Test func aTransportErrorEndsTheChainAsItIs() async throws {
        let request = try answer().request
        let never = ClosureNode<HttpResponse, Json> { _ in
            Issue.record("the rest of the chain was reached")
            return .emit(data: Json())
        }
        let node = ResponseProcessorNode(next: never)
        let failure = TransportError(.connectionLost, of: request, reason: "the connection broke")
        let error = try #require(
            await thrown(TransportError.self) {
                _ = try await node.execute(DataResponse(request: request, result: .failure(failure)))
            })
        #expect(error.code == .connectionLost)
        #expect(error.description == "GET http://example.com/users/1 failed: the connection broke [connectionLost]")
    }
}
