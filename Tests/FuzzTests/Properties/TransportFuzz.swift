import FoundationEssentials

@testable import HttpArchive
@testable import HttpMessages
@testable import Logging
@testable import Models
@testable import NodeCore
@testable import ResponseProcessing
@testable import UrlTransport

private let secret = "S3CR3TS3CR3TS3CR3T"

private func request(_ input: UnsafeRawBufferPointer) -> HttpRequest? {
    let parts = texts(input)
    func part(_ index: Int) -> String { index < parts.count ? parts[index] : "" }
    guard let base = URL(string: "https://host.example/base"), let url = try? base + part(0) else { return nil }
    let headers = HttpHeaders([
        .init(name: "Authorization", value: secret), .init(name: "Content-Type", value: part(1)),
        .init(name: "X-Text", value: part(2)),
    ])
    return HttpRequest(method: .post, url: url, headers: headers, body: .data(Data(part(3).utf8)))
}

func fuzzRedaction(_ input: UnsafeRawBufferPointer) {
    let text = text(input)
    let redaction = Redaction.standard
    let masked = [
        redaction.text(text), redaction.url(text), redaction.form(text), redaction.json(text),
        redaction.header("X-Text", text),
        String(decoding: redaction.body(Array(input), contentType: "multipart/form-data; boundary=b"), as: UTF8.self),
    ]
    for masked in masked { require(masked.utf8.count <= 8 * input.count + 64, "masking bounds the length") }
    require(Redaction.none.text(text) == text, "none masks nothing")
    require(redaction.header("Authorization", text) == Redaction.mask, "a secret header is masked whole")
    require(!redaction.url("https://h/?password=\(secret)&\(text)").contains(secret), "a URL's secret is masked")
    require(!redaction.form("password=\(secret)&\(text)").contains(secret), "a form's secret is masked")
    require(!redaction.json("{\"password\":\"\(secret)\",\"a\":\(text)").contains(secret), "JSON's secret is masked")
}

func fuzzHar(_ input: UnsafeRawBufferPointer) {
    guard let request = request(input) else { return }
    let headers = HttpHeaders(block: HeaderBlock(bytes: Array(input)))
    let response = HttpResponse(request: request, status: 200, headers: headers, data: Data(input))
    let recorder = HarRecorder(bodies: .upTo(bytes: 1 << 16))
    for exchange in HarExchange.exchanges(of: request, .completed(response), start: TransferHop.Start(), hops: []) {
        recorder.record(exchange)
    }
    guard let data = try? recorder.data(), let json = try? Json(parsing: data) else {
        preconditionFailure("a HAR file is JSON")
    }
    require(json["log"]?["entries"]?.count == 1, "each exchange has an entry")
    require(data.firstRange(of: Data(secret.utf8)) == nil, "a HAR file has no secrets")
}

func fuzzCurlCommand(_ input: UnsafeRawBufferPointer) {
    guard let request = request(input) else { return }
    require(!request.curlCommand().contains(secret), "a command has no secrets")
    let command = request.curlCommand(redaction: .none)
    guard (try? request.validate()) != nil else {
        return require(
            command.hasPrefix("#") && !command.contains(where: \.isNewline), "what can't be sent is a comment")
    }
    guard let words = shellWords(command) else { preconditionFailure("quotes are closed") }
    let place = words.firstIndex(of: "--url")
    require(place.map { words[$0 + 1] } == request.url.absoluteString, "the URL is one word")
    if let place = words.firstIndex(of: "--data-raw") {
        require(
            request.body.segments.isEmpty || words[place + 1].utf8.elementsEqual(bytes(request.body)), "so is the body")
    }
}

/// The words of a command; nil where a quote stays open.
private func shellWords(_ command: String) -> [String]? {
    var words: [String] = []
    var word: [UInt8]?
    var isQuoted = false
    var bytes = command.utf8.makeIterator()
    while let byte = bytes.next() {
        if byte == 0x27 {
            isQuoted.toggle()
            word = word ?? []
        } else if isQuoted {
            word?.append(byte)
        } else if byte == 0x20 || byte == 0x0A {
            word.map { words.append(String(decoding: $0, as: UTF8.self)) }
            word = nil
        } else if byte == 0x5C {
            if let next = bytes.next(), next != 0x0A { word = (word ?? []) + [next] }
        } else {
            word = (word ?? []) + [byte]
        }
    }
    word.map { words.append(String(decoding: $0, as: UTF8.self)) }
    return isQuoted ? nil : words
}

