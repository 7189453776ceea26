import NetChainKit
import Synchronization

/// The rates of currencies in the API's form.
public struct Rates: Codable, Equatable, Sendable {
    /// The currency whose unit is worth the `rates`.
    public let base: String
    /// The rates by currency.
    public let rates: [String: Double]
}

/// The errors that the application shows.
public enum RatesError: Error, Equatable {
    case unknownCurrency(String)
    case unavailable
}

/// Converts money. While the API is out of reach, the last received rates are used.
public final class RatesService: Sendable {
    private let api: ApiClient
    private let last = Mutex<[String: Rates]>([:])

    /// - Parameter api: the client of the API. Tests pass one with another sender; nothing else is there for them.
    public init(api: ApiClient) {
        self.api = api
    }

    /// Returns the worth of an amount in another currency.
    ///
    /// - Throws: `RatesError`, or any other error of the request, such as `CancellationError`.
    public func convert(_ amount: Double, from: String, to: String) async throws -> Double {
        guard let rate = try await rates(of: from).rates[to] else { throw RatesError.unknownCurrency(to) }
        return amount * rate
    }

    private func rates(of currency: String) async throws -> Rates {
        do {
            let rates: Rates = try await api.get("rates").query(["base": currency]).send()
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
