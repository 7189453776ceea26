// What the compiler says about calls that a new user gets wrong, and calls that it must accept.
//
// `Scripts/check.sh messages` type-checks this file, and fails on any other error or warning.

import NetChainKit
import NetChainTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct Plain: Sendable {
    var id = 1
}

final class Box: Encodable {
    let id = 1
}

func results(_ api: ApiClient) async throws {
    let (a, b) = try await api.get("x").send()  // error: send() returns one value: let response = try await
    let (c, d) = try await api.post("x").body(["a": 1, "b": "x"]).send()  // error: send() returns one value
    let e: Plain = try await api.get("x").send()  // error: the result of a request must be Decodable
    _ = try await api.get("x", as: Int.self)  // error: write try await get(path).send(as: User.self)
    let f = try await api.get("x").send(as: Plain.self)  // error: the result of a request must be Decodable
    let g = api.get("x").process(as: Plain.self)  // error: the result of a request must be Decodable
    let h = api.get("x").chain(as: Plain.self)  // error: the result of a request must be Decodable
    let i: [String: Any] = try await api.get("x").send()  // error: the result of a request must be Decodable
    _ = (a, b, c, d, e, f, g, h, i)
    try await api.post("x").send(as: Void.self)  // error: write try await request.send(): its response may be ignored
    _ = try await api.get("x").send().body  // error: renamed to 'value'
    _ = try await api.get("x").bytes()  // error: renamed to 'stream()'

    for try await piece in try await api.get("x").stream() { print(piece.count) }
}

func streams(_ api: ApiClient) async throws {
    _ = api.get("x").sse()  // error: renamed to 'events(until:reconnecting:silenceLimit:)'
    _ = api.get("x").lines()  // error: write lines(of: Row.self) for JSON, or try await stream().lines for text
    _ = api.get("x").jsonLines(as: Int.self)  // error: write lines(of: Row.self)
    _ = api.get("x").elements(as: Int.self, at: "a")  // error: write elements(of: Row.self, at: "data", "rows")
    _ = api.get("x").pages(as: [Int].self)  // error: write pages(as: [Item].self, by: .link)
    _ = api.get("x").lines(maxLength: 1)  // error: write lines(of: Row.self, limit: bytes)
    _ = api.get("x").retry(until: { (done: Bool) in done })  // error: write poll(every: time, until: { … })
    _ = api.get("x").events(of: Int.self)  // error: write events(as: Model.self)
    _ = api.get("x").paginate(as: [Int].self)  // error: write items(of: Item.self, by: .link)
    for try await event in api.get("x").events() { print(event.type) }  // error: renamed to 'name'
    print(try await api.get("x").send().isSuccess)  // error: it is one: send() throws an HttpError
    print(try await api.get("x").send().ok)  // error: it is: send() throws an HttpError
    print(try await api.get("x").send().header("ETag") ?? "")  // error: write response.headers[name]
    try await api.get("x").download(to: "/tmp/x")  // error: write download(to: URL(filePath: path))
    print(try await api.get("x").send().text)  // error: write send(as: String.self)
    _ = api.retry(.exponential(on: [500]))  // error: write exponential(alsoOn: [500])
    _ = try await api.get("x").stream().value.collect()  // error: write send() in place of stream()
    _ = try await api.get("x").lines(of: Int.self).collect()  // error: write try await values.reduce(into: [])
    _ = api.get("x").items(of: Int.self, by: .page("page"))  // error: renamed to 'pageNumber(_:from:)'

    for try await line in try await api.get("x").stream().lines { print(line.count) }
    for try await line in try await api.get("x").stream().value.lines { print(line.count) }
    for try await row in api.get("x").lines(of: Int.self) { print(row) }
    for try await row in api.get("x").elements(of: Int.self, at: "a", "b") { print(row) }
    for try await value in api.get("x").events(as: Int.self) { print(value) }
    for try await item in api.get("x").items(of: Int.self, at: "items", by: .cursor("a") { $0.value.json["b"]?.string })
    {
        print(item)
    }
    for try await item in api.get("x").items(of: Int.self, by: .longPoll("since") { $0.value.last }) { print(item) }
}

