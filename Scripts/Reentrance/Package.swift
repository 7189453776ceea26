// swift-tools-version: 6.0
import PackageDescription

// What Scripts/check.sh locks runs.
// A package by path is known by its folder's name, whatever the repository was cloned into.
let netChainKit = Context.packageDirectory.split(separator: "/").dropLast(2).last.map(String.init) ?? ""

let package = Package(
    name: "Reentrance",
    platforms: [.macOS(.v15)],
    dependencies: [.package(path: "../..")],
    targets: [
        .executableTarget(
            name: "Reentrance",
            dependencies: [
                .product(name: "NetChainKit", package: netChainKit),
                .product(name: "NetChainTestKit", package: netChainKit),
            ],
            path: "Sources")
    ],
    swiftLanguageModes: [.v6]
)
