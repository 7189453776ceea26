// swift-tools-version: 6.0
import PackageDescription

// A package by path is known by its folder's name, whatever the repository was cloned into.
let netChainKit = Context.packageDirectory.split(separator: "/").dropLast(3).last.map(String.init) ?? ""

// An application with targets of its own that are named as modules of the library.
let package = Package(
    name: "OwnModules",
    platforms: [.macOS(.v15)],
    dependencies: [.package(path: "../../..")],
    targets: [
        .target(name: "Models", path: "Models"),
        .target(name: "Logging", path: "Logging"),
        .executableTarget(
            name: "OwnModules",
            dependencies: [
                "Models", "Logging",
                .product(
                    name: "NetChainKit", package: netChainKit,
                    moduleAliases: ["Models": "NetChainModels", "Logging": "NetChainLogging"]),
            ],
            path: "OwnModules"),
    ]
)
