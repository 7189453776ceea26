public import Logging
public import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HttpRequest {
    /// The request as a command line for bash and curl, secrets masked: ``curlCommand(redaction:configuration:followsRedirects:)``.
    public var curlCommand: String {
        curlCommand()
    }

    /// The request as a command line that can be pasted into bash and makes curl send what the library's own sender
    /// sends: method, target, headers and body.
    ///
    /// ```swift
    /// print(request.curlCommand(redaction: .none))
    /// // curl --globoff --url 'http://api.example.com/users' \
    /// //     --header 'Accept-Language: en' …
    /// ```
    ///
    /// - What is masked is sent as `***`. A request without secrets, or with `Redaction.none`, is reproduced byte for
    ///   byte; in a body that holds binary data the rules may mask what only looks like a secret.
    /// - A request that no sender would send is a comment that says why.
    /// - Files stay files: the command reads them from their paths when it runs. So does a multipart form with files,
    ///   which is put together by the shell and piped into curl.
    /// - Redirects are not followed unless asked for; timeouts and limits are left out. Cookies that the sender keeps are
    ///   not known here.
    ///
    /// - Parameters:
    ///   - redaction: how secrets are masked, by the names of the request's own `RequestOptions.redaction` too;
    ///     `Redaction.none` masks nothing.
    ///   - configuration: the sender's; the `User-Agent`, compression, HTTP version, proxy and trust come from it.
    ///     A client certificate is named by its path, its password is left out.
    ///   - followsRedirects: adds `--location`. curl keeps the method of a request that names one, which the library's
    ///     senders do not for a 303.
    public func curlCommand(
        redaction: Redaction = .standard, configuration: SenderConfiguration = SenderConfiguration(),
        followsRedirects: Bool = false
    ) -> String {
        if let problem { return "# This can't be sent: \(problem.reason)" }
        do { try configuration.validateUserAgent() } catch { return "# This can't be sent: \(error)" }
        let redaction = redaction.merging(options.redaction)
        let input = CurlInput(body, contentType: headers["Content-Type"] ?? "", redaction: redaction)
        // curl's own globs would take brackets in the query for ranges.
        var arguments = ["--globoff", "--url \(Shell.quoted(redaction.url(url.absoluteString)))"]
        arguments += methodArguments
        arguments += headerArguments(configuration, redaction)
        if configuration.compression {
            let isForPart = headers["Range"] != nil && headers["Accept-Encoding"] == nil
            arguments.append(isForPart ? "--header 'Accept-Encoding: identity'" : "--compressed")
        }
        if followsRedirects { arguments.append("--location") }
        arguments += configuration.curlArguments(redaction)
        if sendsBody { arguments.append(input.argument) }
        return input.pipe + "curl " + arguments.joined(separator: " \\\n    ")
    }

    /// Why no sender sends it; nil when one does. That a stream was read before is no reason: the command reads another.
    private var problem: TransportError? {
        do throws(TransportError) {
            try validate()
            return nil
        } catch {
            return error.code == .bodyAlreadySent ? nil : error
        }
    }

    /// As the sender sees it: these methods mean a body, be it one of no bytes (RFC 9110 §8.6).
    private var sendsBody: Bool {
        !body.isEmpty || method == .post || method == .put || method == .patch
    }

    private var methodArguments: [String] {
        if sendsBody { return method == .post ? [] : ["--request \(Shell.word(method.rawValue))"] }
        if method == .get { return [] }
        return method == .head ? ["--head"] : ["--request \(Shell.word(method.rawValue))"]
    }

    private func headerArguments(_ configuration: SenderConfiguration, _ redaction: Redaction) -> [String] {
        func has(_ name: String) -> Bool { headers[name] != nil }
        let fields = redaction.headers(headers.withoutFraming.fields.map { ($0.name, $0.value) })
        // A name with a colon alone keeps curl from adding its own.
        var lines = HttpHeaders.curlLines(fields.map { (name: $0.0, value: $0.1) })
        if !has("User-Agent") {
            lines.append(configuration.userAgent.map { "User-Agent: \($0)" } ?? "User-Agent:")
        }
        if sendsBody {
            if !has("Content-Type") { lines.append("Content-Type:") }
            if !has("Expect") { lines.append("Expect:") }
        }
        return lines.map { "--header \(Shell.quoted($0))" }
    }
}

extension SenderConfiguration {
    /// What differs from curl's own ways.
    fileprivate func curlArguments(_ redaction: Redaction) -> [String] {
        var arguments: [String] = []
        switch httpVersion {
        case .automatic: break
        case .http1: arguments.append("--http1.1")
        case .http2PriorKnowledge: arguments.append("--http2-prior-knowledge")
        }
        switch proxy {
        case .environment: break
        case .none: arguments.append("--noproxy '*'")
        case .url(let url):
            // `no_proxy` of the environment is about the environment's proxy.
            arguments += ["--proxy \(Shell.quoted(redaction.url(url.absoluteString)))", "--noproxy ''"]
        }
        if tls.minimumVersion == .tls13 { arguments.append("--tlsv1.3") }
        if !tls.pins.isEmpty { arguments.append("--pinnedpubkey \(Shell.quoted(tls.curlPins))") }
        if !tls.verifiesServer { arguments.append("--insecure") }
        if case .file(let file) = tls.authorities { arguments.append("--cacert \(Shell.quoted(file.path))") }
        if let certificate = tls.clientCertificate {
            arguments.append("--cert \(Shell.quoted(certificate.certificate.path))")
            arguments.append("--key \(Shell.quoted(certificate.key.path))")
        }
        return arguments
    }
}
