/// The library's version, for what is written under its name. A release changes it together with `CHANGELOG.md`.
package enum LibraryVersion {
    /// As in Semantic Versioning.
    package static let current = "0.1.0"
}
