/// An error that keeps a body in memory.
package protocol BodyRetaining: Error {
    /// About how many bytes it keeps.
    var retainedBytes: Int { get }
}
