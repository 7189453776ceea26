extension Masker {
    /// A multipart body (RFC 2046, section 5.1): the contents of fields with secret names are masked whole, those of
    /// others by their type. A body without its boundary is masked whole.
    func multipart(_ text: [UInt8], boundary: [UInt8]) -> [UInt8] {
        let delimiter = "--".utf8 + boundary
        var output: [UInt8] = []
        var rest = text[...]
        var partStart: Int?
        while !rest.isEmpty {
            let line = rest.takeLine()
            guard isDelimiter(line, delimiter) else { continue }
            let before = text[(partStart ?? 0)..<line.startIndex]
            output += (partStart == nil ? patterns(Array(before)) : part(before)) + line
            partStart = line.endIndex
        }
        guard let partStart else { return text.isEmpty ? [] : Ascii.mask }
        return output + part(text[partStart...])
    }

    private func isDelimiter(_ line: ArraySlice<UInt8>, _ delimiter: [UInt8]) -> Bool {
        guard line.starts(with: delimiter) else { return false }
        let end = line.dropFirst(delimiter.count).filter { !Ascii.isBlank($0) }
        return end.isEmpty || end.elementsEqual("--".utf8)
    }

    /// What is between two delimiter lines: the head, an empty line, the content, and the end of its last line. Parts
    /// within parts that are nested too deep are masked whole.
    private func part(_ part: ArraySlice<UInt8>) -> [UInt8] {
        var content = part
        var line: ArraySlice<UInt8> = []
        repeat { line = content.takeLine() } while line.contains { $0 != "\r" && $0 != "\n" }
        if line.isEmpty { return patterns(Array(part)) }
        let head = part[..<content.startIndex]
        let shownHead = patterns(Array(head))
        if content.last == "\n" { content.removeLast() }
        if content.last == "\r" { content.removeLast() }
        let lineEnd = part[content.endIndex...]
        if content.isEmpty { return shownHead + lineEnd }
        let values = HeaderParameter.values(of: "name", in: head)
        // Each value may be the name, or all of them its sections (RFC 2231, section 3).
        if (values + [values.joined()]).contains(where: { names.isSecret(key: $0, isParameter: true) }) {
            return shownHead + Ascii.mask + lineEnd
        }
        let lines = head.split(separator: UInt8(ascii: "\n"))
        let type = lines.first { Ascii.hasWord("content-type:", at: $0) }?.dropFirst("content-type:".utf8.count)
        let contentType = String(decoding: (type ?? []).drop(while: Ascii.isBlank), as: UTF8.self)
        return shownHead + (deeper?.body(Array(content), contentType: contentType) ?? Ascii.mask) + lineEnd
    }
}

extension ArraySlice<UInt8> {
    fileprivate mutating func takeLine() -> ArraySlice {
        take((firstIndex(of: UInt8(ascii: "\n")) ?? endIndex) + 1 - startIndex)
    }
}
