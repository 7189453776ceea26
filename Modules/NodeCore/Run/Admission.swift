import Synchronization

/// What a gate issues to a run that it admits. It is checked before a request is sent.
package protocol Admission: AnyObject, Sendable {
    /// The gate's number, which is unique.
    var gate: Int { get }
    /// Why the run may not send; nil while it may. Must be checked after the request got what belongs to the gate's
    /// session, such as an access token.
    var refusal: (any Error)? { get }
    /// Records a response: whether its server had received what belongs to the gate's session. After a redirect to
    /// another origin it hasn't, and then its rejection says nothing about an access token.
    func record(responseOfReceiver isOfReceiver: Bool)
    /// Waits until the gate admits the run once more, before a request is sent again. Returns whether it had to wait.
    ///
    /// - Throws: why it doesn't. The error ends the request, and is no error of a sending.
    func readmit() async throws -> Bool
    /// Whether the last readmission failed.
    var hasRejected: Bool { get }
    /// Notifies the listener once when the session of the request ends; at once if it has ended. The listener isn't kept
    /// alive.
    func notifyAtSessionEnd(_ listener: any SessionEndListener)
}

/// What an admission does whose gate makes no request wait.
extension Admission {
    /// Records nothing.
    package func record(responseOfReceiver isOfReceiver: Bool) {}
    /// Doesn't wait.
    package func readmit() async throws -> Bool { false }
    /// False: there is no readmission.
    package var hasRejected: Bool { false }
    /// Does nothing: there is no session.
    package func notifyAtSessionEnd(_ listener: any SessionEndListener) {}
}

/// A request that keeps the admissions of its run, so that they hold on any thread, whatever a node does.
package protocol AdmissionCarrying: Sendable {
    /// The admissions, at most one of each gate.
    var admissions: [any Admission] { get set }
    /// When the request was made; nil where that is unknown.
    var madeAt: LogicalTime? { get set }
    /// Whether only a cache responds to the request, so that its token may have expired.
    var isForCacheOnly: Bool { get }
}

extension AdmissionCarrying {
    /// False: the request is sent.
    package var isForCacheOnly: Bool { false }

    /// Adds the admissions of the current run, of gates that did not admit the request itself.
    package mutating func takeAdmissionsOfRun() {
        guard let ofRun = Run.current?.admissions, !ofRun.isEmpty else { return }
        admissions.merge(ofRun)
    }
}

extension Sequence where Element == any Admission {
    /// Why the request may not be sent; nil while it may.
    package var refusal: (any Error)? {
        for admission in self {
            if let refusal = admission.refusal { return refusal }
        }
        return nil
    }

    /// The admissions, with `admission` in place of an earlier one of the same gate.
    package func with(_ admission: any Admission) -> [any Admission] {
        filter { $0.gate != admission.gate } + [admission]
    }
}

extension [any Admission] {
    /// Adds the admissions of other gates.
    package mutating func merge(_ others: [any Admission]) {
        for other in others where !contains(where: { $0.gate == other.gate }) { append(other) }
    }

    /// Waits until all gates that admitted the request, or the current run, admit it once more.
    package func readmit() async throws {
        let admissions = withCurrent
        var hasWaited: Bool
        repeat {
            hasWaited = false
            for admission in admissions where try await admission.readmit() { hasWaited = true }
            // While it waited at one gate, another may have closed.
        } while hasWaited && admissions.count > 1
    }

    /// Whether one of those gates has rejected the request since.
    package var haveRejected: Bool {
        withCurrent.contains { $0.hasRejected }
    }

    private var withCurrent: [any Admission] {
        var all = self
        all.merge(Run.current?.admissions ?? [])
        return all
    }
}

/// What is notified when the session of a gate ends: a cache, which removes what the session has stored.
package protocol SessionEndListener: AnyObject, Sendable {
    /// A number of its own, from ``WeakSessionEndListener/newNumber()``: another listener may get its address later.
    var number: Int { get }

    /// The session of the gate with this number has ended. Called once for each registration, on the thread that ends the
    /// session.
    func sessionEnded(gate: Int)
}

/// A reference that keeps no listener alive.
package struct WeakSessionEndListener: Sendable {
    package let number: Int
    package private(set) weak var listener: (any SessionEndListener)?

    private static let numbers = Atomic(0)

    package init(_ listener: any SessionEndListener) {
        number = listener.number
        self.listener = listener
    }

    /// A number that no other listener has.
    package static func newNumber() -> Int {
        numbers.add(1, ordering: .relaxed).newValue
    }
}
