extension DecodingError {
    /// The error with a key prepended to its coding path.
    func prefixed(with key: any CodingKey) -> DecodingError {
        with { context in
            Context(
                codingPath: [key] + context.codingPath, debugDescription: context.debugDescription,
                underlyingError: context.underlyingError)
        }
    }

    /// The error of an element of an array, with the keys of the array and the element's index in its coding path.
    package func ofElement(_ index: Int, at path: [String]) -> DecodingError {
        path.reversed().reduce(prefixed(with: JsonKey(index: index))) { $0.prefixed(with: JsonKey($1)) }
    }

    /// The error with a sentence appended to its description.
    package func followed(by sentence: String) -> DecodingError {
        with { context in
            let text = context.debugDescription
            return Context(
                codingPath: context.codingPath,
                debugDescription: "\(text)\(text.hasSuffix(".") ? "" : ".") \(sentence)",
                underlyingError: context.underlyingError)
        }
    }

    private func with(_ change: (Context) -> Context) -> DecodingError {
        switch self {
        case .typeMismatch(let type, let context): .typeMismatch(type, change(context))
        case .valueNotFound(let type, let context): .valueNotFound(type, change(context))
        case .keyNotFound(let missing, let context): .keyNotFound(missing, change(context))
        case .dataCorrupted(let context): .dataCorrupted(change(context))
        @unknown default: self
        }
    }
}
