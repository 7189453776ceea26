/// What reading a value needs: whether members are to be checked, and rarely settings, errors and coding paths.
///
/// It is stored on the stack of `JsonValueDecoder.readInput(_:)`.
@usableFromInline
struct JsonInputContext {
    /// The decoder of the value, with the settings and the path to it.
    private let root: Unmanaged<JsonValueDecoder>
    let bytes: UnsafePointer<UInt8>
    let tape: UnsafePointer<UInt64>
    /// The value's index on the tape.
    let rootNode: Int
    /// Whether objects are checked for repeated keys when they are opened: when the value is read again, and below
    /// another type that reads itself. If both read again, the time would double with each such level.
    fileprivate(set) var isChecked: Bool
    /// Whether an object has repeated keys, so that a wrong member may have been read.
    var mustReadAgain = false
    /// The key of the last member that wasn't there, of which a member was to be read.
    var absentKey = ""
    /// The places that the last search for a coding path visited, from the root downwards.
    private var trail: [Step] = []

    /// The objects being read whose keys aren't those of a type, but of a dictionary that has no strings as keys. In a
    /// coding path they are integers where they can be.
    var dictionaries: [Int] = []

    /// A step from a container to one of its values.
    private struct Step {
        let container: Int
        /// The tape index of the element, or of the member's key.
        var place: Int
        var index = 0
        /// The tape indices of all elements or keys, once a search has gone backwards.
        var places: [Int32] = []

        /// Moves to the element or member that contains a node: the last place up to it.
        mutating func find(_ node: Int) {
            var (low, high) = (0, places.count)
            while high - low > 1 {
                let middle = (low + high) / 2
                if Int(places[middle]) <= node { low = middle } else { high = middle }
            }
            (place, index) = (Int(places[low]), low)
        }
    }

    fileprivate init(_ decoder: JsonValueDecoder, tape: UnsafePointer<UInt64>, at node: Int) {
        root = .passUnretained(decoder)
        bytes = decoder.bytes
        self.tape = tape
        rootNode = node
        isChecked = decoder.isBelowInput
    }

    var decoder: JsonValueDecoder { root.takeUnretainedValue() }

    /// The decoder's index of a value, for which a missing value isn't on the tape.
    func place(of node: Int) -> Int { decoder.node < 0 ? decoder.node : node }

    @inline(__always)
    private func word(_ node: Int) -> JsonWord { JsonWord(bits: tape[node]) }

    // MARK: - Places

    /// The path to a value. It isn't recorded during reading, but found when it is needed, from the root downwards.
    mutating func path(to node: Int) -> [any CodingKey] { decoder.codingPath + keys(to: node) }

    /// The keys and indices from the decoder's value to another one.
    mutating func keys(to node: Int) -> [any CodingKey] {
        let depth = descend(to: node)
        return trail[..<depth].map { key(of: $0) }
    }

    private func key(of step: Step) -> JsonKey {
        guard word(step.container).kind == JsonWord.object else { return JsonKey(index: step.index) }
        let name = JsonText.string(word(step.place), in: bytes)
        return dictionaries.contains(step.container) ? JsonKey(name, Int(name)) : JsonKey(name)
    }

    /// Fills the trail with the steps to a value, and returns their number. Steps of earlier searches may follow them.
    ///
    /// The search in a container continues where the last one ended, so that a type that handles an error of each of
    /// its elements takes linear time. Once a search has gone backwards, places are found by binary search.
    private mutating func descend(to node: Int) -> Int {
        var container = rootNode
        var depth = 0
        while container != node, word(container).isContainer {
            let isObject = word(container).kind == JsonWord.object
            if depth == trail.count || trail[depth].container != container {
                trail.removeSubrange(depth...)
                trail.append(Step(container: container, place: container + 1))
            }
            if trail[depth].place > node, trail[depth].places.isEmpty {
                trail[depth].places = places(in: container)
            }
            if !trail[depth].places.isEmpty { trail[depth].find(node) }
            while case let value = trail[depth].place + (isObject ? 1 : 0), case let word = word(value),
                case let next = word.isContainer ? word.low : value + 1, next <= node
            {
                trail[depth].place = next
                trail[depth].index += 1
            }
            container = trail[depth].place + (isObject ? 1 : 0)
            depth += 1
        }
        return depth
    }

    private func places(in container: Int) -> [Int32] {
        let object = word(container).kind == JsonWord.object ? 1 : 0
        var places: [Int32] = []
        places.reserveCapacity(word(container).high)
        var place = container + 1
        while place < word(container).low {
            places.append(Int32(truncatingIfNeeded: place))
            let value = word(place + object)
            place = value.isContainer ? value.low : place + object + 1
        }
        return places
    }

    // MARK: - Values that the decoder reads

