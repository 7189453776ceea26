// swift-format-ignore-file
// As much of the module UIKit as NetChainKit uses, by its documentation, for Scripts/check-apple.sh: nothing in it works.
@MainActor public class UIApplication { public class var shared: UIApplication { .init() }; public var isNetworkActivityIndicatorVisible = false }