func headers(_ headers: HttpHeaders) {
    _ = headers.keys  // error: write headers.map(\.name)
    _ = headers.contains("ETag")  // error: write headers[name] != nil
    _ = headers.names  // error: write headers.map(\.name)
    _ = headers.location  // error: read response.location: a whole URL
    _ = headers.link(rel: "next")  // error: read response.link("next"): a whole URL
    _ = headers.contentType  // error: write headers["Content-Type"]
    var changed = headers
    changed.set("A", "b")  // error: write headers[name] = value
    changed.remove("A")  // error: write headers[name] = nil
    _ = ApiClient("https://a.example") { $0.headers.remove("A") }  // error: write headers[name] = nil
    print(HttpHeaders(headers.filter { $0.name != "A" }), HttpHeaders([:]), HttpHeaders([]))
    for (name, value) in headers { print(name, value) }
    for field in headers { print(field.name, field.value) }
    print(headers.count, headers.isEmpty, headers.map(\.name))
}

func errors(_ send: () throws -> Void) {
    do {
        try send()
    } catch HttpError.notFound {
    } catch HttpError.tooManyRequests {  // error: write HttpError.other(status: 429, _)
    } catch let error as HttpError {
        print(error.body)  // error: renamed to 'response.data'
        print(error.headers)  // error: renamed to 'response.headers'
        switch error {
        case .conflict: break  // error: write HttpError.other(status: 409, _)
        case .notFound: break
        case .other(status: 503, _): break
        default: break
        }
    } catch let error as any NetChainFailure {
        print(error.isCanceled)  // error: a canceled request throws a CancellationError
        print(error.isCancelled)  // error: a canceled request throws a CancellationError
    } catch {
    }
}

func json(_ json: Json, _ box: Box, _ values: [String: Any], _ name: String, _ count: Int) throws {
    _ = Json(Data())  // error: write try Json(parsing: data)
    _ = Json.parse(Data())  // error: write try Json(parsing: data)
    _ = Json(box)  // error: write try Json(encoding: value)
    _ = Json(values)  // error: write try Json(encoding: [name: value])
    _ = Json(["a": name, "b": count])  // error: write try Json(encoding: [name: value])
    _ = json.keys  // error: write json.members.map(\.key)
    _ = json["a"]?.int64  // error: write json.integer(Int64.self)
    _ = json["a"]?.stringValue  // error: renamed to 'string'
    _ = json["a"]?.intValue  // error: renamed to 'int'
    _ = json.prettyPrinted  // error: write String(decoding: json.serialized([.prettyPrinted

    _ = try Json(encoding: ["a": name, "b": count, "c": nil])
    _ = try (Json(encoding: box), Json(encoding: ["a": 1]), Json(encoding: ["a", "b"]))
    _ = (Json(["a": "b", "c": 1]), Json(["a", 1]), Json(name), Json(count))
    _ = (["a"].map { Json($0) }, [1].map(Json.init))
}

struct Part: Decodable {
    var id: Int
}

struct Fast: JsonReadable {
    var a: Part
    var b: Part?
    var c: [Part]
    var d: Int?

    init(json: inout JsonInput) throws {
        a = try json["a"]  // error: a type that is Decodable only is read by json.decode("key")
        b = try json["b"]  // error: a type that is Decodable only is read by json.decode("key")
        d = try json["d"]?.int  // error: a member has the type of its property
        c = try json.decode("c")
        d = try json["d"]
    }
}

func testKit(_ server: LoopbackServer, _ exchange: ScriptedRequestSender.Exchange, _ name: String) throws {
    exchange.respond(text: "a")  // error: write respond(.text(…))
    exchange.respond(data: Data())  // error: write respond(body: data)
    exchange.fail(.timeout)  // error: renamed to 'requestTimedOut'
    exchange.fail(.noInternetConnection)  // error: renamed to 'noNetwork'
    exchange.fail(TechnicalError.noInternetConnection)  // error: write fail(.noNetwork), fail(.requestTimedOut)
    _ = exchange.request.body.data  // error: write try request.body.read()
    server.get("/a") { _ in .json("{}") }  // error: write server.on(.get, path) { request in … }
    server.on(.get, "/a", respond: .sequence([.text("a")]))  // error: write server.on(.get, path, inOrder:
    server.on(.get, "/a", respond: .closeConnection)  // error: 'closeConnection' has been renamed to 'close'
    _ = server.baseURL  // error: renamed to 'url'
    server.on(.post, "/a") { request in .json(try request.decode(Int.self)) }  // error: write try request.json.decode

    server.on(.get, "/a") { _ in .json(["a": 1]) }
    server.on(.get, "/a/:id") { .json(["a": $0.parameters["id"], "b": 1, "c": nil]) }
    server.on(.get, "/c", respond: .json([["a": 1, "b": "x"]]))
    server.on(.get, "/d", respond: .lines([["a": 1], ["a": 2]]))
    exchange.respond(json: ["a": 1, "b": name])
    print(try exchange.request.json["a"] ?? 1)
    server.on(.post, "/b") { request in .json(["a": try request.json["a"]?.int]) }
    exchange.respond(json: "{}", headers: ["ETag": "1"])
    exchange.respond(.json("{}", status: 404))
    exchange.respond(.json(["a": 1]))
}

