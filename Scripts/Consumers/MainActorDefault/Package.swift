// swift-tools-version: 6.2
import PackageDescription

// A package by path is known by its folder's name, whatever the repository was cloned into.
let netChainKit = Context.packageDirectory.split(separator: "/").dropLast(3).last.map(String.init) ?? ""

// An application whose code is on the main actor unless it says otherwise.
let package = Package(
    name: "MainActorDefault",
    platforms: [.macOS(.v15)],
    dependencies: [.package(path: "../../..")],
    targets: [
        .executableTarget(
            name: "MainActorDefault",
            dependencies: [
                .product(name: "NetChainKit", package: netChainKit),
                .product(name: "NetChainTestKit", package: netChainKit),
            ],
            swiftSettings: [
                .defaultIsolation(MainActor.self), .treatAllWarnings(as: .error),
            ])
    ],
    swiftLanguageModes: [.v6]
)
