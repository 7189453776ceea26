// swift-tools-version: 6.0
import PackageDescription

// A package by path is known by its folder's name, whatever the repository was cloned into. With a clone
// beside your package write the name itself: `package: "NetChainKit"`.
let netChainKit = Context.packageDirectory.split(separator: "/").dropLast(3).last.map(String.init) ?? ""

let package = Package(
    name: "XmlBodies",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(path: "../../.."),
        .package(url: "https://github.com/CoreOffice/XMLCoder", from: "0.17.0"),
    ],
    targets: [
        .executableTarget(
            name: "XmlBodies",
            dependencies: [
                .product(name: "NetChainKit", package: netChainKit),
                // For the demo's server only.
                .product(name: "NetChainTestKit", package: netChainKit),
                "XMLCoder",
            ],
            path: "Sources")
    ]
)
