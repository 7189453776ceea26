// swift-tools-version: 6.0
import PackageDescription

// A package that uses UrlTransport alone together with swift-log. Both have a module named Logging: NetChainKit's gets
// another name in this package. Docs/Examples/SwiftLogBridge does so with NetChainKit; in one package the alias of one
// target would hide that another lacks it.

// A package by path is known by its folder's name, whatever the repository was cloned into.
let netChainKit = Context.packageDirectory.split(separator: "/").dropLast(4).last.map(String.init) ?? ""

let package = Package(
    name: "WithSwiftLog",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(path: "../../../.."),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    ],
    targets: [
        .executableTarget(
            name: "WithSwiftLog",
            dependencies: [
                .product(name: "UrlTransport", package: netChainKit, moduleAliases: ["Logging": "NetChainLogging"]),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Sources")
    ]
)
