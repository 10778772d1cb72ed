// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "fetching",
    platforms: [.macOS("26.0")],
    dependencies: [.package(name: "bulla", path: "../../..", traits: [.defaults, "HTTP"])],
    targets: [
        .executableTarget(
            name: "Fetching",
            dependencies: [
                .product(name: "JOSE", package: "bulla"),
                .product(name: "JOSEKeySets", package: "bulla"),
                .product(name: "JOSEFetch", package: "bulla"),
            ])
    ]
)
