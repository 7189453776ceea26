import Foundation
import NetChainKit
import NetChainTestKit

/// The keys of a bucket.
struct Listing: Codable {
    struct Object: Codable {
        let key: String
        let size: Int
    }

    let contents: [Object]
}

/// A bucket's settings.
struct Versioning: Codable {
    let status: String
}

/// The body of the store's errors.
struct StoreProblem: Decodable {
    let code: String
}

let server = try LoopbackServer()
let xml: HttpHeaders = ["Content-Type": "application/xml"]
server.on(.get, "/photos") { _ in
    .text("<ListBucketResult><Contents><Key>a.jpg</Key><Size>7</Size></Contents></ListBucketResult>", headers: xml)
}
server.on(.put, "/photos") { request in
    print("The server received: \(request.text)")
    return .status(204)
}
server.on(.get, "/secret") { _ in
    .text("<Error><Code>AccessDenied</Code></Error>", status: 403, headers: xml)
}

let store = ApiClient(server.url) {
    $0.coders = [XmlCoder(rootElement: "VersioningConfiguration")]
    $0.log.sink = .silent
    $0.mapErrors(as: StoreProblem.self)
}
let listing: Listing = try await store.get("photos").send()
print("The bucket has: \(listing.contents.map { "\($0.key), \($0.size) bytes" })")
try await store.put("photos").query("versioning", "").body(Versioning(status: "Enabled")).send()
do {
    let _: Listing = try await store.get("secret").send()
} catch let error as ApiError<StoreProblem> {
    print("The store said \(error.problem.code), status \(error.status ?? 0).")
}
