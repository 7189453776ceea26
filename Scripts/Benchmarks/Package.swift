// swift-tools-version: 6.0
import PackageDescription

// A package of its own, so that what is measured against can be a dependency here and never one of the library.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "NetChainKit", path: "../..")],
    targets: [
        .executableTarget(
            name: "JsonBenchmarks",
            dependencies: [
                .product(name: "Models", package: "NetChainKit"), .product(name: "NodeCore", package: "NetChainKit"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
