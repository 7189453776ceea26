import Dispatch
import Foundation
import HttpMessages
import NodeCore

/// Writes the body of a stream to a temporary file, because a session sends a file or memory. The file is removed when
/// the last reference is released.
final class SpooledBody: @unchecked Sendable {  // mutable state is used on the queue only
    private let url = FileManager.default.temporaryDirectory.appending(path: "netchain-\(UUID().uuidString).body")
    private let queue = DispatchQueue(label: "netchain.body")
    private let stream: BodyStream
    private var reader: BodyStream.Reader?
    private var file: FileHandle?
    private var then: (@Sendable (Result<RequestBody, BodyFailure>?) -> Void)?

    init(_ stream: BodyStream) {
        self.stream = stream
    }

    deinit {
        if file != nil { try? FileManager.default.removeItem(at: url) }
    }

    /// Starts to read. `then` is called once, on a queue, with the file or the failure; after a cancel with nil.
    func start(_ values: CallersValues?, then: @escaping @Sendable (Result<RequestBody, BodyFailure>?) -> Void) {
        queue.async { [self] in
            let reader = stream.reader(values) { [weak self] in
                guard let self else { return }
                queue.async { self.write() }
            }
            guard let reader else {
                return then(.failure(BodyFailure(message: "the body is a stream that was read", kind: .alreadySent)))
            }
            self.then = then
            self.reader = reader
            guard
                FileManager.default.createFile(atPath: url.path, contents: nil, attributes: [.posixPermissions: 0o600]),
                let file = FileHandle(forWritingAtPath: url.path)
            else { return end(.failure(BodyFailure(message: "\(url.path) can't be written."))) }
            self.file = file
            write()
        }
    }

    /// Cancels the reading and the task of the sequence. Has no effect once the file is complete.
    func cancel() {
        queue.async { [self] in end(nil) }
    }

    private func write() {
        guard let reader, let file else { return }
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        do {
            while true {
                switch try bytes.withUnsafeMutableBytes({ try reader.read(into: $0) }) {
                case .bytes(let count): try file.write(contentsOf: bytes[..<count])
                case .wait: return
                case .end: return end(.success(try .file(url)))
                }
            }
        } catch let failure as BodyFailure {
            end(.failure(failure))
        } catch {
            end(.failure(BodyFailure(message: "\(error)", cause: error)))
        }
    }

    private func end(_ result: Result<RequestBody, BodyFailure>?) {
        reader = nil
        then.take()?(result)
    }
}
