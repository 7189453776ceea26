import Foundation
import NetChainKit
import NetChainTestKit
import TestSupport
import Testing

/// The sample's models, in results, bodies, lines and elements.
@Test func fastModelsInEachPlace() async throws {
    let server = try LoopbackServer()
    let api = ApiClient(server.url) { $0.log.sink = .silent }
    let text = #"{"id":1,"name":"Ada","role":"admin","tags":["math"],"manager":2}"#
    server.on(.get, "/accounts", respond: .json("[\(text),{\"role\":\"member\",\"name\":\"Eve\",\"id\":2}]"))
    server.on(.post, "/accounts", respond: .json(text))
    server.on(.get, "/lines", respond: .text("\(text)\n\(text)\n"))
    server.on(.get, "/bad", respond: .json(#"[{"id":1,"name":"Ada","role":"king"}]"#))
    let list = try await accounts(api)
    #expect(list.map(\.name) == ["Ada", "Eve"] && list.map(\.manager) == [2, nil] && list[1].tags == [])
    let created = try await api.post("accounts").body(list[0]).send(as: Account.self)
    #expect(created.role == .admin)
    #expect(server.requests.first { $0.method == .post }?.text == text)
    var lines: [Int] = []
    for try await account in api.get("lines").lines(of: Account.self) { lines.append(account.id) }
    for try await account in api.get("accounts").elements(of: Account.self) { lines.append(account.id) }
    #expect(lines == [1, 1, 1, 2])
    let error = await thrown(DecodingError.self) { try await api.get("bad").send(as: [Account].self) }
    guard case .dataCorrupted(let context) = error else {
        Issue.record("\(String(describing: error))")
        return
    }
    #expect(context.codingPath.map { $0.intValue?.description ?? $0.stringValue } == ["0", "role"])
}
