@testable import UrlTransport

extension TransferFailure: Equatable {
    /// Compares the code and the reason.
    public static func == (left: TransferFailure, right: TransferFailure) -> Bool {
        left.code == right.code && left.reason == right.reason
    }
}
