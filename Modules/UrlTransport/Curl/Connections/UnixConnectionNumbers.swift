#if os(Linux)
/// Chooses the connection of each request over a Unix domain socket, by its number (``LibcurlWorkarounds``). It has no
/// I/O. Used by the event loop's thread alone.
///
/// | a number is | while |
/// |---|---|
/// | taken | a request has it, from its start to its end |
/// | idle | no request has it, and its connection is open |
/// | free | otherwise |
struct UnixConnectionNumbers {
    /// Where a connection leads. libcurl reuses connections only for the same path and origin.
    struct Target: Hashable {
        let path: String
        let origin: Origin
    }

    /// The largest number, and so the most connections: libcurl receives it as a port.
    private static let largest: Int32 = 65_535

    /// The targets of the numbers that are taken or idle.
    private var targets: [Int32: Target] = [:]
    /// The idle numbers; the last is the one that became idle last.
    private var idle: [Target: [Int32]] = [:]
    private var last: Int32 = 0

    /// Takes the number of an idle connection, or a free one for a new connection. Returns nil if none is free.
    mutating func take(for target: Target, needsNew: Bool) -> Int32? {
        if !needsNew, let number = idle[target]?.popLast() {
            if idle[target]?.isEmpty == true { idle[target] = nil }
            return number
        }
        guard targets.count < Self.largest else { return nil }
        repeat { last = last % Self.largest + 1 } while targets[last] != nil
        targets[last] = target
        return last
    }

    /// Returns a number that was taken.
    ///
    /// - Parameter isOpen: whether its connection is open.
    mutating func putBack(_ number: Int32, isOpen: Bool) {
        guard let target = targets[number] else { return }
        if isOpen { idle[target, default: []].append(number) } else { targets[number] = nil }
    }

    /// Frees the number of an idle connection that was closed. One that is taken stays taken.
    mutating func didClose(_ number: Int32) {
        guard let target = targets[number], let index = idle[target]?.firstIndex(of: number) else { return }
        idle[target]?.remove(at: index)
        if idle[target]?.isEmpty == true { idle[target] = nil }
        targets[number] = nil
    }
}
#endif
