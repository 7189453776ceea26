import Testing
import UrlSessionTransport
import UrlTransport

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
}
