/// What a gate gives to work that it lets in: the work shows it again before it goes out, and before it goes out once
/// more. It travels where a journal travels, through queue hops and tasks too.
package protocol JournalPass: Sendable {
    /// Who gave the pass: a number that no other owner has. An owner's newer pass replaces its older one.
    var owner: Int { get }
    /// Why the work may not go out; nil while it may. To be asked after the work was given what belongs to the
    /// gate's session, such as an access token.
    var refusal: (any Error)? { get }
    /// Asks the gate to be let in once more: nil where the work may go on at once, else what it has to wait for.
    func readmission() -> Observer<Void>?
}

extension Journal {
    /// Runs `work` under a journal that has `pass` as well. What it returns belongs to the run outside.
    package static func run<Value>(with pass: any JournalPass, _ work: () -> Observer<Value>) -> Observer<Value> {
        let outside = underWay
        let result = $current.withValue(Journal(passingTo: outside, pass: pass), operation: work)
        // Without a journal outside, an operator that follows would take over the one of the work.
        guard outside == nil, case .pending(let inner) = result.state else { return result }
        let copy = Pending<Value>(journal: nil, upstream: inner)
        inner.listen { copy.settle($0) }
        return Observer(pending: copy)
    }

    /// Why the work in progress may not go out; nil while it may.
    package static var refusal: (any Error)? {
        for pass in underWay?.passes ?? [] {
            if let refusal = pass.refusal { return refusal }
        }
        return nil
    }

    /// Does `work` as soon as all gates behind which it runs let it in once more.
    package static func readmitted<Value>(_ work: @escaping @Sendable () -> Observer<Value>) -> Observer<Value> {
        for pass in underWay?.passes ?? [] {
            if let admitted = pass.readmission() { return admitted.flatMap { readmitted(work) } }
        }
        return work()
    }
}
