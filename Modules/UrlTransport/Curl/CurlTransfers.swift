#if os(Linux)
/// Transfers in no order. Each knows its place, so that it's removed at once.
struct CurlTransfers {
    private(set) var all: [CurlTransfer] = []

    mutating func add(_ transfer: CurlTransfer) {
        transfer.place = all.count
        all.append(transfer)
    }

    /// - Parameter transfer: one of them.
    mutating func remove(_ transfer: CurlTransfer) {
        let last = all.removeLast()
        guard last !== transfer else { return }
        all[transfer.place] = last
        last.place = transfer.place
    }
}
#endif
