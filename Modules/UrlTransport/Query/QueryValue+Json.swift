import HttpMessages
import Models

extension QueryValue {
    /// Returns the members of an object; none for null.
    ///
    /// - Throws: ``RequestBuildingError`` with ``RequestBuildingError/Code/unencodableParameters`` for any other JSON
    ///   value.
    static func members(of json: Json, encoding: String) throws -> [String: QueryValue] {
        if json.isNull { return [:] }
        guard let members = json.object else {
            throw RequestBuildingError(
                .unencodableParameters, "Only an object can be written as a \(encoding): its members give the names.")
        }
        return Dictionary(members.map { ($0.key, QueryValue($0.value)) }, uniquingKeysWith: { $1 })
    }

    private init(_ json: Json) {
        if let string = json.string {
            self = .string(string)
        } else if let bool = json.bool {
            self = .bool(bool)
        } else if let array = json.array {
            self = .array(array.map { QueryValue($0) })
        } else if let members = json.object {
            self = .dictionary(
                Dictionary(members.map { ($0.key, QueryValue($0.value)) }, uniquingKeysWith: { $1 }))
        } else if json.isNull {
            self = .none
        } else {
            self = .number(json.description)
        }
    }
}