func tokens(_ tokens: TokenStore) {
    _ = tokens.current  // error: renamed to 'pair'
}

func bodies(_ api: ApiClient, _ values: [String: Any], _ name: String, _ text: String?) {
    _ = api.post("x").body(values)  // error: values of type Any have no form in JSON: write the literal in the call
    _ = api.post("x").body(Plain())  // error: the body of a request must be Encodable and Sendable
    _ = api.post("x").body(Box())  // error: type 'Box' does not conform to the 'Sendable' protocol
    _ = api.post("x").body(["a": 1, "b": Plain()])  // error: values of type Any have no form in JSON

    _ = api.post("x").json(["a": 1])  // error: a body is sent as JSON by body(…)
    _ = api.post("x").body(file: URL(filePath: "/a"))  // error: write body(.file(url))
    _ = api.post("x", body: ["a": 1])  // error: write post(path).body(value)
    _ = api.get("x", query: ["a": 1])  // error: write get(path).query([name: value])
    _ = api.get("x").query([URLQueryItem(name: "a", value: "b")])  // error: write query([name: value])
    _ = api.post("x").body(.text("a"), contentType: "text/plain")  // error: write .data(Data(text.utf8))
    _ = api.post("x").multipart { _ in }  // error: append to a MultipartModel and write body(form)
    _ = api.get("x").accept("text/html")  // error: write header("Accept", type)
    _ = api.post("x").contentType("text/csv")  // error: write body(bytes, contentType: type)
    _ = api.bearer("t")  // error: write auth(.bearer(token))

    _ = try? api.post("x").body(.file(URL(filePath: "/a"), range: 0...9))
    _ = try? api.post("x").body(.file(URL(filePath: "/a"), range: 10...))
    _ = api.post("x").body(["a": 1, "b": "x"])
    _ = api.post("x").body(["a": 1, "b": name, "c": text, "d": nil, "e": Date.now, "f": ["x"], "g": true])
    _ = api.post("x").body(["a": 1, "b": ["c": "x", "d": 2.5, "e": nil]])
    _ = api.post("x").body([1, "a"])
    _ = api.post("x").body(["a": name])
    _ = api.post("x").body(["a": "b"])
    _ = api.post("x").body("text").body(1).body(true).body([1, 2]).body(Data())
}

func caching(_ api: ApiClient, _ cache: HttpCache, _ outcome: CacheOutcome) async throws {
    _ = api.get("x").caching(.noStore)  // error: 'noStore' has been renamed to 'none'
    _ = api.get("x").caching(.noCache)  // error: 'noCache' has been renamed to 'revalidate'
    _ = api.get("x").caching(.offline)  // error: 'offline' has been renamed to 'onlyIfCached'
    _ = api.get("x").caching(.returnCacheDataElseLoad)  // error: write .staleAtMost(time), with the age that you accept
    _ = outcome.isHit  // error: write isStored, or age != nil where the server was not asked
    cache.clear()  // error: 'clear()' has been renamed to 'removeAll()'
    cache.remove(prefix: "https://a.example/")  // error: write remove { $0.key.url.hasPrefix(prefix) }
    cache.remove("https://a.example/")  // error: write remove(for: url), with a URL
    _ = api.get("x").caching(.staleIfError)  // error: it is so by itself where the response allows it
    _ = api.get("x").caching(.cacheThenNetwork)  // error: write cacheThenNetwork(as: User.self) in place of send()
    print(try await api.get("x").send().isFromCache)  // error: read response.cache?.isStored
    _ = try await cache.usage()  // error: read await cache.statistics
    _ = try HttpCache(directory: URL(filePath: "/a"))  // error: write try HttpCache(folder: url, limit: bytes)
    _ = try HttpCache(folder: URL(filePath: "/a"))  // error: write try HttpCache(folder: url, limit: bytes)
    _ = ApiClient("https://a.example") { $0.cache = .memory(1) }  // error: write HttpCache(memory: bytes)
    _ = try ApiClient("x") { $0.cache = .folder(URL(filePath: "/a"), limit: 1) }  // error: write try HttpCache(folder:
    for try await _ in api.get("x").cacheThenNetwork(Int.self) {}  // error: write cacheThenNetwork(as: User.self)

    _ = api.get("x").caching(.revalidate).caching(.staleAtMost(.seconds(1)))
    try await cache.remove { $0.key.url.hasPrefix("https://a.example/") }
}

