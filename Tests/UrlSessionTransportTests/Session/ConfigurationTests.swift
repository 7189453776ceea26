import Foundation
import Testing
import UrlTransport

@testable import UrlSessionTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct ConfigurationTests {
    struct Rejection: Sendable, CustomTestStringConvertible {
        let setting: String
        let reason: String
        let change: @Sendable (inout SenderConfiguration) -> Void

        var testDescription: String { setting }
    }

    private static let rejections: [Rejection] = [
        Rejection(setting: "timeouts.request", reason: "must be longer than zero") { $0.timeouts.request = .zero },
        Rejection(setting: "limits.requestsPerOrigin", reason: "must be greater than zero") {
            $0.limits.requestsPerOrigin = 0
        },
        Rejection(setting: "userAgent", reason: "must not hold a line break or a NUL") {
            $0.userAgent = "a\r\nX: 1"
        },
    ]

    @Test(arguments: rejections)
    func settingsThatCannotWorkAreRejected(rejection: Rejection) throws {
        var configuration = SenderConfiguration()
        rejection.change(&configuration)
        #expect(throws: SenderConfigurationError(setting: rejection.setting, reason: rejection.reason)) {
            try UrlSessionRequestSender(configuration: configuration)
        }
    }

    @Test func cookiesInMemoryAreNeitherThoseOfTheProcessNorThoseOfAnotherSender() {
        var configuration = SenderConfiguration()
        configuration.cookies = .memory
        let storages = (0..<2).map { _ in
            URLSessionConfiguration.make(configuration, from: .default).httpCookieStorage
        }
        #expect(!storages.contains { $0 == nil || $0 === HTTPCookieStorage.shared })
        #expect(storages[0] !== storages[1])
    }

    @Test func headersOfTheSessionAreNotSent() {
        let callers = URLSessionConfiguration.ephemeral
        callers.httpAdditionalHeaders = ["Authorization": "Bearer 1"]
        #expect(URLSessionConfiguration.make(SenderConfiguration(), from: callers).httpAdditionalHeaders == nil)
    }
}
