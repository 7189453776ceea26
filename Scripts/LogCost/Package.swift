// swift-tools-version: 6.0
import PackageDescription

// What Scripts/check.sh log-cost runs under callgrind.
// A package by path is known by its folder's name, whatever the repository was cloned into.
let netChainKit = Context.packageDirectory.split(separator: "/").dropLast(2).last.map(String.init) ?? ""

let package = Package(
    name: "LogCost",
    platforms: [.macOS(.v15)],
    dependencies: [.package(path: "../..")],
    targets: [
        .executableTarget(
            name: "LogCost",
            dependencies: [
                .product(name: "NetChainKit", package: netChainKit),
                .product(name: "NetChainTestKit", package: netChainKit),
            ],
            path: "Sources")
    ],
    swiftLanguageModes: [.v6]
)
