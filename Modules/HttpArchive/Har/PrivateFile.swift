import UrlTransport

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

/// A file that its owner alone may read, from its creation on.
enum PrivateFile {
    /// Writes the file beside its place and moves it there, so that it takes the place of another one with its own mode.
    static func write(_ data: Data, to url: URL) throws(FileWriter.Failure) {
        guard url.isFileURL else { throw FileWriter.Failure("\(url.lastPathComponent)", "is no file URL.") }
        let path = url.path
        // A name of its own: one made of the file's could be longer than a file system takes.
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

/// `write(2)`, which a function of the same name hides.
private func systemWrite(_ number: Int32, _ start: UnsafeRawPointer?, _ count: Int) -> Int {
    write(number, start, count)
}
