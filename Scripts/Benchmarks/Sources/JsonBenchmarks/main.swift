import FoundationEssentials
import Glibc
import Models

// Decoding, encoding and parsing against Foundation's coders and, where the script has built it, yyjson, and what
// decoding the large document needs of memory; then the targets and whether they were reached.

/// Measures one document.
func compare<Value: Codable & Sendable>(
    _ title: String, _ value: Value, decoding: Double, encoding: Double, seconds: Double, _ yyjson: Yyjson?
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
            Contender(name: "parse, then map") { blackHole(try Mapped<Value>.from(raw: Json(parsing: data))) },
        ])
    let encode = try report(
        "encode \(name)", bytes: data.count, seconds: seconds,
        [
            Contender(name: "JSONEncoder") { blackHole(try foundationEncoder.encode(value)) },
            Contender(name: "JsonEncoder") { blackHole(try encoder.encode(value)) },
        ])
    var parsers = [Contender(name: "Json(parsing:)") { blackHole(try Json(parsing: data)) }]
    if let yyjson { parsers.insert(Contender(name: "yyjson_read") { yyjson.parse(data) }, at: 0) }
    let parse = try report("parse \(name)", bytes: data.count, seconds: seconds / 2, parsers)

    var targets: [Target] = [
        .atLeast(decoding, "decode \(title), times Foundation's speed", decode.ratio(of: 0, to: 1)),
        .atLeast(encoding, "encode \(title), times Foundation's speed", encode.ratio(of: 0, to: 1)),
        .atMost(1.1, "map \(title) as the chain does, of JsonDecoder", decode.ratio(of: 2, to: 1)),
    ]
    if yyjson != nil { targets.append(.atMost(2, "parse \(title), times yyjson's time", parse.ratio(of: 1, to: 0))) }
    return targets
}

/// An entry as a user writes it, mapped as the chain's default nodes do.
struct Mapped<Value: Decodable & Sendable>: Decodable, RawDecodable {
    typealias Raw = Json
    let value: Value

    init(from decoder: any Decoder) throws { value = try Value(from: decoder) }
}

var sample = Sample()
let arguments = CommandLine.arguments.dropFirst()
if let mode = arguments.first, let count = arguments.dropFirst().first.flatMap({ Int($0) }) {
    let bytes = arguments.dropFirst(2).first.flatMap { Int($0) } ?? 20_000
    if bytes < 1000 {
        try profile(mode, count, sample.small())
    } else {
        try profile(mode, count, sample.page(bytes: bytes))
    }
} else {
    let yyjson = Yyjson()
    if yyjson == nil { print("yyjson is not there: its row is left out. Scripts/benchmark-json.sh builds it.") }
    var targets = try compare("small", sample.small(), decoding: 3, encoding: 3, seconds: 3, yyjson)
    targets += try compare("medium", sample.page(bytes: 20_000), decoding: 5, encoding: 4, seconds: 4, yyjson)
    targets += try compare("large", sample.page(bytes: 5_000_000), decoding: 5, encoding: 4, seconds: 8, yyjson)
    targets.append(
        .atMost(3, "memory for decoding, times the document", try reportMemory(of: sample.page(bytes: 5_000_000))))
    print()
    for target in targets { target.report() }
    if !targets.allSatisfy(\.isReached) { exit(1) }
}

/// One thing many times, for a profiler.
func profile<Value: Codable>(_ mode: String, _ count: Int, _ value: Value) throws {
    let data = try JsonEncoder().encode(value)
    let decoder = JsonDecoder()
    let encoder = JsonEncoder()
    let foundationDecoder = JSONDecoder()
    let foundationEncoder = JSONEncoder()
    for _ in 0..<count {
        switch mode {
        case "decode": blackHole(try decoder.decode(Value.self, from: data))
        case "encode": blackHole(try encoder.encode(value))
        case "foundation-decode": blackHole(try foundationDecoder.decode(Value.self, from: data))
        case "foundation-encode": blackHole(try foundationEncoder.encode(value))
        case "parse": blackHole(try Json(parsing: data))
        default: break
        }
    }
}
