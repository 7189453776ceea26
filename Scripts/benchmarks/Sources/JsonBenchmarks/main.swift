import FoundationEssentials
import Glibc
import Models

// Decoding and encoding against Foundation's coders, by `Codable` and by models that do it themselves, parsing, what
// decoding the large document needs of memory, the parsers of streams, and a million lines of JSON; then the targets and
// whether they were reached.

/// Measures one document.
func compare<Value: Codable & Sendable>(
    _ title: String, _ value: Value, decoding: Double, encoding: Double, seconds: Double
) throws -> [Target] {
    let data = try JsonEncoder().encode(value)
    let decoder = JsonDecoder()
    let encoder = JsonEncoder()
    let foundationDecoder = JSONDecoder()
    let foundationEncoder = JSONEncoder()
    let name = "\(title) (\(data.count) B)"
    let decode = try report(
        "decode \(name)", bytes: data.count, seconds: seconds,
        [
            Contender(name: "JSONDecoder") { blackHole(try foundationDecoder.decode(Value.self, from: data)) },
            Contender(name: "JsonDecoder") { blackHole(try decoder.decode(Value.self, from: data)) },
        ])
    let encode = try report(
        "encode \(name)", bytes: data.count, seconds: seconds,
        [
            Contender(name: "JSONEncoder") { blackHole(try foundationEncoder.encode(value)) },
            Contender(name: "JsonEncoder") { blackHole(try encoder.encode(value)) },
        ])
    _ = try report(
        "parse \(name)", bytes: data.count, seconds: seconds / 2,
        [Contender(name: "Json(parsing:)") { blackHole(try Json(parsing: data)) }])

    return [
        .atLeast(decoding, "decode \(title), times Foundation's speed", decode.ratio(of: 0, to: 1)),
        .atLeast(encoding, "encode \(title), times Foundation's speed", encode.ratio(of: 0, to: 1)),
    ]
}

/// Measures models that read and write themselves beside `Codable` and Foundation, with a document of 20 KB.
func compareFast<Value: Codable, Fast: Codable & JsonReadable & JsonWritable>(
    _ title: String, _ data: Data, _ type: Value.Type, _ fast: Fast.Type, seconds: Double
) throws -> [Target] {
    let (decoder, encoder) = (JsonDecoder(), JsonEncoder())
    let (foundationDecoder, foundationEncoder) = (JSONDecoder(), JSONEncoder())
    let value = try decoder.decode(type, from: data)
    let fastValue = try decoder.decode(fast, from: data)
    let same = try Json(encoding: value) == Json(encoding: fastValue)
    precondition(same, "Both write the same")
    let name = "\(title) (\(data.count) B)"
    let decode = try report(
        "decode \(name)", bytes: data.count, seconds: seconds,
        [
            Contender(name: "JSONDecoder") { blackHole(try foundationDecoder.decode(type, from: data)) },
            Contender(name: "JsonDecoder") { blackHole(try decoder.decode(type, from: data)) },
            Contender(name: "JsonReadable") { blackHole(try decoder.decode(fast, from: data)) },
        ])
    let encode = try report(
        "encode \(name)", bytes: data.count, seconds: seconds,
        [
            Contender(name: "JSONEncoder") { blackHole(try foundationEncoder.encode(value)) },
            Contender(name: "JsonEncoder") { blackHole(try encoder.encode(value)) },
            Contender(name: "JsonWritable") { blackHole(try encoder.encode(fastValue)) },
        ])
    return [
        .atLeast(10, "decode fast \(title), times Foundation's speed", decode.ratio(of: 0, to: 2)),
        .atLeast(12, "encode fast \(title), times Foundation's speed", encode.ratio(of: 0, to: 2)),
    ]
}

var sample = Sample()
var targets = try compare("small", sample.small(), decoding: 3, encoding: 3, seconds: 3)
targets += try compare("medium", sample.page(bytes: 20_000), decoding: 4, encoding: 3, seconds: 4)
targets += try compareFast("users", usersDocument(), [User].self, [FastUser].self, seconds: 3)
targets += try compareFast(
    "page", JsonEncoder().encode(sample.page(bytes: 20_000)), Page.self, FastPage.self, seconds: 3)
targets += try compare("large", sample.page(bytes: 5_000_000), decoding: 4, encoding: 3, seconds: 8)
targets.append(
    .atMost(3, "memory for decoding, times the document", try reportMemory(of: sample.page(bytes: 5_000_000))))
targets += try compareStreams(seconds: 3)
targets += try await compareRows()
print()
for target in targets { target.report() }
if !targets.allSatisfy(\.isReached) { exit(1) }
