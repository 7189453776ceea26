import HttpMessages

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file that only its owner can read, from its creation on.
enum PrivateFile {
    /// Writes a new file and moves it into place, so that the mode of a replaced file doesn't apply.
    static func write(_ data: Data, to url: URL) throws(FileWriter.Failure) {
        guard url.isFileURL else { throw FileWriter.Failure("\(url.lastPathComponent)", "is no file URL.") }
        let path = url.path
        // A random name: one derived from the file's name could exceed the limit of the file system.
        let part = url.deletingLastPathComponent().path + "/.netchain-\(UInt64.random(in: 0 ... .max))"
        let descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system(path, "can't be written") }
        var isInPlace = false
        defer { if !isInPlace { unlink(part) } }
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                let failure = FileWriter.Failure.system(path, "can't be written")
                close(descriptor)
                throw failure
            }
            rest = rest.dropFirst(count)
        }
        guard close(descriptor) == 0 else { throw .system(path, "can't be written") }
        guard rename(part, path) == 0 else { throw .system(path, "can't be put in its place") }
        isInPlace = true
    }
}

/// Calls `write(2)`, which the static method of the same name hides.
private func systemWrite(_ number: Int32, _ start: UnsafeRawPointer?, _ count: Int) -> Int {
    write(number, start, count)
}
