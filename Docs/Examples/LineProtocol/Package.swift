// swift-tools-version: 6.0
import PackageDescription

// A package by path is known by its folder's name, whatever the repository was cloned into. With a clone
// beside your package write the name itself: `package: "NetChainKit"`.
let netChainKit = Context.packageDirectory.split(separator: "/").dropLast(3).last.map(String.init) ?? ""

let package = Package(
    name: "LineProtocol",
    platforms: [.macOS(.v15)],
    dependencies: [.package(path: "../../..")],
    targets: [
        .executableTarget(
            name: "LineProtocol", dependencies: [.product(name: "NodeCore", package: netChainKit)], path: "Sources")
    ]
)
