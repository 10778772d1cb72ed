// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "service",
    platforms: [.macOS("26.0")],
    dependencies: [
        .package(url: "https://example.com/bulla.git", .upToNextMinor(from: "0.1.0"), traits: [.defaults, "HTTP"])
    ],
    targets: [
        .executableTarget(
            name: "Service",
            dependencies: [
                .product(name: "JOSETokens", package: "bulla"),
                .product(name: "JOSEFetch", package: "bulla"),
            ])
    ]
)
