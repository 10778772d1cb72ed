// swift-tools-version: 6.0
import PackageDescription

// Before tools version 6.1 a manifest can name no traits, and gets the default ones.
let package = Package(
    name: "round-trip",
    platforms: [.macOS("26.0")],
    dependencies: [.package(name: "bulla", path: "../../..")],
    targets: [
        .executableTarget(
            name: "RoundTrip",
            dependencies: [
                .product(name: "JOSETesting", package: "bulla")
            ])
    ]
)
