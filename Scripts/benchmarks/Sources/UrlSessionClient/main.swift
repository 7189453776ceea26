import ClientSupport
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// URLSession with JSONDecoder. Its limit of connections is raised to what is asked for. On Linux it can't be told of
// other authorities than the system's, so it speaks HTTP/1.1 without TLS only.

struct Failed: Error {}

let arguments = ClientArguments()
let configuration = URLSessionConfiguration.ephemeral
configuration.httpMaximumConnectionsPerHost = max(64, arguments.concurrency)
configuration.urlCache = nil
configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
let session = URLSession(configuration: configuration)
var prototype = URLRequest(url: arguments.url)
let upload = Data(repeating: 0x78, count: arguments.size)
if arguments.work == .upload { prototype.httpMethod = "PUT" }
let request = prototype
wait {
    try await runTasks(arguments) {
        if arguments.work == .file {
            let (file, response) = try await session.download(for: request)
            guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw Failed() }
            try? FileManager.default.removeItem(atPath: arguments.file)
            try FileManager.default.moveItem(at: file, to: URL(filePath: arguments.file))
            return
        }
        let (data, response) =
            arguments.work == .upload
            ? try await session.upload(for: request, from: upload) : try await session.data(for: request)
        guard let status = (response as? HTTPURLResponse)?.statusCode, status / 100 == 2 else { throw Failed() }
        guard arguments.work == .get else { return }
        switch arguments.model {
        case .user: _ = try JSONDecoder().decode(User.self, from: data)
        case .users: _ = try JSONDecoder().decode([User].self, from: data)
        }
    }
}
exit(0)
