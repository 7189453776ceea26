import FoundationEssentials
import Models

protocol FuzzMode {}
enum FastFuzz: FuzzMode {}
enum PlainFuzz {}

/// A model that reads and writes itself in one mode, and has a synthesized `Codable` conformance in both.
struct FastFuzzModel<Mode>: Codable {
    enum Level: String, Codable, JsonReadable, JsonWritable { case low, high }

    var int: Int?, small: Int8?, unsigned: UInt64?, wide: Int128?, double: Double?, float: Float?, text: String?
    var flag: Bool?, list: [FastFuzzModel]?, table: [String: [Int]]?, byInt: [Int: String]?, level: Level?
    var date: Date?, data: Data?, url: URL?, uuid: UUID?, decimal: Decimal?, json: Json?, optionals: [String?]?
}

extension FastFuzzModel: JsonReadable, JsonWritable where Mode: FuzzMode {
    init(json: inout JsonInput) throws {
        int = try json["int"]
        small = try json["small"]
        unsigned = try json["unsigned"]
        wide = try json["wide"]
        double = try json["double"]
        float = try json["float"]
        text = try json["text"]
        flag = try json["flag"]
        list = try json["list"]
        table = try json["table"]
        byInt = try json["byInt"]
        level = try json["level"]
        date = try json["date"]
        data = try json["data"]
        url = try json["url"]
        uuid = try json["uuid"]
        decimal = try json["decimal"]
        self.json = try json["json"]
        optionals = try json["optionals"]
    }

    func members(to json: inout JsonOutput) {
        json["int"] = int
        json["small"] = small
        json["unsigned"] = unsigned
        json["wide"] = wide
        json["double"] = double
        json["float"] = float
        json["text"] = text
        json["flag"] = flag
        json["list"] = list
        json["table"] = table
        json["byInt"] = byInt
        json["level"] = level
        json["date"] = date
        json["data"] = data
        json["url"] = url
        json["uuid"] = uuid
        json["decimal"] = decimal
        json["json"] = self.json
        json["optionals"] = optionals
    }
}

/// A model that reads what other models don't: open objects, nested members, elements by index, lossy arrays.
struct OpenFuzzModel: JsonReadable {
    var count = 0

    init(json: inout JsonInput) throws {
        switch json.kind {
        case .object:
            for key in try json.keys where try json[key: key] as Json? != nil { count += 1 }
            count += (try? json["list", "list", "int"] as Int?) == nil ? 1 : 0
            count += (try? json["table", "a", default: []] as [Int])?.count ?? 0
            count += try json.contains("json") ? 1 : 0
            count += (try? json.lossyArray("list", of: OpenFuzzModel.self).count) ?? 0
        case .array:
            count += try json.lossyArray(of: OpenFuzzModel.self).count
            count += (try? json[at: 1] as OpenFuzzModel)?.count ?? 0
        default:
            throw json.dataCorrupted("No object and no array.")
        }
    }
}

private let encoders: [JsonEncoder] = {
    var (sorted, pretty) = (JsonEncoder(), JsonEncoder())
    sorted.outputFormatting = .sortedKeys
    pretty.outputFormatting = [.sortedKeys, .prettyPrinted]
    return [JsonEncoder(), sorted, pretty]
}()

/// Whether two texts are the same: the order of a dictionary's members matters only if keys are sorted.
private func isSame(_ first: Data?, _ second: Data?, by encoder: JsonEncoder) -> Bool {
    if first == second { return true }
    guard let first, let second, !encoder.outputFormatting.contains(.sortedKeys), first.count == second.count else {
        return false
    }
    return (try? Json(parsing: first)) == (try? Json(parsing: second))
}

/// Models that read and write themselves, beside the same models with `Codable` alone.
func fuzzFastModels(_ bytes: UnsafeRawBufferPointer) { _ = decodeFastModels(bytes) }

/// Does so, and returns how many models were decoded.
func decodeFastModels(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard let json = try? Json(parsing: Array(bytes)) else { return 0 }
    var decoded = 0
    for decoder in fuzzDecoders {
        var decoder = decoder
        // Keys of a fast model are those of the document.
        decoder.keyDecodingStrategy = .useDefaultKeys
        let fast = outcome { try decoder.decode(FastFuzzModel<FastFuzz>.self, from: json) }
        let plain = outcome { try decoder.decode(FastFuzzModel<PlainFuzz>.self, from: json) }
        require(fast.error == plain.error, "both ways of reading have the same errors")
        if let first = fast.value, let second = plain.value {
            decoded += 1
            for encoder in encoders {
                let written = outcome { try encoder.encode(first) }
                let expected = outcome { try encoder.encode(second) }
                require(written.error == expected.error, "both ways of writing have the same errors")
                require(isSame(written.value, expected.value, by: encoder), "both ways write the same text")
            }
        }
        let list = outcome { try decoder.decode([FastFuzzModel<FastFuzz>].self, from: json) }
        let plainList = outcome { try decoder.decode([FastFuzzModel<PlainFuzz>].self, from: json) }
        require(list.error == plainList.error, "both ways of reading arrays have the same errors")
        decoded += list.value?.count ?? 0
    }
    _ = try? JsonDecoder().decode(OpenFuzzModel.self, from: json)
    return decoded
}

/// The value, or the kind and the coding path of the error.
private func outcome<Value>(_ body: () throws -> Value) -> (value: Value?, error: String) {
    func text(_ kind: String, _ path: [any CodingKey]) -> String {
        kind + path.map { "/\($0.intValue.map { "#\($0)" } ?? $0.stringValue)" }.joined()
    }
    do {
        return (try body(), "")
    } catch DecodingError.typeMismatch(let type, let context) {
        return (nil, text("mismatch \(type)", context.codingPath))
    } catch DecodingError.valueNotFound(let type, let context) {
        return (nil, text("no value \(type)", context.codingPath))
    } catch DecodingError.keyNotFound(let key, let context) {
        return (nil, text("no key \(key.stringValue)", context.codingPath))
    } catch DecodingError.dataCorrupted(let context) {
        return (nil, text("corrupted", context.codingPath))
    } catch EncodingError.invalidValue(_, let context) {
        return (nil, text("invalid", context.codingPath))
    } catch {
        return (nil, "\(error)")
    }
}
