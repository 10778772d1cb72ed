// swift-tools-version: 6.1
import PackageDescription

func example(_ name: String) -> Target {
    .executableTarget(
        name: name,
        dependencies: [
            .product(name: "JOSETokens", package: "bulla"), .product(name: "JOSEFetch", package: "bulla"),
            .product(name: "JOSERelyingParty", package: "bulla"),
        ])
}

let package = Package(
    name: "basics",
    platforms: [.macOS("26.0")],
    dependencies: [.package(name: "bulla", path: "../..", traits: [.defaults, "HTTP"])],
    targets: ["Verify", "Nested", "RemoteKeys", "Issuer", "ExternalKey", "Batch", "Login"].map(example)
)
