import HttpMessages
public import Models
import NodeCore
import ResponseProcessing

/// The items of one page of a list, and the JSON around them.
///
/// A rule of ``Paging`` gets it from `items(of:at:by:prefetch:)`:
///
/// ```swift
/// let users = api.get("users").items(of: User.self, at: "users", by: .cursor("after") { $0.value.json["next"]?.string })
/// ```
public struct PageItems<Item: Sendable>: Sendable {
    /// The whole body of the response; an empty body is an empty object.
    public let json: Json
    private let items: [Item]

    /// Reads the array at a path of keys. An empty body has no items.
    init(_ response: HttpResponse, at path: [String], _ decode: (Json) throws -> [Item]) throws {
        json = try Json.from(response: response)
        let isEmpty = response.content.isEmpty && json.isNothing
        do {
            items = isEmpty ? [] : try json.mapArray(at: path[...], decode)
        } catch let error as DecodingError {
            throw error.followed(by: "In \(response.provenance)")
        }
    }
}

extension PageItems: RandomAccessCollection {
    /// 0.
    public var startIndex: Int { 0 }
    /// The number of items.
    public var endIndex: Int { items.count }
    /// The item at an index below ``endIndex``.
    public subscript(position: Int) -> Item { items[position] }
}
