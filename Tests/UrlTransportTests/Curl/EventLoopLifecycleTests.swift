#if os(Linux)
import Testing

@testable import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Which commands an event loop accepts in each stage of its lifecycle.
struct EventLoopLifecycleTests {
    enum Command: Sendable {
        case start, cancel, resume, filesReady, fileCompleted, networkChanged

        func of(_ transfer: CurlTransfer) -> TransferCommand {
            switch self {
            case .start: .start(transfer)
            case .cancel: .cancel(transfer)
            case .resume: .resume(transfer)
            case .filesReady: .filesReady(transfer, .success(nil))
            case .networkChanged: .networkChanged
            case .fileCompleted:
                .fileCompleted(transfer, .failure(TransportError(.destinationFailed, of: transfer.request, reason: "")))
            }
        }
    }

    static let rows: [(EventLoop.Lifecycle, Command, Bool)] = [
        (.open, .start, true), (.open, .cancel, true), (.open, .resume, true),
        (.open, .filesReady, true), (.open, .fileCompleted, true),
        (.finishing, .start, false), (.finishing, .cancel, true), (.finishing, .resume, true),
        (.finishing, .filesReady, true), (.finishing, .fileCompleted, true),
        (.closing, .start, false), (.closing, .cancel, false), (.closing, .resume, false),
        (.closing, .filesReady, false), (.closing, .fileCompleted, false),
        (.ended, .start, false), (.ended, .cancel, false), (.ended, .resume, false),
        (.ended, .filesReady, false), (.ended, .fileCompleted, false),
        (.open, .networkChanged, true), (.finishing, .networkChanged, true),
        (.closing, .networkChanged, false), (.ended, .networkChanged, false),
    ]

    @Test(arguments: rows)
    func theLifecycleDecidesWhichCommandsAreAccepted(lifecycle: EventLoop.Lifecycle, command: Command, isAccepted: Bool)
        throws
    {
        let request = HttpRequest(method: .get, url: try #require(URL(string: "http://a.example/")))
        let transfer = CurlTransfer(
            request, settings: CurlSettings(CurlRequestSender.Configuration())
        ) { _ in }
        #expect(lifecycle.accepts(command.of(transfer)) == isAccepted)
    }
}
#endif
