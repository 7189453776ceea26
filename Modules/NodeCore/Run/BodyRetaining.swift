/// An error that keeps a body in memory.
package protocol BodyRetaining: Error {
    /// About how many bytes of bodies the error keeps.
    var retainedBodyBytes: Int { get }
}

extension Error {
    /// About how many bytes of bodies the error keeps; 0 where it isn't a ``BodyRetaining``.
    package var retainedBodyBytes: Int {
        (self as? any BodyRetaining)?.retainedBodyBytes ?? 0
    }
}
