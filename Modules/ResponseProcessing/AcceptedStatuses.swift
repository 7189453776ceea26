/// Which statuses of an answer are no failure.
public struct AcceptedStatuses: Sendable {
    private let contains: @Sendable (Int) -> Bool

    /// Statuses of your choice. `contains` is called on any thread, several times at once.
    public init(_ contains: @escaping @Sendable (Int) -> Bool) {
        self.contains = contains
    }

    /// 200 to 299: the default.
    public static let successful = range(200...299)

    /// All of them: the chain's end looks at the status itself.
    public static let all = AcceptedStatuses { _ in true }

    /// Those of a range.
    public static func range(_ statuses: ClosedRange<Int>) -> AcceptedStatuses {
        AcceptedStatuses { statuses.contains($0) }
    }

    /// 200 to 299 and these.
    public static func successful(and others: Int...) -> AcceptedStatuses {
        AcceptedStatuses { (200...299).contains($0) || others.contains($0) }
    }

    /// These without 304.
    package var withoutNotModified: AcceptedStatuses {
        AcceptedStatuses { [contains] in $0 != 304 && contains($0) }
    }

    func accepts(_ status: Int) -> Bool {
        contains(status)
    }
}
