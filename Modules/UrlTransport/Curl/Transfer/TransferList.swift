#if os(Linux)
/// An unordered list of transfers. Each knows its index, so that it is removed in constant time.
struct TransferList {
    private(set) var all: [CurlTransfer] = []

    var isEmpty: Bool { all.isEmpty }

    mutating func add(_ transfer: CurlTransfer) {
        transfer.slot.index = all.count
        all.append(transfer)
    }

    /// - Parameter transfer: a transfer in the list.
    mutating func remove(_ transfer: CurlTransfer) {
        let last = all.removeLast()
        guard last !== transfer else { return }
        all[transfer.slot.index] = last
        last.slot.index = transfer.slot.index
    }
}
#endif
