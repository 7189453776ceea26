import NetChainKit

extension ValueStream<ServerSentEvent> {
    /// All events as text: name, data and id.
    func texts() async throws -> [String] {
        var texts: [String] = []
        for try await event in self { texts.append("\(event.name) \(event.data) \(event.id ?? "-")") }
        return texts
    }
}
