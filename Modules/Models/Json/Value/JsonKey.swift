/// A coding key that is any text, or an index.
struct JsonKey: CodingKey, Sendable {
    let stringValue: String
    let intValue: Int?

    init(_ text: String) {
        stringValue = text
        intValue = nil
    }

    init?(stringValue: String) { self.init(stringValue) }

    init(index: Int) {
        stringValue = "Index \(index)"
        intValue = index
    }

    init?(intValue: Int) {
        stringValue = intValue.description
        self.intValue = intValue
    }

    static let superKey = JsonKey("super")
}
