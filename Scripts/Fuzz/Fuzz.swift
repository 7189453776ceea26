import FoundationEssentials

// What libFuzzer calls with its inputs. Scripts/fuzz.sh links it with the modules, and names the target.

/// What must hold for a target, whatever its input is.
let fuzzTargets: [String: @Sendable (UnsafeRawBufferPointer) -> Void] = [
    "json": fuzzJson, "redaction": fuzzRedaction, "har": fuzzHar, "curl": fuzzCurlCommand, "headers": fuzzHeaders,
    "dates": fuzzDates, "ranges": fuzzRanges, "retry-after": fuzzRetryAfter, "query": fuzzQuery, "urls": fuzzUrls,
    "multipart": fuzzMultipart,
]

let fuzzTarget: @Sendable (UnsafeRawBufferPointer) -> Void = {
    let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
    guard let target = fuzzTargets[name] else { preconditionFailure("FUZZ_TARGET is no target: \(name)") }
    return target
}()

/// One input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    fuzzTarget(UnsafeRawBufferPointer(start: start, count: count))
    return 0
}

/// The property that must hold, with what broke it.
func require(_ condition: Bool, _ property: StaticString) {
    if !condition { preconditionFailure("\(property)") }
}

/// The input as text.
func text(_ input: UnsafeRawBufferPointer) -> String { String(decoding: input, as: UTF8.self) }

/// The input as some texts: bytes 0 are between them.
func texts(_ input: UnsafeRawBufferPointer) -> [String] {
    input.split(separator: 0, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
}
