// swift-tools-version: 6.0
import PackageDescription

// A package by path is known by its folder's name, whatever the repository was cloned into. With a clone
// beside your package write the name itself: `package: "NetChainKit"`.
let netChainKit = Context.packageDirectory.split(separator: "/").dropLast(3).last.map(String.init) ?? ""

let package = Package(
    name: "TestedService",
    platforms: [.macOS(.v15)],
    dependencies: [.package(path: "../../..")],
    targets: [
        .target(
            name: "TestedService", dependencies: [.product(name: "NetChainKit", package: netChainKit)],
            path: "Sources"),
        .testTarget(
            name: "TestedServiceTests",
            dependencies: ["TestedService", .product(name: "NetChainTestKit", package: netChainKit)],
            path: "Tests"),
    ]
)
