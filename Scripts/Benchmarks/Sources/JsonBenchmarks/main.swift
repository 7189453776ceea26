import FoundationEssentials
import Glibc
import Models

// Decoding, encoding and parsing against Foundation's coders and, where the script has built it, yyjson.
// Without arguments the table; with `memory` what decoding the large document needs.

func compare<Value: Codable & Sendable>(_ title: String, _ value: Value, repetitions: Int, _ yyjson: Yyjson?) throws {
    let data = try JsonEncoder().encode(value)
    let decoder = JsonDecoder()
    let encoder = JsonEncoder()
    let foundationDecoder = JSONDecoder()
    let foundationEncoder = JSONEncoder()
    let name = "\(title) (\(data.count) B)"
    try report(
        "decode \(name)", bytes: data.count, repetitions: repetitions,
        [
            Contender(name: "JSONDecoder") { blackHole(try foundationDecoder.decode(Value.self, from: data)) },
            Contender(name: "JsonDecoder") { blackHole(try decoder.decode(Value.self, from: data)) },
            Contender(name: "parse, then map") { blackHole(try Mapped<Value>.from(raw: Json(parsing: data))) },
        ])
    try report(
        "encode \(name)", bytes: data.count, repetitions: repetitions,
        [
            Contender(name: "JSONEncoder") { blackHole(try foundationEncoder.encode(value)) },
            Contender(name: "JsonEncoder") { blackHole(try encoder.encode(value)) },
        ])
    var parsers = [Contender(name: "Json(parsing:)") { blackHole(try Json(parsing: data)) }]
    if let yyjson { parsers.insert(Contender(name: "yyjson_read") { yyjson.parse(data) }, at: 0) }
    try report("parse \(name)", bytes: data.count, repetitions: repetitions * 4, parsers)
}

/// An entry as a user writes it, mapped as the chain's default nodes do.
struct Mapped<Value: Decodable & Sendable>: Decodable, RawDecodable {
    typealias Raw = Json
    let value: Value

    init(from decoder: any Decoder) throws { value = try Value(from: decoder) }
}

var sample = Sample()
let arguments = CommandLine.arguments.dropFirst()
if arguments.first == "memory" {
    try reportMemory(of: sample.page(bytes: 5_000_000))
} else if let mode = arguments.first, let count = arguments.dropFirst().first.flatMap({ Int($0) }) {
    try profile(mode, count, sample.page(bytes: arguments.dropFirst(2).first.flatMap { Int($0) } ?? 20_000))
} else {
    let yyjson = Yyjson()
    if yyjson == nil { print("yyjson is not there: its row is left out. Scripts/benchmark-json.sh builds it.") }
    try compare("small", sample.small(), repetitions: 3000, yyjson)
    try compare("medium", sample.page(bytes: 20_000), repetitions: 40, yyjson)
    try compare("large", sample.page(bytes: 5_000_000), repetitions: 1, yyjson)
}

/// One thing many times, for a profiler.
func profile(_ mode: String, _ count: Int, _ value: Page) throws {
    let data = try JsonEncoder().encode(value)
    let decoder = JsonDecoder()
    let encoder = JsonEncoder()
    let foundationDecoder = JSONDecoder()
    let foundationEncoder = JSONEncoder()
    for _ in 0..<count {
        switch mode {
        case "decode": blackHole(try decoder.decode(Page.self, from: data))
        case "encode": blackHole(try encoder.encode(value))
        case "foundation-decode": blackHole(try foundationDecoder.decode(Page.self, from: data))
        case "foundation-encode": blackHole(try foundationEncoder.encode(value))
        case "parse": blackHole(try Json(parsing: data))
        default: break
        }
    }
}
