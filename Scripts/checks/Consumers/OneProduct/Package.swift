// swift-tools-version: 6.0
import PackageDescription

// Programs that depend on one product of NetChainKit each and on nothing else, with the sources of the folder of that name.
// Scripts/check.sh consumers runs one for every product.
let products = [
    "NodeCore", "Logging", "Models", "HttpMessages", "UrlTransport", "ResponseProcessing", "AccessSafe", "HttpArchive",
    "Resilience", "EventStreams", "HttpCaching", "UrlSessionTransport", "NetChainKit", "NetChainTestKit",
]

// A package by path is known by its folder's name, whatever the repository was cloned into.
let netChainKit = Context.packageDirectory.split(separator: "/").dropLast(4).last.map(String.init) ?? ""

let package = Package(
    name: "OneProduct",
    platforms: [.macOS(.v15)],
    dependencies: [.package(path: "../../../..")],
    targets: products.map {
        .executableTarget(name: "\($0)Alone", dependencies: [.product(name: $0, package: netChainKit)], path: $0)
    }
)
