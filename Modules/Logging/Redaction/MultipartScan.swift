/// One pass over the lines of a text that masks the contents of multipart fields with secret names (RFC 7578, RFC 2046
/// section 5.1).
///
/// A field ends at its form's next delimiter line and nowhere else. Without a known boundary the delimiter is the line
/// with `--` at the head's start; where the text has none, the field ends at the first such line with a `Content-…`
/// header under it, or with the text.
struct MultipartScan {
    private let input: Bytes
    private let names: SecretNames
    private let boundary: [UInt8]?
    private var output: [UInt8] = []
    private var copied = 0

    /// - Parameter boundary: the boundary of the form's content type; nil when it is unknown.
    init(_ text: [UInt8], boundary: [UInt8]?, by names: SecretNames) {
        input = Bytes(text)
        self.boundary = boundary.map { "--".utf8 + $0 }
        self.names = names
    }

    /// The part of a form that a line belongs to.
    private enum Place {
        case outside
        case head(delimiter: ArraySlice<UInt8>?, isSecret: Bool)
        case secret(delimiter: ArraySlice<UInt8>?)
    }

    mutating func masked() -> [UInt8] {
        guard HeaderParameter.dispositionStart(in: input.array[...]) != nil else { return input.array }
        var place = Place.outside
        var index = 0
        while index < input.count {
            let end = input.firstIndex(from: index) { $0 == Ascii.newline }
            let line = input[index, end].trimmedEnd()
            var next = end + 1
            if case .secret(let delimiter) = place {
                if isEnd(line, next: next, of: delimiter) {
                    mask(upTo: index)
                    place = .head(delimiter: self.delimiter(line), isSecret: false)
                }
            } else if input[index, end].allSatisfy({ $0 == Ascii.carriageReturn }) {
                if case .head(let delimiter, isSecret: true) = place {
                    copy(upTo: next)
                    place = .secret(delimiter: delimiter)
                } else {
                    place = .outside
                }
            } else if line.starts(with: "--".utf8) {
                place = .head(delimiter: delimiter(line), isSecret: false)
            } else if let start = dispositionStart(in: line, at: place) {
                let folded = input.endOfFolded(from: end, deeperThan: 0)
                next = input.firstIndex(from: folded) { $0 == Ascii.newline } + 1
                let values = HeaderParameter("name", in: input[start, folded]).values
                // Each value may be a name, or all together may be one.
                let isSecret = (values + [values.joined()]).contains(where: isSecret)
                if case .head(let delimiter, let isSecretAlready) = place {
                    place = .head(delimiter: delimiter, isSecret: isSecret || isSecretAlready)
                } else {
                    place = .head(delimiter: nil, isSecret: isSecret)
                }
            }
            index = next
        }
        if case .secret = place { mask(upTo: input.count) }
        copy(upTo: input.count)
        return output
    }

    /// In a head any mention counts; elsewhere it may be prose.
    private func dispositionStart(in line: ArraySlice<UInt8>, at place: Place) -> Int? {
        if case .head = place { return HeaderParameter.dispositionStart(in: line) }
        return HeaderParameter.headStart(in: line)
    }

    private func isSecret(_ name: String) -> Bool {
        names.verdict(onKey: name, isParameter: true) != .harmless || names.isListed(header: name)
    }

    private mutating func copy(upTo end: Int) {
        output += input[copied, end]
        copied = end
    }

    /// Masks a field's content, which ends before the line that begins at `index`, or with the text.
    private mutating func mask(upTo index: Int) {
        var end = index
        if index < input.count {
            if input[end - 1] == Ascii.newline { end -= 1 }
            if input[end - 1] == Ascii.carriageReturn { end -= 1 }
        }
        guard end > copied else { return }
        output += Ascii.mask
        copied = end
    }

    /// The delimiter of the form whose field begins with `line`.
    private func delimiter(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        if let boundary { return boundary[...] }
        let open = line.dropLast(line.suffix(2).elementsEqual("--".utf8) ? 2 : 0)
        return open.count > 2 ? open : line
    }

    private func isEnd(_ line: ArraySlice<UInt8>, next: Int, of delimiter: ArraySlice<UInt8>?) -> Bool {
        guard let delimiter = boundary.map({ $0[...] }) ?? delimiter else {
            return line.starts(with: "--".utf8) && Ascii.hasWord("content-", at: input.from(next))
        }
        let rest = line.dropFirst(delimiter.count)
        return line.starts(with: delimiter) && (rest.isEmpty || rest.elementsEqual("--".utf8))
    }
}

extension ArraySlice<UInt8> {
    /// The line without blanks and a carriage return at its end.
    fileprivate func trimmedEnd() -> ArraySlice<UInt8> {
        guard let last = lastIndex(where: { $0 > Ascii.space }) else { return prefix(0) }
        return prefix(through: last)
    }
}
