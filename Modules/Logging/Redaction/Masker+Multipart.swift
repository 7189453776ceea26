extension Masker {
    /// A multipart body (RFC 2046, section 5.1): the contents of fields with secret names are masked whole, those of
    /// others by their type. A body without its boundary is masked whole.
    func multipart(_ text: [UInt8], boundary: [UInt8]) -> [UInt8] {
        let input = Bytes(text)
        let delimiter = "--".utf8 + boundary
        var output: [UInt8] = []
        var partStart = 0
        var isPart = false
        var index = 0
        while index < input.count {
            let end = min(input.firstIndex(from: index) { $0 == Ascii.newline } + 1, input.count)
            if isDelimiter(input[index, end], delimiter) {
                output += isPart ? part(input[partStart, index]) : patterns(Array(input[partStart, index]))
                output += input[index, end]
                (partStart, isPart) = (end, true)
            }
            index = end
        }
        if !isPart { return text.isEmpty ? [] : Ascii.mask }
        return output + part(input[partStart, input.count])
    }

    private func isDelimiter(_ line: ArraySlice<UInt8>, _ delimiter: [UInt8]) -> Bool {
        guard line.starts(with: delimiter) else { return false }
        let rest = line.dropFirst(delimiter.count).filter { $0 > Ascii.space }
        return rest.isEmpty || rest.elementsEqual("--".utf8)
    }

    /// What is between two delimiter lines: the head, an empty line, the content, and the end of its last line. Parts
    /// within parts that are nested too deep are masked whole.
    private func part(_ part: ArraySlice<UInt8>) -> [UInt8] {
        var contentStart = part.startIndex
        var isHead = true
        while isHead, contentStart < part.endIndex {
            let line = part[contentStart...].prefix { $0 != Ascii.newline }
            isHead = !line.allSatisfy { $0 == Ascii.carriageReturn }
            contentStart = min(line.endIndex + 1, part.endIndex)
        }
        if isHead { return patterns(Array(part)) }
        let head = part[..<contentStart]
        let shownHead = patterns(Array(head))
        var content = part[contentStart...]
        if content.last == Ascii.newline { content.removeLast() }
        if content.last == Ascii.carriageReturn { content.removeLast() }
        let lineEnd = part[content.endIndex...]
        if content.isEmpty { return shownHead + lineEnd }
        let values = HeaderParameter.values(of: "name", in: head)
        // Each value may be the name, or all of them its sections (RFC 2231, section 3).
        if (values + [values.joined()]).contains(where: { names.isSecret(key: $0, isParameter: true) }) {
            return shownHead + Ascii.mask + lineEnd
        }
        let lines = head.split(separator: Ascii.newline)
        let type = lines.first { Ascii.hasWord("content-type:", at: $0) }?.dropFirst("content-type:".utf8.count)
        let contentType = String(decoding: (type ?? []).drop { $0 <= Ascii.space }, as: UTF8.self)
        return shownHead + (deeper?.body(Array(content), contentType: contentType) ?? Ascii.mask) + lineEnd
    }
}
