import Dispatch

extension Observer where Value == Void {
    /// Completes after a time, on a background queue; a cancel ends it at once. A time that isn't longer than zero is
    /// over at once.
    public static func after(_ delay: Duration) -> Observer<Void> {
        let context = Context<Void>()
        // Past a hundred years it makes no difference, and no number overflows.
        let delay = min(max(delay, .zero), .seconds(100 * 365 * 86_400)).components
        let nanoseconds = delay.seconds * 1_000_000_000 + delay.attoseconds / 1_000_000_000
        DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(Int(nanoseconds))) { context.emit() }
        return context.observer
    }
}
