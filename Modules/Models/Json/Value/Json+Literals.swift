extension Json: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByStringInterpolation,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// `null`.
    public init(nilLiteral: ()) { self.init(.null) }

    /// `true` or `false`.
    public init(booleanLiteral value: Bool) { self.init(value) }

    /// A number.
    public init(integerLiteral value: Int) { self.init(value) }

    /// A number.
    public init(floatLiteral value: Double) { self.init(value) }

    /// A string.
    public init(stringLiteral value: String) { self.init(value) }

    /// An array.
    public init(arrayLiteral elements: Json...) { self.init(elements) }

    /// An object whose members keep the literal's order. Of duplicate keys the last counts.
    public init(dictionaryLiteral elements: (String, Json)...) { self.init(.object(JsonObject(elements))) }
}
