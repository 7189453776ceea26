/// What makes an encoding fail when it completes.
extension JsonWriter {
    /// Fails the encoding if arrays and objects are nested deeper than `JsonLimits.deepest`, which no decoder reads.
    ///
    /// - Parameter path: the path to the array or object, or to a value that contains it.
    @inline(__always)
    func check(depth: Int, _ path: () -> [any CodingKey]) {
        if depth > JsonLimits.deepest { reportDepth(path) }
    }

    @inline(never)
    private func reportDepth(_ path: () -> [any CodingKey]) {
        report("Arrays and objects are nested deeper than \(JsonLimits.deepest) levels.", path)
    }

    /// Makes the encoding fail. Only the first report counts.
    func report(_ description: String, _ path: () -> [any CodingKey]) {
        if misuse == nil { misuse = EncodingError.Context(codingPath: path(), debugDescription: description) }
    }

    /// Reports what was reported to the writer of a part.
    func report(_ part: JsonWriter) {
        if misuse == nil { misuse = part.misuse }
    }

    /// Fails the encoding of a value during which something was reported.
    func throwMisuse(by value: Any) throws {
        if let misuse { throw EncodingError.invalidValue(value, misuse) }
    }
}
