/// Header fields in the order and spelling in which they are sent. A lookup by name ignores case.
public struct LoopbackHeaders: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// One header line.
    public struct Field: Sendable, Hashable {
        /// The name as it was sent.
        public var name: String
        /// The value without the white space around it.
        public var value: String

        /// A header line with this name and value.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// All lines, first to last.
    public var fields: [Field]

    /// The given lines, none by default.
    public init(_ fields: [Field] = []) {
        self.fields = fields
    }

    /// The lines of a literal, in its order; a name may occur more than once.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }

    /// The value of the first line with this name. Setting it replaces the lines of that name by one; `nil` removes
    /// them.
    public subscript(_ name: String) -> String? {
        get { fields.first { $0.name.equalsIgnoringCase(name) }?.value }
        set {
            let place = fields.firstIndex { $0.name.equalsIgnoringCase(name) } ?? fields.count
            fields.removeAll { $0.name.equalsIgnoringCase(name) }
            if let newValue {
                fields.insert(Field(name: name, value: newValue), at: min(place, fields.count))
            }
        }
    }

    /// The values of all lines with this name, first to last.
    public func values(of name: String) -> [String] {
        fields.filter { $0.name.equalsIgnoringCase(name) }.map(\.value)
    }

    /// Appends a line, even if another one has the same name.
    public mutating func add(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// The names as they were sent, first to last.
    public var names: [String] { fields.map(\.name) }

    /// Whether one of the comma-separated values of `name` is `token`, ignoring case.
    func contains(token: String, in name: String) -> Bool {
        values(of: name).contains { value in
            value.split(separator: ",").contains { String($0.trimmed).equalsIgnoringCase(token) }
        }
    }

    /// The lines as they are sent, each with its line break.
    var wireText: String {
        fields.reduce(into: "") { $0 += "\($1.name): \($1.value)\r\n" }
    }
}
