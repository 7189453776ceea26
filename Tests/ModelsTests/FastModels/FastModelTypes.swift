import Models

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// Types that are generic over whether they read and write themselves, so that the same source has a synthesized
// `Codable` conformance alone, and beside the fast one.

protocol FastMode {}
enum Fast: FastMode {}
enum Plain {}

enum FastLevel<Mode>: String, Codable, Sendable { case low, high, veryHigh = "very/high" }
extension FastLevel: JsonReadable, JsonWritable where Mode: FastMode {}

enum FastRank<Mode>: Int8, Codable, Sendable { case first = 1, second, last = -1 }
extension FastRank: JsonReadable, JsonWritable where Mode: FastMode {}

/// A dictionary's key that is a member's key, too.
enum Side: String, Codable, Sendable, CodingKeyRepresentable, JsonReadable, JsonWritable { case left, right }

struct FastScalars<Mode>: Codable, Sendable {
    var bool: Bool, int: Int, int8: Int8, int16: Int16, int32: Int32, int64: Int64, int128: Int128
    var uint: UInt, uint8: UInt8, uint16: UInt16, uint32: UInt32, uint64: UInt64, uint128: UInt128
    var double: Double, float: Float, string: String, level: FastLevel<Mode>, rank: FastRank<Mode>
}

extension FastScalars: JsonReadable, JsonWritable where Mode: FastMode {
    init(json: inout JsonInput) throws {
        self.init(
            bool: try json["bool"], int: try json["int"], int8: try json["int8"], int16: try json["int16"],
            int32: try json["int32"], int64: try json["int64"], int128: try json["int128"], uint: try json["uint"],
            uint8: try json["uint8"], uint16: try json["uint16"], uint32: try json["uint32"],
            uint64: try json["uint64"], uint128: try json["uint128"], double: try json["double"],
            float: try json["float"], string: try json["string"], level: try json["level"], rank: try json["rank"])
    }

    func members(to json: inout JsonOutput) {
        json["bool"] = bool
        json["int"] = int
        json["int8"] = int8
        json["int16"] = int16
        json["int32"] = int32
        json["int64"] = int64
        json["int128"] = int128
        json["uint"] = uint
        json["uint8"] = uint8
        json["uint16"] = uint16
        json["uint32"] = uint32
        json["uint64"] = uint64
        json["uint128"] = uint128
        json["double"] = double
        json["float"] = float
        json["string"] = string
        json["level"] = level
        json["rank"] = rank
    }
}

struct FastOptionals<Mode>: Codable, Sendable {
    var bool: Bool?, int: Int?, uint8: UInt8?, double: Double?, string: String?, level: FastLevel<Mode>?
    var list: [Int?], nested: [[String?]]?, date: Date?, part: FastPart<Mode>?, json: Json?
}

extension FastOptionals: JsonReadable, JsonWritable where Mode: FastMode {
    init(json: inout JsonInput) throws {
        self.init(
            bool: try json["bool"], int: try json["int"], uint8: try json["uint8"], double: try json["double"],
            string: try json["string"], level: try json["level"], list: try json["list"], nested: try json["nested"],
            date: try json["date"], part: try json["part"], json: try json["json"])
    }

    func members(to json: inout JsonOutput) {
        json["bool"] = bool
        json["int"] = int
        json["uint8"] = uint8
        json["double"] = double
        json["string"] = string
        json["level"] = level
        json["list"] = list
        json["nested"] = nested
        json["date"] = date
        json["part"] = part
        json["json"] = self.json
    }
}

/// A recursive type with keys of its own and a default.
struct FastPart<Mode>: Codable, Sendable {
    var name: String
    var parts: [FastPart]
    var weight: Double

    enum CodingKeys: String, CodingKey {
        case name = "part \"name\"\n"
        case parts, weight
    }

    init(name: String, parts: [FastPart], weight: Double) {
        self.name = name
        self.parts = parts
        self.weight = weight
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        parts = try container.decodeIfPresent([FastPart].self, forKey: .parts) ?? []
        weight = try container.decode(Double.self, forKey: .weight)
    }
}

extension FastPart: JsonReadable, JsonWritable where Mode: FastMode {
    init(json: inout JsonInput) throws {
        self.init(
            name: try json["part \"name\"\n"], parts: try json["parts", default: []], weight: try json["weight"])
    }

    func members(to json: inout JsonOutput) {
        json["part \"name\"\n"] = name
        json["parts"] = parts
        json["weight"] = weight
    }
}

struct FastFoundationTypes<Mode>: Codable, Sendable {
    var date: Date, data: Data, url: URL, uuid: UUID, decimal: Decimal, json: Json, dates: [Date], urls: [String: URL]
}

extension FastFoundationTypes: JsonReadable, JsonWritable where Mode: FastMode {
    init(json: inout JsonInput) throws {
        self.init(
            date: try json["date"], data: try json["data"], url: try json["url"], uuid: try json["uuid"],
            decimal: try json["decimal"], json: try json["json"], dates: try json["dates"], urls: try json["urls"])
    }

    func members(to json: inout JsonOutput) {
        json["date"] = date
        json["data"] = data
        json["url"] = url
        json["uuid"] = uuid
        json["decimal"] = decimal
        json["json"] = self.json
        json["dates"] = dates
        json["urls"] = urls
    }
}

struct FastCollections<Mode>: Codable, Sendable {
    var strings: [String], ints: [Int], doubles: [Double], bytes: [UInt8], levels: [FastLevel<Mode>],
        parts: [FastPart<Mode>]
    var table: [String: Int], deep: [String: [String: [Double]]], byInt: [Int: String], byRank: [FastRank<Mode>: Int]
    var bySide: [Side: FastLevel<Mode>], set: Set<String>, optionals: [String: FastPart<Mode>?]
}

extension FastCollections: JsonReadable, JsonWritable where Mode: FastMode {
    init(json: inout JsonInput) throws {
        self.init(
            strings: try json["strings"], ints: try json["ints"], doubles: try json["doubles"],
            bytes: try json["bytes"], levels: try json["levels"], parts: try json["parts"], table: try json["table"],
            deep: try json["deep"], byInt: try json["byInt"], byRank: try json["byRank"], bySide: try json["bySide"],
            set: try json["set"], optionals: try json["optionals"])
    }

    func members(to json: inout JsonOutput) {
        json["strings"] = strings
        json["ints"] = ints
        json["doubles"] = doubles
        json["bytes"] = bytes
        json["levels"] = levels
        json["parts"] = parts
        json["table"] = table
        json["deep"] = deep
        json["byInt"] = byInt
        json["byRank"] = byRank
        json["bySide"] = bySide
        json["set"] = set
        json["optionals"] = optionals
    }
}

/// A type without the fast protocols around some that have them.
struct FastInside<Mode>: Codable, Sendable {
    var before: Int, scalars: FastScalars<Mode>?, parts: [FastPart<Mode>], table: [String: FastPart<Mode>]
    var level: FastLevel<Mode>, optional: FastOptionals<Mode>, levels: [FastLevel<Mode>?],
        byRank: [FastRank<Mode>: FastLevel<Mode>]
}