private func bytes(_ body: RequestBody) -> Data {
    body.segments.reduce(into: Data()) { if case .data(let data) = $1 { $0 += data } }
}

func fuzzHeaders(_ input: UnsafeRawBufferPointer) {
    let block = HeaderBlock(bytes: Array(input))
    let fields = block.fields
    require(
        fields.reduce(0) { $0 + $1.name.count + $1.value.count } <= input.count, "fields are no longer than the text")
    for field in fields.prefix(20) {
        require(!field.value.utf8.contains(0x0A), "a value is one line")
        guard field.name.utf8.allSatisfy({ $0 < 0x80 }) else { continue }
        let first = fields.first { $0.name.equalsIgnoringCase(field.name) }?.value
        require(block.firstValue(of: field.name) == first, "a field is found by its name")
    }
}

func fuzzChallenges(_ input: UnsafeRawBufferPointer) {
    let text = text(input)
    let challenges = AuthChallenge.challenges(in: text)
    var written: [String] = []
    for challenge in challenges {
        require(!challenge.scheme.isEmpty && challenge.scheme.utf8.allSatisfy { $0 > 0x20 }, "a scheme is a token")
        require(challenge.token68 == nil || challenge.parameters.isEmpty, "a token68 stands alone")
        let parameters = challenge.parameters.map { name, value in
            let escaped = value.utf8.flatMap { [0x22, 0x5C].contains($0) ? [0x5C, $0] : [$0] }
            return "\(name)=\"\(String(decoding: escaped, as: UTF8.self))\""
        }
        let data = challenge.token68.map { [$0] } ?? parameters
        written.append(data.isEmpty ? challenge.scheme : "\(challenge.scheme) \(data.joined(separator: ","))")
        for (name, value) in challenge.parameters {
            require(challenge[name.uppercased()] == value, "a parameter is found by its name in any case")
        }
    }
    let again = written.joined(separator: ", ")
    require(AuthChallenge.challenges(in: again) == challenges, "challenges read back")
}

func fuzzLinks(_ input: UnsafeRawBufferPointer) {
    let parts = texts(input)
    let fields = parts.map { WebLink.links(in: $0) }
    let written = fields.map { links in
        links.map { link in
            require(!link.target.utf8.contains(UInt8(ascii: ">")), "a target ends at the first angle bracket")
            require(
                !link.relations.isEmpty && link.relations.allSatisfy { !$0.isEmpty && link.hasRelation($0) },
                "a link has its relations")
            let parameters = link.parameters.map { name, value in
                let isAscii = name.utf8.allSatisfy { $0 < 0x80 }
                require(
                    link[isAscii ? name.uppercased() : name] == value, "a parameter is found by its name in any case")
                let escaped = value.utf8.flatMap { [0x22, 0x5C].contains($0) ? [0x5C, $0] : [$0] }
                return "; \(name)=\"\(String(decoding: escaped, as: UTF8.self))\""
            }
            return "<\(link.target)>\(parameters.joined())"
        }.joined(separator: ", ")
    }
    require(written.map { WebLink.links(in: $0) } == fields, "links read back")
    require(
        WebLink.links(in: written.joined(separator: ",")) == fields.flatMap { $0 }, "fields may be joined by commas")
    let headers = HttpHeaders(parts.map { .init(name: "Link", value: $0) })
    require(headers.links == fields.flatMap { $0 }, "each field is parsed by itself")
}

func fuzzDates(_ input: UnsafeRawBufferPointer) {
    let text = text(input)
    if let date = HttpDate(text, now: Date(timeIntervalSince1970: 1.8e9))?.date {
        require(date.timeIntervalSince1970.magnitude < 4e11, "a date is in a year of four digits")
    }
    if let validator = Validator(text) {
        require(!validator.text.utf8.contains { $0 < 0x20 || $0 == 0x7F }, "a validator is one line")
    }
}

func fuzzRanges(_ input: UnsafeRawBufferPointer) {
    guard let range = ContentRange(text(input)) else { return }
    if let part = range.part {
        require(part.lowerBound >= 0 && range.total.map { part.upperBound < $0 } ?? true, "a part is in the whole")
    }
    let part = range.part.map { "\($0.lowerBound)-\($0.upperBound)" } ?? "*"
    require(ContentRange("bytes \(part)/\(range.total?.description ?? "*")") == range, "a range reads back")
}

