/// Which response statuses are no failure.
public struct AcceptedStatuses: Sendable {
    private let contains: @Sendable (Int) -> Bool
    /// Whether these are the statuses of a client that names none.
    package let isDefault: Bool

    /// Creates a set of statuses. `contains` is called on any thread, several times at once.
    public init(_ contains: @escaping @Sendable (Int) -> Bool) {
        self.init(isDefault: false, contains)
    }

    private init(isDefault: Bool, _ contains: @escaping @Sendable (Int) -> Bool) {
        self.contains = contains
        self.isDefault = isDefault
    }

    /// 200 to 299: the default.
    public static let successful = AcceptedStatuses(isDefault: true) { (200...299).contains($0) }

    /// All statuses: the last node of the chain checks the status itself.
    public static let all = AcceptedStatuses { _ in true }

    /// The statuses of a range.
    public static func range(_ statuses: ClosedRange<Int>) -> AcceptedStatuses {
        AcceptedStatuses { statuses.contains($0) }
    }

    /// 200 to 299 and these statuses.
    public static func successful(and others: Int...) -> AcceptedStatuses {
        AcceptedStatuses { (200...299).contains($0) || others.contains($0) }
    }

    /// These statuses without 304.
    package var withoutNotModified: AcceptedStatuses {
        AcceptedStatuses(isDefault: isDefault) { [contains] in $0 != 304 && contains($0) }
    }

    package func accepts(_ status: Int) -> Bool {
        contains(status)
    }
}
