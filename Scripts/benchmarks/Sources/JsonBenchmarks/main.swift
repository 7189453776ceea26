import ClientSupport
import FastModels
import FoundationEssentials
import Glibc
import Models

// Decoding and encoding of documents of 20 KB by Foundation's coders, by `Codable`, and by models that read and write
// themselves; then the targets and whether they were reached.

func compare<Value: Codable, Fast: Codable & JsonReadable & JsonWritable>(
    _ title: String, _ data: Data, _ type: Value.Type, _ fast: Fast.Type
) throws -> [Target] {
    let (decoder, encoder) = (JsonDecoder(), JsonEncoder())
    let (foundationDecoder, foundationEncoder) = (JSONDecoder(), JSONEncoder())
    let value = try decoder.decode(type, from: data)
    let fastValue = try decoder.decode(fast, from: data)
    let same = try Json(encoding: value) == Json(encoding: fastValue)
    precondition(same, "Both write the same")
    let decode = try report(
        "decode \(title)", bytes: data.count,
        [
            Contender(name: "JSONDecoder") { blackHole(try foundationDecoder.decode(type, from: data)) },
            Contender(name: "JsonDecoder") { blackHole(try decoder.decode(type, from: data)) },
            Contender(name: "JsonReadable") { blackHole(try decoder.decode(fast, from: data)) },
        ])
    let encode = try report(
        "encode \(title)", bytes: data.count,
        [
            Contender(name: "JSONEncoder") { blackHole(try foundationEncoder.encode(value)) },
            Contender(name: "JsonEncoder") { blackHole(try encoder.encode(value)) },
            Contender(name: "JsonWritable") { blackHole(try encoder.encode(fastValue)) },
        ])
    return [
        Target(name: "decode \(title), times Foundation's speed", value: decode.ratio(of: 0, to: 1), atLeast: 4),
        Target(name: "encode \(title), times Foundation's speed", value: encode.ratio(of: 0, to: 1), atLeast: 3),
        Target(name: "decode fast \(title), times Foundation's speed", value: decode.ratio(of: 0, to: 2), atLeast: 10),
        Target(name: "encode fast \(title), times Foundation's speed", value: encode.ratio(of: 0, to: 2), atLeast: 12),
    ]
}

var sample = Sample()
var targets = try compare("users", usersDocument(), [User].self, [FastUser].self)
targets += try compare("orders", JsonEncoder().encode(sample.orders(bytes: 20_000)), [Order].self, [FastOrder].self)
print()
for target in targets { target.report() }
if !targets.allSatisfy(\.isReached) { exit(1) }
