public import HttpMessages
public import Logging

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HttpRequest {
    /// Returns a bash command line with which curl sends the same request as the library's sender: method, target,
    /// headers and body.
    ///
    /// ```swift
    /// print(request.curlCommand(redaction: .none))
    /// // curl --globoff --url 'http://api.example.com/users' \
    /// //     --header 'Accept-Language: en' …
    /// ```
    ///
    /// - A masked value is sent as `***`. A request without secrets, or with `Redaction.none`, is reproduced byte for
    ///   byte. In a binary body, masking may replace data that only resemble a secret.
    /// - For a request that no sender can send, the result is a comment with the reason.
    /// - The command reads files from their paths when it runs. The shell assembles a multipart form with files and
    ///   pipes it into curl.
    /// - Redirects are followed only with `followsRedirects`. Timeouts, limits and the sender's cookies are not
    ///   included.
    ///
    /// - Parameters:
    ///   - redaction: how secrets are masked, in addition to the request's own `RequestOptions.redaction` and the
    ///     configuration's `redirects.sensitiveHeaders`; `Redaction.none` masks nothing.
    ///   - configuration: that of the sender. It determines the `User-Agent`, compression, HTTP version, proxy and
    ///     trust. A client certificate is named by its path, without its password. The minimum version of TLS to the proxy
    ///     is not included, because curl has no option for it.
    ///   - followsRedirects: adds `--location`. curl then keeps an explicit method, while the library's senders change
    ///     it after a 303.
    public func curlCommand(
        redaction: Redaction = .standard, configuration: CurlConfiguration = CurlConfiguration(),
        followsRedirects: Bool = false
    ) -> String {
        if let problem { return "# This can't be sent: \(problem.reason)" }
        do { try configuration.shared.validateUserAgent() } catch { return "# This can't be sent: \(error)" }
        let secrets = configuration.redirects.declaredSecrets.union(options.secretHeaders)
        let redaction = redaction.merging(options.redaction).adding(headers: secrets.sorted())
        let input = CurlInput(body, contentType: headers["Content-Type"] ?? "", redaction: redaction)
        // curl's own globbing would take brackets in the query for ranges.
        let text = url.normalized.absoluteString
        var arguments = ["--globoff", "--url \(Shell.quoted(redaction.url(text)))"]
        // curl would remove dot segments, escaped ones since 8.14, too. The senders send them.
        if text.contains("/.") || text.lowercased().contains("/%2e") { arguments.append("--path-as-is") }
        arguments += methodArguments
        arguments += headerArguments(configuration, redaction)
        if configuration.compression {
            let isForPart = headers["Range"] != nil && headers["Accept-Encoding"] == nil
            arguments.append(isForPart ? "--header 'Accept-Encoding: identity'" : "--compressed")
        }
        if followsRedirects { arguments.append("--location") }
        arguments += targetArguments(configuration, redaction)
        arguments += configuration.curlArguments
        if sendsBody { arguments.append(input.argument) }
        return input.pipe + "curl " + arguments.joined(separator: " \\\n    ")
    }

    /// Why no sender can send the request; nil when one can. A stream that was read is no reason: the command reads its
    /// own input.
    private var problem: TransportError? {
        do throws(TransportError) {
            try validate()
            return nil
        } catch {
            return error.code == .bodyAlreadySent ? nil : error
        }
    }

    /// Whether the sender sends a body. These methods do, even if it is empty (RFC 9110 §8.6).
    private var sendsBody: Bool {
        !body.isEmpty || method == .post || method == .put || method == .patch
    }

    private var methodArguments: [String] {
        if sendsBody { return method == .post ? [] : ["--request \(Shell.word(method.rawValue))"] }
        if method == .get { return [] }
        return method == .head ? ["--head"] : ["--request \(Shell.word(method.rawValue))"]
    }

    /// The proxy, or the Unix domain socket, which has none.
    private func targetArguments(_ configuration: CurlConfiguration, _ redaction: Redaction) -> [String] {
        #if os(Linux)
        if let path = options.unixSocket { return ["--unix-socket \(Shell.quoted(path))", "--noproxy '*'"] }
        #endif
        return configuration.proxyArguments(redaction)
    }

    private func headerArguments(_ configuration: CurlConfiguration, _ redaction: Redaction) -> [String] {
        func has(_ name: String) -> Bool { headers[name] != nil }
        var fields = redaction.headers(headers.fieldsToSend.map { ($0.name, $0.value) })
        // For the proxy only, as the senders send it.
        let proxyFields = fields.filter { $0.0.equalsIgnoringCase("Proxy-Authorization") }
        fields.removeAll { $0.0.equalsIgnoringCase("Proxy-Authorization") }
        // A name with a colon alone keeps curl from adding its own field.
        var lines = HttpHeaders.curlLines(fields.map { (name: $0.0, value: $0.1) })
        if !has("User-Agent") {
            lines.append(configuration.userAgent.map { "User-Agent: \($0)" } ?? "User-Agent:")
        }
        if sendsBody {
            if !has("Content-Type") { lines.append("Content-Type:") }
            if !has("Expect") { lines.append("Expect:") }
        }
        let proxyLines = HttpHeaders.curlLines(proxyFields.map { (name: $0.0, value: $0.1) })
        return lines.map { "--header \(Shell.quoted($0))" }
            + proxyLines.map { "--proxy-header \(Shell.quoted($0))" }
    }
}

extension CurlConfiguration {
    fileprivate func proxyArguments(_ redaction: Redaction) -> [String] {
        switch proxy {
        case .environment: []
        case .none: ["--noproxy '*'"]
        // `no_proxy` concerns only the proxy of the environment.
        case .url(let url): ["--proxy \(Shell.quoted(redaction.url(url.absoluteString)))", "--noproxy ''"]
        }
    }

    /// The other settings that differ from curl's defaults.
    fileprivate var curlArguments: [String] {
        var arguments: [String] = []
        switch httpVersion {
        case .automatic: break
        case .http1: arguments.append("--http1.1")
        case .http2PriorKnowledge: arguments.append("--http2-prior-knowledge")
        }
        if tls.minimumVersion == .tls13 { arguments.append("--tlsv1.3") }
        if !tls.pins.isEmpty { arguments.append("--pinnedpubkey \(Shell.quoted(tls.curlPins))") }
        if !tls.verifiesServer { arguments.append("--insecure") }
        if case .file(let file) = tls.trustRoots { arguments.append("--cacert \(Shell.quoted(file.path))") }
        if !tls.proxy.verifiesServer { arguments.append("--proxy-insecure") }
        if case .file(let file) = tls.proxy.trustRoots {
            arguments.append("--proxy-cacert \(Shell.quoted(file.path))")
        }
        if let certificate = tls.clientCertificate {
            arguments.append("--cert \(Shell.quoted(escapedForCert(certificate.certificate.path)))")
            arguments.append("--key \(Shell.quoted(certificate.key.path))")
        }
        return arguments
    }

    /// A path as curl reads it after `--cert`: an unescaped colon would begin the password
    /// (`parse_cert_parameter` in curl's tool_getparam.c). `--key` and `--cacert` take paths as they are.
    private func escapedForCert(_ path: String) -> String {
        // By scalars: a colon with a combining mark is one `Character`, but still a colon for curl.
        var escaped = ""
        for scalar in path.unicodeScalars {
            if scalar == "\\" || scalar == ":" { escaped += "\\" }
            escaped.unicodeScalars.append(scalar)
        }
        return escaped
    }
}
