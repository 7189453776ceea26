import FoundationEssentials
import Glibc
import Models

/// Prints what decoding needs at its peak on top of what its result keeps, in multiples of the document's size, and
/// returns that of `JsonDecoder`.
func reportMemory(of page: consuming Page) throws -> Double {
    let data = try JsonEncoder().encode(page)
    page = Page(orders: [], next: nil, count: 0)
    var multiples: [Double] = []
    for (name, decode) in [
        ("JsonDecoder", { try JsonDecoder().decode(Page.self, from: data) }),
        ("JSONDecoder", { try JSONDecoder().decode(Page.self, from: data) }),
    ] {
        giveBackFreeMemory()
        // Sets the peak back to what is in use now.
        try "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
        let before = kibibytes("VmRSS")
        let result = try decode()
        let peak = kibibytes("VmHWM")
        giveBackFreeMemory()
        let after = kibibytes("VmRSS")
        multiples.append(Double((peak - after) * 1024) / Double(data.count))
        print(
            pad(name, 14), "document \(data.count / 1024) KiB, result \(after - before) KiB,",
            "peak on top of it \(peak - after) KiB = \(rounded(multiples[multiples.count - 1])) times the document")
        precondition(result.orders.count > 1, "The result lives until here")
    }
    return multiples[0]
}

/// glibc's `malloc_trim`, which its Swift overlay leaves out.
func giveBackFreeMemory() {
    guard let symbol = dlsym(nil, "malloc_trim") else { return }
    _ = unsafeBitCast(symbol, to: (@convention(c) (Int) -> CInt).self)(0)
}

/// A value of `/proc/self/status`.
func kibibytes(_ key: String) -> Int {
    guard let file = fopen("/proc/self/status", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, Int32(line.count), file) != nil {
        let text = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        let words = String(decoding: text, as: UTF8.self).split { " \t:\n".contains($0) }
        if words.first.map(String.init) == key, words.count > 1 { return Int(words[1]) ?? 0 }
    }
    return 0
}
