/// Parses queries and URL-encoded forms.
enum FormParser {
    /// The decoded items of `text`, in order; empty ones between two `&` are left out.
    static func items(of text: String) -> [LoopbackRequest.Item] {
        text.split(separator: "&").map { item in
            let name = item.prefix { $0 != "=" }
            let value = item.dropFirst(name.count + 1)
            return .init(name.percentDecoded(plusIsSpace: true), value.percentDecoded(plusIsSpace: true))
        }
    }
}
