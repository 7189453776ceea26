#if os(Linux)
import CNetChainCurl
import NodeCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How a sender works, behind one reference: each transfer has it.
final class CurlSenderSettings: Sendable {
    let configuration: SenderConfiguration
    /// Whether there is a proxy to look for.
    let hasProxy: Bool
    private let usualBody = Atomic(0)
    /// The address of a ``KnownOrigin`` that is kept here, or 0. `AtomicLazyReference` looks its type up with each load.
    private let knownOrigin = Atomic(0)

    init(_ configuration: SenderConfiguration) {
        self.configuration = configuration
        hasProxy =
            switch configuration.proxy {
            case .environment: netchain_environment_has_proxy() != 0
            case .none: false
            case .url: true
            }
    }

    deinit {
        Self.known(at: knownOrigin.load(ordering: .acquiring))?.release()
    }

    /// The origin of `url`, and whether that is a plain one.
    func origin(of url: URL) -> (origin: Origin, isPlain: Bool) {
        let known = Self.known(at: knownOrigin.load(ordering: .acquiring))
        let origin = known?._withUnsafeGuaranteedRef { $0.isOrigin(of: url) ? $0.origin : nil }
        if let origin { return (origin, true) }
        let read = Origin.read(url)
        if known == nil, read.isPlain, let new = KnownOrigin(read.origin, of: url) { remember(new) }
        return read
    }

    /// Whether an origin is remembered.
    var hasKnownOrigin: Bool {
        knownOrigin.load(ordering: .acquiring) != 0
    }

    private static func known(at address: Int) -> Unmanaged<KnownOrigin>? {
        UnsafeRawPointer(bitPattern: address).map { .fromOpaque($0) }
    }

    /// Remembers the first one.
    private func remember(_ origin: KnownOrigin) {
        let new = Unmanaged.passRetained(origin)
        let address = Int(bitPattern: new.toOpaque())
        let (isFirst, _) = knownOrigin.compareExchange(expected: 0, desired: address, ordering: .acquiringAndReleasing)
        if !isFirst { new.release() }
    }

    /// Bytes that the next small body may have, by the last one; 0 where bodies are large.
    var usualBodySize: Int { usualBody.load(ordering: .relaxed) }

    /// Notes the size of a body, in bytes.
    func noteBody(_ size: Int64) {
        // glibc's threads keep up to 1032 bytes; more goes back at once to where it was taken.
        let usual = size <= 1024 ? Int(size) : 0
        // Others read it all the while, and would fetch it anew.
        if usual != usualBodySize { usualBody.store(usual, ordering: .relaxed) }
    }
}

/// When things happened that only some transfers need to know: a plain one spares the looks at the clock.
final class Moments {
    /// When the hop was handed to libcurl.
    let start = Moment.now
    var lastProgress: Moment?
    /// When the first byte of the answer came.
    var firstByte: Moment?
    /// When the last byte of the request went out, by the clock of the journal.
    var lastSent: ContinuousClock.Instant?
}

/// One request on its way: what is sent, what has come, and who waits for it.
///
/// Made on the caller's thread; from its submission on, all that changes belongs to the loop's thread alone. A file's
/// queue reads what was set before the submission, and calls ``tell(_:)`` after all changes; ``cancel()`` may be called
/// anywhere.
final class CurlTransfer: Cancelable, @unchecked Sendable {  // the loop's after its submission; the rest is let
    /// The request, with the number of its sending.
    private(set) var request: HttpRequest
    /// Who waits for the answer. Changed for a stream alone, whose answer is settled on the loop's thread.
    private(set) var context = Context<HttpResponse>()
    let sender: CurlSenderSettings
    let origin: Origin
    /// When the request has taken too long; nil for no limit.
    let deadline: Moment?
    /// Where it waits for its turn, or has one.
    var line: CurlAdmission.Line?
    /// Its place among those that its loop runs, or opens files for, or among those that wait in its line.
    var place = 0

    /// What is sent now: the request itself, or what a redirect made of it.
    @exclusivity(unchecked) var hop: HttpRequest
    var easy: CurlEasyHandle?
    var redirects = 0
    /// Whether a redirect has led to another origin. What is for the request's origin doesn't come back with a way back.
    var hasLeftOrigin = false
    /// Whether this hop was sent, as far as libcurl told.
    var wasSent = false
    /// The sockets of the loop that the transfer runs on, the one that the hop was sent over last, and the one that was
    /// opened for it last.
    var sockets: CurlSockets?
    var descriptor: Int32?
    var openedDescriptor: Int32?
    /// Whether the connection that the hop should have gone over was no good any more, so that nothing was sent.
    var isConnectionSpoiled = false
    /// Whether the connection died without an answer and libcurl was kept from sending the hop again.
    var hasLostConnection = false
    /// Whether this hop is sent again, after its connection died, and needs a new one.
    var isSecondTry = false

