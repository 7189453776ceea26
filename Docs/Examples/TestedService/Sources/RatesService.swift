import Foundation
import NetChainKit
import Synchronization

/// Rates of currencies, as the API gives them.
public struct Rates: Codable, JsonModel, Equatable {
    /// The currency that one unit of is worth the `rates`.
    public let base: String
    /// Each by its currency.
    public let rates: [String: Double]
}

/// What an application's user can be told.
public enum RatesError: Error, Equatable {
    case unknownCurrency(String)
    case unavailable
}

/// Converts money. While the API is out of reach, the last rates that it gave are used.
public final class RatesService: Sendable {
    private let base: URL
    private let sender: any RequestSender
    private let last = Mutex<[String: Rates]>([:])

    /// - Parameter sender: what sends the requests. Tests give another one; nothing else in here is made for them.
    public init(base: URL, sender: any RequestSender = DefaultRequestSender.shared) {
        self.base = base
        self.sender = sender
    }

    /// What `amount` of one currency is worth in another.
    ///
    /// - Throws: `RatesError`; any other error of the chain, as `CancellationError`, passes.
    public func convert(_ amount: Double, from: String, to: String) async throws -> Double {
        guard let rate = try await rates(of: from).rates[to] else { throw RatesError.unknownCurrency(to) }
        return amount * rate
    }

    private func rates(of currency: String) async throws -> Rates {
        do {
            let rates: Rates = try await UrlChainsBuilder<URL>()
                .route(.get, try base + "/rates")
                .set(query: ["base": currency])
                .sender(sender)
                .log(to: .silent)
                .build()
                .execute()
            last.withLock { $0[currency] = rates }
            return rates
        } catch HttpError.notFound {
            throw RatesError.unknownCurrency(currency)
        } catch let error where error is TechnicalError || (error as? HttpError)?.status == 503 {
            guard let old = last.withLock({ $0[currency] }) else { throw RatesError.unavailable }
            return old
        }
    }
}
