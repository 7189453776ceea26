// swift-tools-version: 6.0
import PackageDescription

/// Settings that every Swift target of the package shares.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// A library module in `Modules/<name>`.
func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Modules/\(name)", swiftSettings: settings)
}

/// The tests of a module, in `Tests/<name>Tests`, with what they need beyond the module.
func tests(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: [.byName(name: name), "TestSupport"] + dependencies,
        path: "Tests/\(name)Tests", swiftSettings: settings)
}

/// Modules that are products of their own: a user links just what is needed.
let products = [
    "NodeCore", "Logging", "Models", "HttpMessages", "UrlTransport", "ResponseProcessing", "AccessSafe", "HttpArchive",
    "Resilience", "EventStreams", "HttpCaching", "UrlSessionTransport", "NetChainKit", "NetChainTestKit",
]

let package = Package(
    name: "NetChainKit",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: products.map { .library(name: $0, targets: [$0]) }
        + [.executable(name: "NetChainDemo", targets: ["NetChainDemo"])],
    targets: [
        // The module table of Docs/Architecture.md; arrows only point down it.
        module("NodeCore"),
        module("Logging", ["NodeCore"]),
        module("Models", ["NodeCore"]),
        module("HttpMessages", ["NodeCore", "Models", "Logging"]),
        module(
            "UrlTransport",
            [
                "NodeCore", "Models", "Logging", "HttpMessages",
                .target(name: "CNetChainCurl", condition: .when(platforms: [.linux])),
                .target(name: "CNetChainCompression", condition: .when(platforms: [.linux])),
            ]),
        module("ResponseProcessing", ["NodeCore", "Models", "HttpMessages", "Logging"]),
        module("AccessSafe", ["NodeCore", "Logging"]),
        module("HttpArchive", ["NodeCore", "Models", "HttpMessages", "Logging"]),
        module("Resilience", ["NodeCore", "Models", "HttpMessages", "Logging", "ResponseProcessing"]),
        module("EventStreams", ["NodeCore", "Models", "HttpMessages", "Logging", "ResponseProcessing"]),
        module("HttpCaching", ["NodeCore", "Models", "HttpMessages", "Logging", "ResponseProcessing"]),
        .systemLibrary(
            name: "CNetChainCurl", path: "Modules/CNetChainCurl", pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(
            name: "CNetChainCompression", path: "Modules/CNetChainCompression", pkgConfig: "libbrotlidec",
            providers: [.apt(["zlib1g-dev", "libbrotli-dev", "libzstd-dev"])]),
        module("UrlSessionTransport", ["NodeCore", "HttpMessages"]),
        module(
            "NetChainKit",
            [
                "NodeCore", "Logging", "Models", "HttpMessages", "UrlTransport", "ResponseProcessing", "AccessSafe",
                "HttpArchive", "Resilience", "EventStreams", "HttpCaching",
                .target(
                    name: "UrlSessionTransport",
                    condition: .when(platforms: [.macOS, .iOS, .tvOS, .watchOS, .visionOS])),
            ]),
        module("NetChainTestKit", ["NodeCore", "Models", "HttpMessages"]),
        .executableTarget(
            name: "NetChainDemo", dependencies: ["Models", "NetChainKit", "NetChainTestKit"],
            path: "Modules/NetChainDemo",
            swiftSettings: settings),

        // What the tests of several modules use.
        .target(
            name: "TestSupport", dependencies: ["NodeCore", "HttpMessages"], path: "Tests/Support",
            swiftSettings: settings),
        tests("NodeCore"),
        tests("Logging", "NodeCore"),
        tests("Models", "NodeCore"),
        tests("HttpMessages", "NodeCore", "Models", "Logging", "NetChainTestKit"),
        tests(
            "UrlTransport", "HttpMessages", "NodeCore", "Models", "Logging", "ResponseProcessing", "NetChainTestKit",
            .target(name: "CNetChainCurl", condition: .when(platforms: [.linux])),
            .target(name: "CNetChainCompression", condition: .when(platforms: [.linux]))),
        tests("ResponseProcessing", "NodeCore", "Models", "UrlTransport", "NetChainTestKit"),
        tests("AccessSafe", "NodeCore", "Logging", "NetChainTestKit"),
        tests("HttpArchive", "NodeCore", "Models", "UrlTransport", "Logging", "NetChainTestKit"),
        tests("Resilience", "NodeCore", "HttpMessages", "ResponseProcessing", "NetChainKit", "NetChainTestKit"),
        tests("EventStreams", "NodeCore", "Models", "HttpMessages", "ResponseProcessing", "NetChainTestKit"),
        tests("HttpCaching", "NodeCore", "HttpMessages", "Logging", "NetChainTestKit"),
        tests(
            "UrlSessionTransport", "NodeCore", "UrlTransport", "ResponseProcessing", "NetChainKit", "NetChainTestKit"),
        tests("NetChainKit", "NetChainTestKit"),
        tests("NetChainTestKit", "NodeCore", "Models", "UrlTransport"),
        // Short programs as an application writes them.
        .testTarget(
            name: "SampleTests", dependencies: ["NetChainKit", "NetChainTestKit", "TestSupport"],
            path: "Tests/SampleTests", swiftSettings: settings),
        // One of them has a model with the name of another one's.
        .testTarget(
            name: "FastModelSampleTests", dependencies: ["NetChainKit", "NetChainTestKit", "TestSupport"],
            path: "Tests/FastModelSampleTests", swiftSettings: settings),
        // Everything that parses bytes from outside, with random inputs.
        .testTarget(
            name: "FuzzTests",
            dependencies: [
                "NodeCore", "Logging", "Models", "UrlTransport", "ResponseProcessing", "HttpArchive", "EventStreams",
                "HttpCaching",
            ],
            path: "Tests/FuzzTests", swiftSettings: settings),
        // The whole chain against nginx and httpbin (Scripts/real-servers.sh); skipped where they don't run.
        .testTarget(
            name: "RealServerTests",
            dependencies: [
                "NetChainKit", "NetChainTestKit", "TestSupport",
                .target(name: "CNetChainCurl", condition: .when(platforms: [.linux])),
            ],
            path: "Tests/RealServerTests", swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
