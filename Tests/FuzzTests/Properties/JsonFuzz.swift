import FoundationEssentials
import Models

/// Types of every shape, so that each way of reading a value is taken.
struct FuzzModel: Codable, Equatable {
    enum Level: String, Codable { case low, high }
    enum Shape: Codable, Equatable {
        case point, circle(radius: Double), group([Shape])
    }

    var int: Int?, small: Int8?, unsigned: UInt64?, wide: Int128?, double: Double?, float: Float?, text: String?
    var flag: Bool?, list: [FuzzModel]?, table: [String: [Int]]?, byInt: [Int: String]?, level: Level?, shape: Shape?
    var date: Date?, data: Data?, url: URL?, uuid: UUID?, decimal: Decimal?, json: Json?, optionals: [String?]?
}

let fuzzDecoders: [JsonDecoder] = {
    var snake = JsonDecoder()
    snake.keyDecodingStrategy = .convertFromSnakeCase
    snake.dateDecodingStrategy = .iso8601
    snake.dataDecodingStrategy = .deferredToData
    snake.nonConformingFloatDecodingStrategy = .convertFromString(
        positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return [JsonDecoder(), snake]
}()

let fuzzFormats: [JsonEncoder.OutputFormatting] = [[], [.sortedKeys, .prettyPrinted], .withoutEscapingSlashes]

/// A string, a date and a UUID, the input as their text.
private func fuzzText(_ text: String) {
    let json = Json(text)
    require(json.string == text, "a built string is unchanged")
    guard let parsed = try? Json(parsing: json.data) else { preconditionFailure("What is written can be read") }
    require((try? parsed.decode(String.self)) == text, "a string is decoded as it was written")
    require(
        (try? fuzzDecoders[1].decode(Date.self, from: parsed)) == (try? Date.ISO8601FormatStyle().parse(text)),
        "a date is read as by Foundation")
    require((try? parsed.decode(UUID.self)) == UUID(uuidString: text), "a UUID is read as by Foundation")
}

/// Parser, decoder and encoder.
func fuzzJson(_ bytes: UnsafeRawBufferPointer) {
    fuzzText(text(bytes))
    let json: Json
    do {
        json = try Json(parsing: Array(bytes))
    } catch {
        require(error.offset <= bytes.count, "an error lies within the document")
        require(error.line >= 1 && error.column >= 1, "lines and columns are counted from 1")
        return
    }
    require(json.data.elementsEqual(bytes), "received bytes are returned unchanged")
    for format in fuzzFormats {
        guard let again = try? Json(parsing: json.serialized(format)) else {
            preconditionFailure("What is written can be read")
        }
        require(again == json, "what is written means the same")
        require(again.hashValue == json.hashValue, "equal values hash equally")
    }
    for decoder in fuzzDecoders {
        if let tree = try? decoder.decode([String: Json].self, from: json) {
            require(tree.count <= json.count, "members are counted")
        }
        guard let value = try? decoder.decode(FuzzModel.self, from: json) else { continue }
        guard let data = try? JsonEncoder().encode(value) else { continue }
        guard let other = try? JsonDecoder().decode(FuzzModel.self, from: data) else {
            preconditionFailure("What is encoded can be decoded")
        }
        require((try? JsonEncoder().encode(other)) != nil, "what was decoded can be encoded again")
    }
    _ = try? JsonDecoder().decode([FuzzModel].self, from: json)
    _ = try? JsonDecoder().decode([[Double]].self, from: json)
}
