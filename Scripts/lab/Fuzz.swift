import FoundationEssentials

// What libFuzzer calls with its inputs. Scripts/fuzz.sh links it with the modules and the properties of
// Tests/FuzzTests, and names the target.

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
