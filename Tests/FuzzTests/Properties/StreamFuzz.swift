import EventStreams
import FoundationEssentials
import Models

/// What a parser returned for a body: its values as text, and the code of its error.
private struct ParsedBody: Equatable {
    var values: [String] = []
    var error: String?

    init(_ parser: some ValueParser, _ bytes: Data, pieces size: Int) {
        var parser = parser
        do {
            for start in stride(from: 0, to: bytes.count, by: size) {
                parser.push(bytes[start..<min(start + size, bytes.count)])
                while let value = try parser.next() { values.append("\(value)") }
            }
            if let value = try parser.finish() { values.append("\(value)") }
        } catch {
            self.error = "\(error)"
        }
    }
}

/// The values in one piece, after a check that all other pieces give the same.
private func parse(_ parser: some ValueParser, _ bytes: Data) -> ParsedBody {
    let whole = ParsedBody(parser, bytes, pieces: max(1, bytes.count))
    for size in [1, 2, 7] {
        require(ParsedBody(parser, bytes, pieces: size) == whole, "any split of the bytes gives the same values")
    }
    return whole
}

/// Lines of text, NDJSON and JSON text sequences.
func fuzzLines(_ bytes: UnsafeRawBufferPointer) {
    let data = Data(bytes)
    let decoder = RowDecoder(decoding: Json.self, by: .default, of: nil)
    let text = parse(TextLineParser(limit: 1 << 20), data)
    var lines = data.split(separator: 0x0A, omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    require(text.error == nil && text.values.count == lines.count, "each line feed ends a line")
    _ = parse(TextLineParser(limit: 5), data)
    let rows = parse(JsonLineParser(decoder, limit: 1 << 20), data)
    var values: [String] = []
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    for (index, line) in lines.enumerated() {
        let text = index == 0 && line.starts(with: mark) ? line.dropFirst(3) : line
        if text.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) { continue }
        guard let json = try? Json(parsing: Data(text)) else { break }
        values.append("\(json)")
    }
    require(rows.values == values, "the lines before the first that is no JSON text are returned")
    _ = parse(JsonLineParser(decoder, limit: 5), data)
    _ = parse(JsonSequenceParser(decoder, limit: 1 << 20), data)
    _ = parse(JsonSequenceParser(decoder, limit: 5), data)
    // A sequence of the lines that are JSON texts by themselves.
    var sequence = Data()
    var texts: [String] = []
    for line in lines {
        guard let json = try? Json(parsing: Data(line)) else { continue }
        sequence += [0x1E] + line + [0x0A]
        texts.append("\(json)")
    }
    let records = parse(JsonSequenceParser(decoder, limit: 1 << 20), sequence)
    require(records.error == nil && records.values == texts, "a record has one JSON text")
}

/// The elements of an array.
func fuzzElements(_ bytes: UnsafeRawBufferPointer) {
    let data = Data(bytes)
    let decoder = RowDecoder(decoding: Json.self, by: .default, of: nil)
    let elements = parse(JsonElements(decoder, at: [], limit: 1 << 20), data)
    let members = parse(JsonElements(decoder, at: ["list"], limit: 1 << 20), data)
    _ = parse(JsonElements(decoder, at: ["list", "list"], limit: 6), data)
    if let json = try? Json(parsing: data) {
        if let array = json.array {
            require(elements.error == nil && elements.values == array.map { "\($0)" }, "all elements are returned")
        } else {
            require(elements.error != nil && elements.values.isEmpty, "what is no array has no elements")
        }
        let lists = json.kind == .object ? json.members.filter { $0.key == "list" } : []
        if lists.count == 1, let array = lists[0].value.array {
            require(members.error == nil && members.values == array.map { "\($0)" }, "the array is found at its key")
        } else if lists.isEmpty {
            require(members.error != nil, "a document without the array is an error")
        }
    } else if !bytes.starts(with: [0xEF, 0xBB, 0xBF]),
        (try? Json(parsing: data, limits: JsonLimits(maximumDepth: 10_000))) == nil
    {
        require(elements.error != nil, "an array that isn't valid JSON is an error")
    }
}