    // The loop's thread never begins an access within another one to the same member, and looking out for it takes as
    // long as the work itself.
    @exclusivity(unchecked) var bodyReader: CurlBodyReader
    /// What becomes the answer. Its memory, that of the head and that of a small body is taken by who sends the request, who
    /// mostly lets go of the answer, too: glibc locks what one thread gives back of another's memory, and then they wait for
    /// each other.
    @exclusivity(unchecked) var emptyAnswer: HttpResponse?
    @exclusivity(unchecked) var headerBlock = HeaderBlock.roomy
    /// Bytes of header lines of this hop, interim answers included.
    var headerSize = 0
    var hasWholeHead = false
    /// What the head that came last, or comes, says of the response's body.
    var framing: ResponseFraming?
    @exclusivity(unchecked) var body = CurlBody()
    /// What reads the body where it comes in chunks, and how many bytes of the piece at hand it has read before the
    /// transfer was paused in it.
    var chunks: ChunkedBody?
    var chunkBytesTaken = 0
    /// How many bytes of the body have come, compressed as they may be.
    var bodySize: Int64 = 0
    /// Whether the server has ended its side of TLS.
    var hasCloseNotify = false
    /// What undoes the codings of the body that the head names.
    var decoding: CurlDecoding?
    /// Where the body goes when it is not memory, from the head of the answer on.
    var sink: CurlBodySink?
    /// What earlier attempts have left of the file, from the beginning on, where the transfer resumes.
    var partial: PartialFile?
    /// Its use of that file: set before its submission.
    var fileUse: PartialFileUse?
    /// The transfer has a place at its origin until its file is completed or removed.
    var fileStage = CurlFileStage.closed
    /// Whether the answer doesn't fit that, so that the request is sent again without it.
    var mustStartAgain = false
    /// The loop that the transfer runs on: set before its submission.
    var loop: CurlEventLoop?
    /// What made a callback end the transfer; it says more than libcurl's code for that.
    var failure: (code: TransportError.Code, reason: String)?
    /// Whether the server refused before the body's end, and all of its answer has come.
    var isAnswerWhole = false
    /// The error behind that, where it is the application's own.
    var failureCause: (any Error)?
    /// What this hop took so far, where libcurl's own figures don't tell it: with a body, or somebody who looks on.
    @exclusivity(unchecked) var moments: Moments?
    /// The server's address, as far as it is known.
    var remoteAddress: String?

    /// Who wants to know each hop; nil for nobody, and then the rest is not filled.
    let hops: HopLog?
    /// The head of the request as libcurl sent it, and when the last byte went out.
    var sentHead: [UInt8] = []
    var statusLine: [UInt8] = []

    /// - Parameter origin: that of the request's URL.
    init(_ request: HttpRequest, origin: Origin, sender: CurlSenderSettings) {
        var request = request
        let log = request.options.hops
        hops = log?.isOpen == true ? log : nil
        if log != nil { request.options.hops = nil }
        self.request = request
        emptyAnswer = HttpResponse(request: request, statusCode: 0)
        self.sender = sender
        hop = request
        self.origin = origin
        bodyReader = CurlBodyReader(request.body, run: context.run)
        if !ProcessExit.isOnLoop { body = CurlBody(room: sender.usualBodySize) }
        deadline = (request.options.timeout ?? sender.configuration.timeouts.request).map { Moment.now + $0 }
    }

    var configuration: SenderConfiguration {
        sender.configuration
    }

    var hasProxy: Bool {
        sender.hasProxy
    }

    /// Goes on with the hop that a redirect leads to.
    func follow(_ next: HttpRequest) {
        redirects += 1
        if Origin(asLibcurlReads: hop.url.absoluteString) != Origin(asLibcurlReads: next.url.absoluteString) {
            hasLeftOrigin = true
        }
        beginHop(next)
    }

    /// Sends the hop once more, as the next attempt.
    func resend(_ next: HttpRequest) {
        request.attempt += 1
        emptyAnswer = HttpResponse(request: request, statusCode: 0)
        var next = next
        next.attempt += 1
        beginHop(next)
    }

    /// Forgets what the last hop brought.
    func beginHop(_ next: HttpRequest) {
        hop = next
        bodyReader = CurlBodyReader(next.body, run: context.run)
        headerBlock = .roomy
        headerSize = 0
        hasWholeHead = false
        framing = nil
        body = CurlBody()
        chunks = nil
        chunkBytesTaken = 0
        bodySize = 0
        hasCloseNotify = false
        decoding = nil
        sink = nil
        mustStartAgain = false
        failure = nil
        failureCause = nil
        isAnswerWhole = false
        moments = nil
        remoteAddress = nil
        sentHead = []
        statusLine = []
        wasSent = false
        hasLostConnection = false
        isConnectionSpoiled = false
        descriptor = nil
        isSecondTry = false
    }

    /// The status of the head that came last.
    var status: Int {
        framing?.status ?? 0
    }

    /// Whether the head that came last is of an interim response, 1xx.
    var isInterim: Bool {
        framing?.isInterim ?? false
    }

    /// Whether the hop may be sent once more when its connection dies without an answer.
    var mayBeSentAgain: Bool {
        configuration.resending == .idempotent && hop.mayBeSentTwice
    }

    /// How long the request may still take; nil for no limit.
    var remainingTime: Duration? {
        deadline?.distance
    }

    /// The consumer has canceled.
    func cancel() {
        fileUse?.leave()
        loop?.cancel(self)
    }

    /// Lets go of the answer that the request was settled with: while the transfer kept its stream, nobody could drop it.
    func forgetAnswer() {
        context = Context()
    }

    func fail(_ code: TransportError.Code, _ reason: String, cause: (any Error)? = nil) {
        settle(.failure(TransportError(code, of: request, redirects: redirects, reason: reason, cause: cause)))
    }
}
#endif
