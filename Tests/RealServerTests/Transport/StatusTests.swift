import NetChainKit
import TestSupport
import Testing

@Suite(.needs(.nginx, .httpbin))
struct StatusTests {
    private struct Problem: Decodable {
        let code: Int
        let message: String
    }

    private func error(_ path: String) async throws -> HttpError? {
        let chain: Node<Void, Json> = try request(.nginx, path).build()
        return await thrown(HttpError.self) { try await chain.execute() }
    }

    @Test func theFiveStatusesHaveTheirNames() async throws {
        guard case .badRequest = try await error("/status/400"), case .unauthorized = try await error("/status/401"),
            case .forbidden = try await error("/status/403"), case .notFound = try await error("/status/404"),
            case .internalServerError = try await error("/status/500")
        else {
            Issue.record("a status has another name")
            return
        }
    }

    @Test func anyOtherStatusIsTold() async throws {
        guard case .other(status: 503, _) = try await error("/status/503") else {
            Issue.record("503 has another name")
            return
        }
        let chain: Node<Void, Json> = try request(.httpbin, "/status/418").build()
        let error = await thrown(HttpError.self) { try await chain.execute() }
        #expect(error?.status == 418)
    }

    @Test(arguments: [400, 401, 403, 404, 500, 503])
    func theServersOwnErrorModelIsRead(status: Int) async throws {
        let error = try await error("/status/\(status)")
        #expect(error?.status == status)
        #expect(try error?.decodeBody(as: Problem.self).code == status)
    }

    @Test func anAcceptedStatusIsNoError() async throws {
        let json: Json = try await request(.nginx, "/status/404").acceptedStatuses(.successful(and: 404)).build()
            .execute()
        #expect(json["message"] == "not found")
    }

    @Test func anAnswerWithoutABodyIsAnEmptyJson() async throws {
        let json: Json = try await request(.nginx, "/status/204").build().execute()
        #expect(json == [:])
        let users: [User] = try await request(.nginx, "/status/204").build().execute()
        #expect(users == [])
        let data = try await request(.nginx, "/status/204").loadData().execute()
        #expect(data.isEmpty)
    }

    @Test func anAnswerThatIsNoJsonIsAnError() async throws {
        let chain: Node<Void, Json> = try request(.httpbin, "/html").build()
        await #expect(throws: ResponseParsingError.self) { try await chain.execute() }
    }
}
