// swift-format-ignore-file
// As much of the module Combine as NetChainKit uses, by its documentation, for Scripts/check.sh apple: nothing in it works.
public protocol Subscription: Sendable {}
public protocol Publisher<Output, Failure> { associatedtype Output; associatedtype Failure: Error }
public struct AnyPublisher<Output, Failure: Error>: Publisher { init() {} }
public struct Deferred<P: Publisher>: Publisher { public typealias Output = P.Output; public typealias Failure = P.Failure; public init(createPublisher: @escaping () -> P) {} }
public final class Future<Output, Failure: Error>: Publisher { public typealias Promise = (Result<Output, Failure>) -> Void; public init(_ attempt: @escaping (@escaping Promise) -> Void) {} }
public enum Publishers {
  public struct CompactMap<U: Publisher, Output>: Publisher { public typealias Failure = U.Failure }
  public struct HandleEvents<U: Publisher>: Publisher { public typealias Output = U.Output; public typealias Failure = U.Failure }
}
extension Publisher {
  public func compactMap<T>(_ t: @escaping (Output) -> T?) -> Publishers.CompactMap<Self, T> { .init() }
  public func handleEvents(receiveSubscription: ((any Subscription) -> Void)? = nil, receiveOutput: ((Output) -> Void)? = nil, receiveCompletion: ((Int) -> Void)? = nil, receiveCancel: (() -> Void)? = nil, receiveRequest: ((Int) -> Void)? = nil) -> Publishers.HandleEvents<Self> { .init() }
  public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> { .init() }
}
