/// What a gate gives to a run that it admits. The run shows it before a request goes out.
package protocol Admission: Sendable {
    /// The gate: a number that no other gate has.
    var gate: Int { get }
    /// Why the run may not send; nil while it may. To be asked after the request was given what belongs to the gate's
    /// session, such as an access token.
    var refusal: (any Error)? { get }
}

extension Run {
    /// Why the current run may not send; nil while it may.
    package static var refusal: (any Error)? {
        for admission in current?.admissions ?? [] {
            if let refusal = admission.refusal { return refusal }
        }
        return nil
    }
}
