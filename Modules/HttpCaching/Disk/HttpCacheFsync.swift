/// Whether a cache's folder waits until an entry is on the disk (fsync(2)).
public enum HttpCacheFsync: Sendable {
    /// It doesn't wait. After a power failure recent entries may be missing, or damaged, which checksums detect. A crash
    /// of the process alone loses no stored entry.
    case never
    /// It waits before an entry becomes visible, and after that for its name. A stored entry survives a power failure.
    case always
}