    /// Whether a type that the decoder handles itself is read by a strategy of the application, which gets a decoder, or
    /// decodes itself, as `Data` in the form of an array of bytes.
    func needsDecoder(_ kind: JsonTypeKind.Special) -> Bool {
        switch kind {
        case .date: if case .custom = decoder.settings.dates { true } else { false }
        case .data: if case .base64 = decoder.settings.data { false } else { true }
        default: false
        }
    }

    // MARK: - Errors

    /// The error for a value that is not of the type.
    mutating func mismatch(_ type: any Any.Type, at node: Int, container: String? = nil) -> DecodingError {
        let path = path(to: node)
        return decoder.mismatch(type, at: place(of: node), path, container: container)
    }

    mutating func keyNotFound(_ name: String, in node: Int) -> DecodingError {
        let key = JsonKey(name)
        let context = DecodingError.Context(
            codingPath: path(to: node), debugDescription: "No value associated with key \(key) (\"\(name)\").")
        return .keyNotFound(key, context)
    }

    mutating func corrupted(_ description: String, at node: Int) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: path(to: node), debugDescription: description))
    }
}

/// Values that the decoder reads. They may ask for their coding paths then, so the context is not accessed meanwhile.
extension UnsafeMutablePointer<JsonInputContext> {
    /// Reads a value by the decoder, and throws its errors.
    func read<Value>(
        at node: Int, _ body: (_ decoder: JsonValueDecoder, _ node: Int, _ path: () -> [any CodingKey]) throws -> Value
    ) throws -> Value {
        try body(pointee.decoder, pointee.place(of: node)) { pointee.path(to: node) }
    }

    /// Reads a type that the decoder handles itself.
    func special<Value>(_ type: Value.Type, _ kind: JsonTypeKind.Special, at node: Int) throws -> Value {
        if pointee.needsDecoder(kind) {
            return try withDecoder(at: node) { decoder in
                try decoder.special(type, kind, at: decoder.node) { decoder.codingPath }
            }
        }
        return try read(at: node) { try $0.special(type, kind, at: $1, $2) }
    }

    /// Runs the body with a decoder of a value, which the body may keep.
    func withDecoder<Value>(at node: Int, _ body: (JsonValueDecoder) throws -> Value) rethrows -> Value {
        let decoder = pointee.decoder
        return node == pointee.rootNode ? try body(decoder) : try decoder.withDescendant(at: node, of: self, body)
    }
}

extension JsonValueDecoder {
    /// Reads this decoder's own value.
    func read<Value: JsonReadable>(_ type: Value.Type) throws -> Value {
        try readInput { try Value(json: &$0) }
    }

    /// Reads this decoder's own value by the body, which may run twice.
    @inline(__always)
    func readInput<Value>(_ body: (inout JsonInput) throws -> Value) throws -> Value {
        // A missing value is `null`, which isn't on the tape.
        if node < 0 {
            return try withUnsafePointer(to: JsonWord.null) { try readInput(body, tape: $0, at: 0) }
        }
        return try readInput(body, tape: tape, at: node)
    }

    @inline(__always)
    private func readInput<Value>(
        _ body: (inout JsonInput) throws -> Value, tape: UnsafePointer<UInt64>, at node: Int
    ) throws -> Value {
        var context = JsonInputContext(self, tape: tape, at: node)
        return try withUnsafeMutablePointer(to: &context) { context in
            do {
                let value = try readOnce(body, context, at: node)
                if !context.pointee.mustReadAgain { return value }
            } catch {
                if !context.pointee.mustReadAgain { throw error }
            }
            context.pointee.isChecked = true
            return try readOnce(body, context, at: node)
        }
    }

    @inline(__always)
    private func readOnce<Value>(
        _ body: (inout JsonInput) throws -> Value, _ context: UnsafeMutablePointer<JsonInputContext>, at node: Int
    ) throws -> Value {
        var input = JsonInput(context, at: node)
        defer { input.settle(context) }
        return try body(&input)
    }

    /// Runs the body with a decoder of a value anywhere below this one. The input finds its coding path when it is
    /// requested.
    fileprivate func withDescendant<Value>(
        at node: Int, of input: UnsafeMutablePointer<JsonInputContext>, _ body: (JsonValueDecoder) throws -> Value
    ) rethrows -> Value {
        let child = takeChild(at: node)
        child.place(below: self, input)
        do {
            let value = try body(child)
            giveBackDescendant(consume child)
            return value
        } catch {
            giveBackDescendant(consume child)
            throw error
        }
    }

    private func giveBackDescendant(_ child: consuming JsonValueDecoder) {
        if !isKnownUniquelyReferenced(&child) { child.keptKeys = child.input?.pointee.keys(to: child.node) }
        child.input = nil
        giveBack(consume child)
    }
}
