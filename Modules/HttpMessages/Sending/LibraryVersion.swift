/// The library's version, for files that name their creator. A release changes it together with `CHANGELOG.md`.
package enum LibraryVersion {
    package static let current = "0.1.0"
}
