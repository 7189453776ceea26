/// What a gate gives to a run that it admits. The run shows it before a request goes out.
package protocol Admission: AnyObject, Sendable {
    /// The gate: a number that no other gate has.
    var gate: Int { get }
    /// Why the run may not send; nil while it may. To be asked after the request was given what belongs to the gate's
    /// session, such as an access token.
    var refusal: (any Error)? { get }
}

/// A request that keeps the admissions of its run. So they hold on any thread, whatever a node did on the way.
package protocol AdmissionCarrying: Sendable {
    /// At most one of each gate.
    var admissions: [any Admission] { get set }
}

extension Sequence where Element == any Admission {
    /// Why the request may not be sent; nil while it may.
    package var refusal: (any Error)? {
        for admission in self {
            if let refusal = admission.refusal { return refusal }
        }
        return nil
    }

    /// These, with `admission` in place of an earlier one of the same gate.
    package func with(_ admission: any Admission) -> [any Admission] {
        filter { $0.gate != admission.gate } + [admission]
    }
}

extension [any Admission] {
    /// Adds those of other gates.
    package mutating func merge(_ others: [any Admission]) {
        for other in others where !contains(where: { $0.gate == other.gate }) { append(other) }
    }
}
