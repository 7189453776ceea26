/// An admission whose gate is checked again before a request is sent once more.
package protocol Readmission: Admission {
    /// Requests another admission of the run: nil where it may continue at once, else what it has to wait for.
    func readmission() -> Observer<Void>?
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
