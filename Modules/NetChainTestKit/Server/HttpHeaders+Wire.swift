import HttpMessages

extension HttpHeaders {
    /// Whether one of the comma-separated values of `name` is `token`, ignoring case.
    func contains(token: String, in name: String) -> Bool {
        values(of: name).contains { value in
            value.split(separator: ",").contains { String($0.trimmed).equalsIgnoringCase(token) }
        }
    }

    /// The fields as they are sent, each with its line break.
    var wireText: String {
        fields.reduce(into: "") { $0 += "\($1.name): \($1.value)\r\n" }
    }
}
