// swift-tools-version: 6.0
import PackageDescription

// A package by path is known by its folder's name, whatever the repository was cloned into. With a clone
// beside your package write the name itself: `package: "NetChainKit"`.
let netChainKit = Context.packageDirectory.split(separator: "/").dropLast(3).last.map(String.init) ?? ""

// swift-log has a module named Logging too, so NetChainKit's gets another name in this package.
let aliases = ["Logging": "NetChainLogging"]

let package = Package(
    name: "SwiftLogBridge",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(path: "../../.."),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    ],
    targets: [
        .executableTarget(
            name: "SwiftLogBridge",
            dependencies: [
                .product(name: "NetChainKit", package: netChainKit, moduleAliases: aliases),
                // For the demo's server only.
                .product(name: "NetChainTestKit", package: netChainKit, moduleAliases: aliases),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Sources")
    ]
)
