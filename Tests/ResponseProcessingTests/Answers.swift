import Models
import NodeCore
import ResponseProcessing
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An answer as a sender gives it.
func answer(
    _ status: Int = 200, _ body: String = "", headers: HttpHeaders = HttpHeaders(), method: HttpMethod = .get,
    url: String = "http://example.com/users/1", attempt: Int = 1
) throws -> HttpResponse {
    var request = HttpRequest(method: method, url: try someUrl(url))
    request.attempt = attempt
    return HttpResponse(request: request, status: status, headers: headers, data: Data(body.utf8))
}

/// A URL, or an error that shows the text.
func someUrl(_ text: String) throws -> URL {
    guard let url = URL(string: text) else { throw NoUrl(text: text) }
    return url
}

struct NoUrl: Error {
    let text: String
}

/// What the default processing of an answer gives.
func processed(_ answer: HttpResponse, accepted: AcceptedStatuses = .successful) async throws -> Json {
    let parser = ResponseDataPreprocessorNode(next: ResponseDataParserNode())
    let chain = ResponseProcessorNode(next: ResponseHttpErrorProcessorNode(next: parser, accepted: accepted))
    let response = try await chain.execute(DataResponse(request: answer.request, result: .success(answer)))
    return try Json.from(response: response)
}
