#if os(Linux)
/// Drives one multi handle with poll(2): libcurl polls its sockets and visits each transfer.
final class PollDriver: EventDriver {
    private let multi: CurlMultiHandle
    private let wakeUp: WakeUp
    private(set) var isTimeoutDue = false

    init(_ multi: CurlMultiHandle, _ wakeUp: WakeUp) {
        self.multi = multi
        self.wakeUp = wakeUp
    }

    func didStartTransfer(in multi: CurlMultiHandle) {
        isTimeoutDue = true
    }

    func wait(longest: Int32) -> Bool {
        let (count, isWoken) = multi.wait(with: wakeUp.descriptor, longest: longest)
        if isWoken { wakeUp.clear() }
        // A wake-up alone needs no visit. Without any event, a timeout has passed.
        if !isWoken || count > 1 { isTimeoutDue = true }
        return count > 0
    }

    func processEvents() {}

    func processTimeout() {
        isTimeoutDue = false
        multi.perform()
    }

    func visit(_ sockets: Set<Int32>) {
        isTimeoutDue = true
    }
}
#endif
