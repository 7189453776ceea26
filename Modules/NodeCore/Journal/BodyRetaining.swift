/// An error that keeps a body in memory.
package protocol BodyRetaining: Error {
    /// About how many bytes it keeps.
    var retainedBodyBytes: Int { get }
}

extension Error {
    /// About how many bytes of a body the error keeps, as far as it says so.
    package var retainedBodyBytes: Int {
        (self as? any BodyRetaining)?.retainedBodyBytes ?? 0
    }
}
