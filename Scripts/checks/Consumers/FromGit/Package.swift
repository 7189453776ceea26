// swift-tools-version: 6.0
import PackageDescription

// A package that depends on a release of NetChainKit in a git repository, as users do: the address is in
// NETCHAIN_URL, and its last component is the package's identity. Scripts/check.sh release makes the repository.
let package = Package(
    name: "FromGit",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: Context.environment["NETCHAIN_URL"] ?? "https://git.example.com/NetChainKit.git", from: "0.1.0")
    ],
    targets: [
        .executableTarget(
            name: "FromGit",
            dependencies: [
                .product(name: "NetChainKit", package: "NetChainKit"),
                .product(name: "NetChainTestKit", package: "NetChainKit"),
            ],
            path: "Sources")
    ]
)
