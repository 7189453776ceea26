// swift-tools-version: 6.0
import PackageDescription

// A package of its own, so that what is measured against can be a dependency here and never one of the library.
// A package by path is known by its folder's name, whatever the repository was cloned into.
let library = Context.packageDirectory.split(separator: "/").dropLast(2).last.map(String.init) ?? ""
// swift-log, which async-http-client brings, has a module named Logging too.
let netChainKit = Target.Dependency.product(
    name: "NetChainKit", package: library, moduleAliases: ["Logging": "NetChainLogging"])

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(path: "../.."),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.25.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.80.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.27.0"),
    ],
    targets: [
        .executableTarget(
            name: "JsonBenchmarks",
            dependencies: ["ClientSupport", "FastModels", .product(name: "Models", package: library)]),

        // Clients of Scripts/benchmark-http.sh: each is a program of its own, so that its memory and its processor time
        // are its own.
        .target(name: "ClientSupport"),
        .target(name: "FastModels", dependencies: [.product(name: "Models", package: library)]),
        .executableTarget(
            name: "CurlClient", cSettings: [.unsafeFlags(["-O2"])], linkerSettings: [.linkedLibrary("curl")]),
        .executableTarget(name: "NetChainClient", dependencies: ["ClientSupport", "FastModels", netChainKit]),
        // Of Scripts/benchmark-cache.sh.
        .executableTarget(name: "CacheBenchmark", dependencies: ["ClientSupport", netChainKit]),
        .executableTarget(
            name: "AsyncHttpClient",
            dependencies: [
                "ClientSupport",
                .product(name: "Models", package: library),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOFoundationCompat", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        .executableTarget(name: "UrlSessionClient", dependencies: ["ClientSupport"]),
    ],
    swiftLanguageModes: [.v6]
)
