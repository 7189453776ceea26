import Foundation
import Logging
import Models
import NodeCore
import Testing
import UrlTransport

/// What `print`, `dump`, a debugger and whatever else reads a `Mirror` show of values that carry secrets.
struct MaskedValueTests {
    struct Carrier: Sendable, CustomStringConvertible {
        let description: String
        let value: @Sendable () throws -> Any

        init(_ description: String, _ value: @escaping @Sendable () throws -> Any) {
            self.description = description
            self.value = value
        }
    }

    private static let secret = "hunter2"
    private static let headers: HttpHeaders = ["Authorization": secret, "Accept": "text/plain"]
    private static let metadata = ["Authorization": secret, "Accept": "text/plain"]
    private static let bytes = Data(secret.utf8)

    private static func url() throws -> URL {
        try #require(URL(string: "https://ada:hunter2@a.example/x?access_token=hunter2&page=2"))
    }

    private static func request() throws -> HttpRequest {
        HttpRequest(method: .post, url: try url(), headers: headers, body: .data(bytes))
    }

    private static func response() throws -> HttpResponse {
        HttpResponse(request: try request(), status: 500, headers: ["Set-Cookie": secret], data: bytes)
    }

    private struct Route: UrlRouteProvider {
        func url() throws -> URL { try MaskedValueTests.url() }
    }

    static let carriers = [
        Carrier("HttpHeaders") { headers },
        Carrier("HttpHeaders.Field") { HttpHeaders.Field(name: "Authorization", value: secret) },
        Carrier("RequestBody") { RequestBody.data(bytes) },
        Carrier("HttpRequest") { try request() },
        Carrier("HttpRequest") {
            HttpRequest(method: .put, url: try url(), headers: headers, body: .data(bytes))
        },
        Carrier("RequestModel") { RequestModel(metadata: metadata, raw: ["password": "hunter2"] as Json) },
        Carrier("RoutableRequestModel") {
            RoutableRequestModel(metadata: metadata, raw: ["password": "hunter2"] as Json, route: try url())
        },
        Carrier("EncodableRequestModel") {
            EncodableRequestModel(
                metadata: metadata, raw: ["password": "hunter2"] as Json, route: try url(),
                encoding: ParametersEncoding.json)
        },
        Carrier("URLQueryConfigModel") { URLQueryConfigModel(query: ["token": "hunter2"]) },
        Carrier("HttpResponse") { try response() },
        Carrier("DataResponse") { DataResponse(request: try request(), result: .success(try response())) },
        Carrier("TransportError") {
            TransportError(
                .connectionLost, of: try request(), reason: "gone", cause: DataError(response: try response()))
        },
        Carrier("TechnicalError") {
            TechnicalError(TransportError(.stalled, of: try request(), reason: "gone")) as Any
        },
        Carrier("RequestBuildingError") {
            RequestBuildingError(.routeFailed, "no route", cause: DataError(response: try response()))
        },
        Carrier("CurlConfiguration") {
            var configuration = CurlRequestSender.Configuration()
            configuration.proxy = .url(try url())
            configuration.tls.clientCertificate = .init(
                certificate: URL(fileURLWithPath: "/c.pem"), key: URL(fileURLWithPath: "/k.pem"), password: secret)
            return configuration
        },
        Carrier("MultipartPart") { MultipartPart(name: "password", content: .data(bytes)) },
        Carrier("MultipartFileProvider") { MultipartFileProvider.data(data: bytes, filename: "a.txt") },
        Carrier("MultipartModel") {
            MultipartModel<[String: Data]>(
                payloadModel: ["password": bytes], files: ["a": .data(data: bytes, filename: "a.txt")])
        },
        Carrier("MetadataConnectorNode") {
            MetadataConnectorNode(next: Node<RequestModel<Int>, Int>(), metadata: metadata)
        },
        Carrier("HeaderInjectorNode") { HeaderInjectorNode(next: Node<HttpRequest, Int>(), headers: metadata) },
    ]

    private struct DataError: Error {
        let response: HttpResponse
    }

    @Test(arguments: carriers)
    func noWayToShowAValueShowsItsSecrets(carrier: Carrier) throws {
        let value = try carrier.value()
        let optional: Any? = value
        let result: Result<Any, any Error> = .success(value)
        var shown = [
            "\(value)", String(reflecting: value), "\([value])", "\(["key": value])", "\(optional as Any)", "\(result)",
        ]
        for value in [value, [value], optional as Any, result] {
            var text = ""
            dump(value, to: &text)
            shown.append(text)
        }
        shown += Self.leaves(of: value)
        for text in shown {
            #expect(!text.contains(Self.secret))
            // "hunter2" in numbers, as a list of bytes is shown.
            #expect(!text.contains("104") || !text.contains("117"))
        }
    }

    @Test func whatIsNoSecretIsShown() throws {
        #expect("\(try Self.request())".contains("page=2"))
        #expect("\(RequestModel(metadata: Self.metadata, raw: 1))".contains("Accept: text/plain"))
        var configuration = CurlRequestSender.Configuration()
        configuration.timeouts.request = .seconds(30)
        configuration.proxy = .url(try Self.url())
        for part in ["30.0 seconds", "https://***@a.example"] { #expect("\(configuration)".contains(part)) }
    }

    /// What somebody reads who goes through all mirrors, as a crash reporter does.
    private static func leaves(of value: Any, depth: Int = 0) -> [String] {
        guard depth < 12 else { return [] }
        return sequence(first: Mirror(reflecting: value), next: \.superclassMirror).flatMap(\.children).flatMap {
            child in
            ["\(child.value)"] + leaves(of: child.value, depth: depth + 1)
        }
    }
}