func fuzzRetryAfter(_ input: UnsafeRawBufferPointer) {
    let headers = HttpHeaders(zip(["Retry-After", "Date"], texts(input)).map { .init(name: $0, value: $1) })
    if let delay = RetryAfter(headers)?.delay {
        require(delay >= .zero && delay < .seconds(1e12), "a delay can be waited for")
    }
}

func fuzzQuery(_ input: UnsafeRawBufferPointer) {
    var values: [String: QueryValue] = [:]
    let parts = texts(input)
    for index in stride(from: 0, to: parts.count - 1, by: 2) { values[parts[index]] = .string(parts[index + 1]) }
    let query = QueryEncoder().encode(values)
    require(query.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x23 }, "a query can stand in a URL")
    let pairs = query.isEmpty ? [] : query.split(separator: "&", omittingEmptySubsequences: false)
    require(pairs.count == values.count, "each value is one pair")
    for pair in pairs {
        let sides = pair.split(separator: "=", omittingEmptySubsequences: false).map {
            decoded($0)
        }
        guard sides.count == 2, let name = sides[0], let value = sides[1] else {
            preconditionFailure("a pair reads back")
        }
        require(values[name] == .string(value), "a pair reads back as it was")
    }
}

func fuzzUrls(_ input: UnsafeRawBufferPointer) {
    let path = text(input)
    for text in ["https://host.example", "http://user@host.example:8080/a/?q=1#f", "https://host.example/a/"] {
        guard let base = URL(string: text), let url = try? base + path else { continue }
        require(url.scheme == base.scheme && url.host == base.host && url.port == base.port, "the origin stays")
        require(url.user == base.user, "so does the user")
        require((try? url + "") == url, "an empty path changes nothing")
    }
}

func fuzzUrlText(_ input: UnsafeRawBufferPointer) {
    let prefixes = ["", "https://", "http://host.example/", "//", "https://[", "https://host.example/?q=", "http://ü"]
    guard let base = UrlText("http://user@host.example/a/b?c#d".utf8) else { preconditionFailure("a URL is read") }
    for prefix in prefixes {
        guard let url = UrlText(Array(prefix.utf8) + input) else { continue }
        let bytes = url.bytes
        require(UrlText(bytes) == url, "what was written is read without a change")
        require(bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "a URL is printable ASCII")
        for index in bytes.indices where bytes[index] == 0x25 {
            require(Percent.escaped(in: bytes[...], at: index) != nil, "each % begins an escape")
        }
        let text = String(decoding: bytes, as: UTF8.self)
        require(URL(url)?.absoluteString == text, "Foundation takes it as it is")
        require(Origin(plain: URL(url) ?? fuzzedUrl).map { $0.isAt(url.host, $0.port) } ?? true, "the host is the same")
        let resolved = base.resolving(url)
        require(UrlText(resolved.bytes) == resolved, "a resolved reference is read without a change")
        require(base.resolving(resolved) == resolved, "it is resolved already")
    }
}

private let fuzzedUrl = URL(fileURLWithPath: "/")

extension UrlText {
    fileprivate var host: String { String(decoding: authority?.host ?? [], as: UTF8.self) }
}

func fuzzMultipart(_ input: UnsafeRawBufferPointer) {
    let parts = texts(input)
    let boundary = "netchain-fuzz-boundary"
    guard !text(input).contains(boundary) else { return }
    var fields = parts.prefix(8).map { MultipartPart(name: $0, filename: $0, content: .data(Data($0.utf8))) }
    fields.append(MultipartPart(name: "password", content: .data(Data((text(input) + secret).utf8))))
    let encoder = MultipartEncoder(boundary: boundary)
    guard let body = try? encoder.encode(fields) else { preconditionFailure("parts in memory can be written") }
    let outline = MultipartOutline(body, contentType: encoder.contentType)?.fields ?? []
    require(outline.count == fields.count, "each part has a field")
    require(
        outline.last?.size == Int64(input.count == 0 ? secret.utf8.count : Data((text(input) + secret).utf8).count),
        "of its size")
    let masked = Redaction.standard.body(bytes(body), contentType: encoder.contentType)
    require(masked.firstRange(of: Data(secret.utf8)) == nil, "what a field with a secret name holds is masked")
    _ = MultipartOutline(.data(Data(input)), contentType: encoder.contentType)
    _ = MultipartOutline(.data(Data(input)), contentType: text(input))
}

/// The text of a percent-encoded one.
private func decoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
        guard byte == 0x25 else {
            bytes.append(byte)
            continue
        }
        guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else { return nil }
        rest = rest.dropFirst(2)
        bytes.append(value)
    }
    return String(validating: bytes, as: UTF8.self)
}
