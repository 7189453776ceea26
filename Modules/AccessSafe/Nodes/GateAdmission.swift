import NodeCore

/// The admission that the gate of a refresher issues to a run.
protocol GateAdmission: Admission {
    /// The refresh that the run is a part of; nil for any other run.
    var refresh: Int? { get }
}

/// The admission of a refresh's run: a request in it must not wait for the refresh.
final class RefreshAdmission: GateAdmission {
    let gate: Int
    let refresh: Int?

    init(gate: Int, refresh: Int) {
        self.gate = gate
        self.refresh = refresh
    }

    /// A refresh may always send.
    var refusal: (any Error)? { nil }
}
