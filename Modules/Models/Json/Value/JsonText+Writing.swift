extension JsonText {
    /// Whether a string's word holds exactly this text.
    @inline(__always)
    static func isEqual(_ word: JsonWord, in bytes: UnsafePointer<UInt8>, to text: UnsafeBufferPointer<UInt8>) -> Bool {
        if word.kind == JsonWord.string {
            guard word.high == text.count else { return false }
            let start = bytes + word.low
            for index in 0..<text.count where start[index] != text[index] { return false }
            return true
        }
        return word.high > text.count && string(word, in: bytes).utf8.elementsEqual(text)
    }

    /// The text of a value.
    static func write(_ value: Json, _ format: JsonEncoder.OutputFormatting) -> String {
        var output = ""
        write(value, format, indent: 0, to: &output)
        return output
    }

    private static func write(_ value: Json, _ format: JsonEncoder.OutputFormatting, indent: Int, to output: inout String) {
        func line(_ depth: Int) { if format.contains(.prettyPrinted) { output += "\n" + String(repeating: "  ", count: depth) } }
        switch value.kind {
        case .null: output += "null"
        case .bool: output += value.bool == true ? "true" : "false"
        case .number: output += value.numberText ?? "null"
        case .string: quote(value.string ?? "", to: &output)
        case .array:
            output += "["
            var isFirst = true
            for element in value.elements {
                if !isFirst { output += "," }
                isFirst = false
                line(indent + 1)
                write(element, format, indent: indent + 1, to: &output)
            }
            if !isFirst { line(indent) }
            output += "]"
        case .object:
            output += "{"
            var isFirst = true
            for (key, element) in value.members {
                if !isFirst { output += "," }
                isFirst = false
                line(indent + 1)
                quote(key, to: &output)
                output += format.contains(.prettyPrinted) ? " : " : ":"
                write(element, format, indent: indent + 1, to: &output)
            }
            if !isFirst { line(indent) }
            output += "}"
        }
    }

    private static func quote(_ text: String, to output: inout String) {
        output += "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": output += "\\\""
            case "\\": output += "\\\\"
            case "\n": output += "\\n"
            case "\r": output += "\\r"
            case "\t": output += "\\t"
            case "\u{8}": output += "\\b"
            case "\u{C}": output += "\\f"
            case "\0"..<" ":
                let digits = String(scalar.value, radix: 16)
                output += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            default: output.unicodeScalars.append(scalar)
            }
        }
        output += "\""
    }
}
