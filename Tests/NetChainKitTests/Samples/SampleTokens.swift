import NetChainKit
import Synchronization

/// The token that a sample's service refreshes and its requests carry, which CoreNetKit's sample doesn't show. Each
/// sample has a separate one, because its refresher is a singleton.
final class SampleTokens: MetadataProvider {
    static let corrected = SampleTokens()
    static let oldSpelling = SampleTokens()

    private let number = Mutex(0)
    private let updates = Mutex(0)

    /// How often the token was refreshed.
    var refreshes: Int { updates.withLock { $0 } }

    func metadata() -> [String: String] {
        ["Authorization": "Bearer \(number.withLock { $0 })"]
    }

    func refresh() {
        updates.withLock { $0 += 1 }
        number.withLock { $0 += 1 }
    }
}
