// swift-tools-version: 6.0
import PackageDescription

// A package by path is known by its folder's name, whatever the repository was cloned into. With a clone
// beside your package write the name itself: `package: "NetChainKit"`.
let netChainKit = Context.packageDirectory.split(separator: "/").dropLast(3).last.map(String.init) ?? ""

let package = Package(
    name: "SqliteCache",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(path: "../../.."),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .target(
            name: "SqliteCache",
            dependencies: [
                .product(name: "NetChainKit", package: netChainKit), .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Sources"),
        .testTarget(
            name: "SqliteCacheTests",
            dependencies: ["SqliteCache", .product(name: "NetChainTestKit", package: netChainKit)],
            path: "Tests"),
    ]
)
