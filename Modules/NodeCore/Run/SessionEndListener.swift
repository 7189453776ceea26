/// What is notified when the session of a gate ends: a cache, which removes what the session has stored.
package protocol SessionEndListener: AnyObject, Sendable {
    /// The session of the gate with this number has ended. Called once for each registration, on the thread that ends the
    /// session.
    func sessionEnded(gate: Int)
}

/// A reference that keeps no listener alive.
package struct WeakSessionEndListener: Sendable {
    package let id: ObjectIdentifier
    package private(set) weak var listener: (any SessionEndListener)?

    package init(_ listener: any SessionEndListener) {
        id = ObjectIdentifier(listener)
        self.listener = listener
    }
}
