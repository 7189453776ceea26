import FoundationEssentials
import Glibc

/// yyjson as a measuring stick, from a library that the script builds; see `Scripts/benchmark-json.sh`.
struct Yyjson: @unchecked Sendable {
    // Unchecked is the function pointer only.
    private let function: @convention(c) (UnsafeRawPointer?, Int) -> Int

    /// Nil if the library is not there.
    init?() {
        guard let path = getenv("YYJSON_LIBRARY"), let library = dlopen(path, RTLD_NOW),
            let symbol = dlsym(library, "benchmark_parse")
        else { return nil }
        function = unsafeBitCast(symbol, to: (@convention(c) (UnsafeRawPointer?, Int) -> Int).self)
    }

    /// Parses into yyjson's own document and frees it.
    func parse(_ data: Data) {
        let values = data.withUnsafeBytes { function($0.baseAddress, $0.count) }
        precondition(values > 0, "yyjson could not read the document")
    }
}