func configurations(
    _ settings: inout RequestSettings, _ api: ApiClient, _ recorder: HarRecorder, _ coder: any BodyCoder
) {
    settings.header("A", "b")  // error: settings are properties here: $0.headers[name] = value
    settings.middleware { try await $1($0) }  // error: here it is $0.add(at: …) { request, next in … }
    settings.record(to: recorder)  // error: call it on the client: ApiClient(url) { … }.record(to: …)
    settings.insert(at: .attempt) { $0 }  // error: call it on the client: ApiClient(url) { … }.insert(at: …)
    settings.add(at: .attempt) { try await $1($0) }  // error: 'attempt' has been renamed to 'aroundAttempt'
    _ = api.middleware(at: .request) { try await $1($0) }  // error: 'request' has been renamed to 'aroundRequest'
    _ = api.log(masking: ["X-Key"])  // error: write log(redaction: .standard.adding(headers: names))
    settings.log(to: .silent)  // error: settings are properties here: $0.log.sink = …
    settings.run(on: .concurrent, callbacks: .concurrent)  // error: settings are properties here: $0.work = …
    settings.timeout(.seconds(1))  // error: settings are properties here: $0.timeout = …
    settings.coder(coder)  // error: settings are properties here: $0.coders = [coder]
    settings.coder = coder  // error: settings are properties here: $0.coders = [coder]
    settings.rateLimit(50, per: .seconds(1))  // error: settings are properties here: $0.rateLimit = RateLimit(…)
    settings.rateLimit(.following(.github))  // error: settings are properties here: $0.rateLimit = …
    settings.concurrencyLimit(8)  // error: settings are properties here: $0.concurrencyLimit = ConcurrencyLimit(…)
    settings.auth(.bearer("t"))  // error: settings are properties here: $0.auth = …
    settings.retry(.exponential())  // error: settings are properties here: $0.retry = …
    settings.repeatable()  // error: settings are properties here: $0.isRepeatable = true
    settings.headers(["A": "b"])  // error: settings are properties here: $0.headers[name] = value
    settings.query("a", "b")  // error: settings are properties here: $0.query[name] = value
    settings.query(["a": "b"])  // error: settings are properties here: $0.query[name] = value
    settings.acceptedStatuses(.successful)  // error: settings are properties here: $0.acceptedStatuses = …
    settings.caching(.reload)  // error: settings are properties here: $0.caching = …
    settings.cache(HttpCache(memory: 1))  // error: settings are properties here: $0.cache = …
    _ = ApiClient("x") { $0.json { $0.decoder = JsonDecoder() } }  // error: settings are properties here: $0.json
    _ = api.json { $0.decoder = JsonDecoder() }  // error: write json(JsonCoders(decoder: …, encoder: …))
    settings.log.level = .debug  // error: write $0.log.filter.level = …
    settings.log(level: .debug)  // error: settings are properties here: $0.log.filter.level = …
    _ = api.post("x").idempotencyKey("key")  // error: write header("Idempotency-Key", key).repeatable()
    _ = api.retry(.exponential(maxAttempts: 4, statuses: [500]))  // error: write exponential(alsoOn: [500])
    _ = api.retry(.exponential(maxAttempts: 4, on: [500]))  // error: write exponential(alsoOn: [500])
    _ = api.retry(.fixed(.seconds(1)))  // error: 'fixed(_:maxAttempts:)' has been renamed to 'constant(_:maxAttempts:)'
    _ = api.post("x").repeatable("key")  // error: write header("Idempotency-Key", key).repeatable()
    settings.log = .silent  // error: write $0.log.sink = .silent
    settings.retry = .exponentially  // error: has no member 'exponentially'

    _ = ApiClient("https://a.example", builder: { UrlChainsBuilder() })
    _ = ApiClient("https://a.example", builder: { UrlChainsBuilder() }) { $0.timeout = .seconds(1) }
    _ = ApiClient("https://a.example") { $0.timeout = .seconds(1) }
}
