extension JsonWriter {
    /// Writes a value in the writer's format. Numbers keep their characters. So do the strings of a document, unless
    /// keys are sorted.
    ///
    /// - Parameter path: the path to the value.
    func write(_ json: Json, depth: Int, _ path: () -> [any CodingKey] = { [] }) {
        if let (document, node) = json.view, !sortsKeys { return write(document, node, depth: depth, path) }
        switch json.kind {
        case .null: write(raw: "null")
        case .bool: write(bool: json.bool == true)
        case .number: write(verbatim: json.numberText ?? "null")
        case .string: write(json.string ?? "")
        case .array:
            check(depth: depth + 1, path)
            write(0x5B)
            var isFirst = true
            for element in json.elements {
                separate(isFirst, depth + 1)
                isFirst = false
                write(element, depth: depth + 1, path)
            }
            close(0x5D, isFirst, depth)
        case .object:
            check(depth: depth + 1, path)
            write(0x7B)
            var isFirst = true
            let members =
                sortsKeys
                ? json.members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) } : Array(json.members)
            for (key, value) in members {
                separate(isFirst, depth + 1)
                isFirst = false
                write(key)
                writeColon()
                write(value, depth: depth + 1, path)
            }
            close(0x7D, isFirst, depth)
        }
    }

    private func separate(_ isFirst: Bool, _ depth: Int) {
        if !isFirst { write(0x2C) }
        if isPretty { writeLine(indent: depth) }
    }

    private func close(_ bracket: UInt8, _ isEmpty: Bool, _ depth: Int) {
        if isPretty {
            if isEmpty { write(0x0A) }
            writeLine(indent: depth)
        }
        write(bracket)
    }

    private func writeColon() {
        if isPretty { write(raw: " : ") } else { write(0x3A) }
    }

    /// Writes a value of a document, word by word of the tape.
    private func write(_ document: JsonDocument, _ node: Int, depth: Int, _ path: () -> [any CodingKey]) {
        var open: [(end: Int, isObject: Bool)] = []
        var place = node
        var isFirst = true
        var isValue = true
        repeat {
            if let innermost = open.last {
                if !innermost.isObject || !isValue { separate(isFirst, depth + open.count) }
            }
            isFirst = false
            let word = document.word(place)
            place += 1
            switch word.kind {
            case JsonWord.null: write(raw: "null")
            case JsonWord.true: write(raw: "true")
            case JsonWord.false: write(raw: "false")
            case JsonWord.integer, JsonWord.real: write(document.bytes + word.low, word.high)
            case JsonWord.string, JsonWord.escaped:
                write(document.bytes + word.low - 1, word.high + 2)
                if !isValue {
                    writeColon()
                    isValue = true
                    continue
                }
            default:
                let isObject = word.kind == JsonWord.object
                write(isObject ? 0x7B : 0x5B)
                open.append((word.low, isObject))
                check(depth: depth + open.count, path)
                isFirst = true
            }
            while let innermost = open.last, innermost.end == place {
                open.removeLast()
                close(innermost.isObject ? 0x7D : 0x5D, isFirst, depth + open.count)
                isFirst = false
            }
            isValue = open.last?.isObject != true
        } while !open.isEmpty || !isValue
    }
}
