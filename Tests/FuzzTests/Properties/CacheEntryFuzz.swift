import FoundationEssentials

@testable import HttpCaching
@testable import HttpMessages

/// The file of an entry, its head and its name.
func fuzzCacheEntries(_ input: UnsafeRawBufferPointer) {
    checkFile(input)
    checkHead(input)
    if let session = EntryName.session(ofEntry: input) {
        require(EntryName.isStorable(session), "a name's session can be a part of a name")
    }
    let parts = texts(input)
    let entry = HttpCacheEntry(
        key: HttpCacheKey(url: parts[0], session: HttpCacheSession(rawValue: parts.last ?? "")),
        nominated: parts.map { .init(name: $0, value: $0.isEmpty ? nil : $0) }, status: input.count,
        headers: HttpHeaders([.init(name: "A", valueBytes: input), .init(name: parts[0], value: "")]),
        requestTime: Date(timeIntervalSince1970: 1), responseTime: Date(timeIntervalSince1970: 2))
    let head = EntryHead.bytes(of: entry)
    head.withUnsafeBytes(checkHead)
    // The input within a valid head.
    var spliced = head
    let start = input.count * 7 % head.count
    spliced.replaceSubrange(start..<min(start + input.count, head.count), with: input)
    spliced.withUnsafeBytes(checkHead)
    checkChanges(of: head, input)
}

/// A head that can be read is that of one entry only.
private func checkHead(_ bytes: UnsafeRawBufferPointer) {
    guard let entry = EntryHead.entry(bytes, bodyLength: 0) else { return }
    require(bytes.elementsEqual(EntryHead.bytes(of: entry)), "a head has one form")
}

private func checkFile(_ bytes: UnsafeRawBufferPointer) {
    guard let (layout, _, _) = EntryFile.parse(bytes, fileSize: Int64(bytes.count)) else { return }
    require(layout.fileSize == Int64(bytes.count), "a file has the size that its layout says")
}

/// A whole file with one changed byte, which the input chooses.
private func checkChanges(of head: [UInt8], _ input: UnsafeRawBufferPointer) {
    guard let capacity = EntryLayout.capacity(for: head) else { return }
    let layout = EntryLayout(capacity: capacity, salt: UInt64(input.count))
    var file =
        layout.prologue + layout.bytes(ofHead: head, sequence: 1) + [UInt8](repeating: 0, count: layout.headSize)
    let whole = file.withUnsafeBytes { EntryFile.parse($0, fileSize: layout.fileSize) }
    require(whole.map { EntryHead.bytes(of: $0.entry) } == head, "a whole file has its entry")
    let position = input.reduce(0) { $0 &* 31 &+ Int($1) } & Int.max
    file[position % file.count] ^= UInt8(truncatingIfNeeded: position >> 8) | 1
    let changed = file.withUnsafeBytes { EntryFile.parse($0, fileSize: layout.fileSize) }
    require(
        changed.map { EntryHead.bytes(of: $0.entry) == head } ?? true, "a changed file is damaged, or has its entry")
}
