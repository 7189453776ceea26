// swift-tools-version: 6.0
import PackageDescription

// A package that depends on one product of NetChainKit and on nothing else: the product that
// NETCHAIN_PRODUCT names, with the sources of the folder of that name.
// Scripts/check.sh consumers builds and runs it once for every product.
let product = Context.environment["NETCHAIN_PRODUCT"] ?? "NetChainKit"

// A package by path is known by its folder's name, whatever the repository was cloned into.
let netChainKit = Context.packageDirectory.split(separator: "/").dropLast(4).last.map(String.init) ?? ""

let package = Package(
    name: "OneProduct",
    platforms: [.macOS(.v15)],
    dependencies: [.package(path: "../../../..")],
    targets: [
        .executableTarget(
            name: "OneProduct", dependencies: [.product(name: product, package: netChainKit)], path: product)
    ]
)
