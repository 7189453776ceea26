// swift-tools-version: 6.0
import PackageDescription

// The programs of Scripts/soak.sh and Scripts/network-lab.sh.
// A package by path is known by its folder's name, whatever the repository was cloned into.
let netChainKit = Context.packageDirectory.split(separator: "/").dropLast(2).last.map(String.init) ?? ""
let products: [Target.Dependency] = ["NetChainKit", "NetChainTestKit"].map { .product(name: $0, package: netChainKit) }

let package = Package(
    name: "Lab",
    platforms: [.macOS(.v15)],
    dependencies: [.package(path: "../..")],
    targets: [
        .target(name: "SeededNumbers"),
        .executableTarget(name: "Soak", dependencies: products + ["SeededNumbers"]),
        .executableTarget(name: "StreamSoak", dependencies: products + ["SeededNumbers"]),
        .executableTarget(name: "NetworkLab", dependencies: products),
    ],
    swiftLanguageModes: [.v6]
)
