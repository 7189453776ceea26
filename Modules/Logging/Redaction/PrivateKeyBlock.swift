/// Blocks of PEM (RFC 7468) in a text: `-----BEGIN PRIVATE KEY-----`, base64, `-----END PRIVATE KEY-----`.
enum PrivateKeyBlock {
    /// Words in the labels of blocks that are no secrets. Any other block is masked.
    private static let shown = ["CERTIFICATE", "PUBLIC KEY", "PARAMETERS", "CRL"]

    /// `text` with the contents of the blocks masked; a block that is cut off is masked to the text's end.
    static func masked(_ text: [UInt8]) -> [UInt8] {
        let input = Bytes(text)
        var output: [UInt8] = []
        var copied = 0
        var index = 0
        while let header = marker("BEGIN", in: input, from: index) {
            let label = input.from(header.upperBound).prefix(64).prefix { $0 != Ascii.dash && $0 != Ascii.newline }
            let content = input.skip("-", from: header.upperBound + label.count)
            index = content
            let name = String(decoding: label, as: UTF8.self)
            if content == header.upperBound + label.count || shown.contains(where: name.contains) { continue }
            let isSpaced = input[header.upperBound - "BEGIN".utf8.count - 1] == Ascii.space
            guard isLabel(label, isSpaced: isSpaced) else { continue }
            let footer = marker("END", in: input, from: content)
            index = footer?.upperBound ?? input.count
            output += input[copied, content] + Ascii.mask
            copied = footer?.lowerBound ?? input.count
        }
        return copied == 0 ? text : output + input.from(copied)
    }

    /// Whether it is a label and not prose: it contains `key`, or begins with a capital, as `PGP MESSAGE` does. Where a
    /// space follows the dashes (RFC 4716), all of its letters are capitals.
    private static func isLabel(_ label: ArraySlice<UInt8>, isSpaced: Bool) -> Bool {
        if String(decoding: label, as: UTF8.self).uppercased().contains("KEY") { return true }
        let letters = label.filter(Ascii.isLetter)
        let isCapital = { (letter: UInt8) in letter & 0x20 == 0 }
        return isSpaced ? !letters.isEmpty && letters.allSatisfy(isCapital) : letters.first.map(isCapital) ?? false
    }

    /// The first `word` from `start` on after four dashes, or four dashes and a space; the range includes the dashes.
    private static func marker(_ word: String, in input: Bytes, from start: Int) -> Range<Int>? {
        var index = start
        while index < input.count {
            let dash = input.firstIndex(from: index) { $0 == Ascii.dash }
            index = max(input.skip("-", from: dash), index + 1)
            let place = input[index] == Ascii.space ? index + 1 : index
            if index - dash >= 4, input.hasText(word, at: place) { return dash..<(place + word.utf8.count) }
        }
        return nil
    }
}
