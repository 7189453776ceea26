// swift-tools-version: 6.2
import PackageDescription

// A package by path is known by its folder's name, whatever the repository was cloned into.
let netChainKit = Context.packageDirectory.split(separator: "/").dropLast(4).last.map(String.init) ?? ""

/// A product of the library, whose modules Models and Logging have other names here.
func product(_ name: String) -> Target.Dependency {
    .product(
        name: name, package: netChainKit,
        moduleAliases: ["Models": "NetChainModels", "Logging": "NetChainLogging"])
}

let package = Package(
    name: "Application",
    platforms: [.macOS(.v15)],
    dependencies: [.package(path: "../../../..")],
    targets: [
        // An application with targets of its own that are named as modules of the library.
        .target(name: "Models", path: "Models"),
        .target(name: "Logging", path: "Logging"),
        .executableTarget(
            name: "OwnModules", dependencies: ["Models", "Logging", product("NetChainKit")], path: "OwnModules"),
        // An application whose code is on the main actor unless it says otherwise.
        .executableTarget(
            name: "MainActorDefault", dependencies: [product("NetChainKit"), product("NetChainTestKit")],
            path: "MainActorDefault",
            swiftSettings: [.defaultIsolation(MainActor.self), .treatAllWarnings(as: .error)]),
    ],
    swiftLanguageModes: [.v6]
)
