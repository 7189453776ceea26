/// An admission whose gate is checked again before a request is sent once more.
package protocol Readmission: Admission {
    /// Requests another admission of the run: nil where it may continue at once, else what it has to wait for.
    func readmission() -> Observer<Void>?
    /// Whether the last readmission failed. Its error ends the request, and is no error of a sending.
    var hasRejected: Bool { get }
}

extension Observer {
    /// Starts `work` as soon as all gates that admitted it, or the current run, admit it once more.
    package static func readmitted(
        _ admissions: [any Admission] = [], _ work: @escaping @Sendable () -> Observer
    ) -> Observer {
        var admissions = admissions
        admissions.merge(Run.current?.admissions ?? [])
        for case let admission as any Readmission in admissions {
            if let admitted = admission.readmission() {
                return admitted.flatMap { [admissions] in readmitted(admissions, work) }
            }
        }
        return work()
    }
}

extension [any Admission] {
    /// Whether a gate that admitted the request, or the current run, has rejected it since.
    package var haveRejected: Bool {
        var all = self
        all.merge(Run.current?.admissions ?? [])
        return all.contains { ($0 as? any Readmission)?.hasRejected == true }
    }
}
