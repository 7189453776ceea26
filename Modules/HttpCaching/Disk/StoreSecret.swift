/// The secret of a store, in a file of its folder.
enum StoreSecret {
    static let fileName = "secret"
    private static let size = 32

    /// Returns the secret. Creates it where there is none, and replaces a damaged one: the hashes of the stored entries
    /// match no request then.
    static func bytes(in folder: CacheFolder) throws(HttpCacheFolderError) -> [UInt8] {
        if let bytes = saved(in: folder) { return bytes }
        let isDamaged = folder.status(of: fileName) != nil
        if isDamaged {
            // Another process may have created it just now.
            if let bytes = saved(in: folder) { return bytes }
            try folder.remove(fileName)
        }
        var random = SystemRandomNumberGenerator()
        var writer = ByteWriter()
        for _ in 0..<size / 8 { writer.append(random.next()) }
        let secret = writer.bytes
        writer.append(secret.withUnsafeBytes { Checksum.of($0, seed: 0) })
        let temporary = EntryName.temporary()
        let file = try folder.create(temporary)
        defer { _ = try? folder.remove(temporary) }
        guard file.write(writer.bytes, at: 0) else { throw .system(folder.path, "can't be written") }
        // Another process may create one at the same time: the first one counts.
        if !isDamaged, !folder.link(temporary, as: fileName), let bytes = saved(in: folder) { return bytes }
        // Some file systems have no links.
        if isDamaged || folder.status(of: fileName) == nil { _ = try folder.rename(temporary, to: fileName) }
        return secret
    }

    private static func saved(in folder: CacheFolder) -> [UInt8]? {
        guard let bytes = (try? folder.file(fileName))?.read(size + 8 + 1, at: 0), bytes.count == size + 8 else {
            return nil
        }
        var reader = ByteWriter()
        reader.append(bytes[..<size].withUnsafeBytes { Checksum.of($0, seed: 0) })
        return reader.bytes.elementsEqual(bytes[size...]) ? Array(bytes[..<size]) : nil
    }
}
