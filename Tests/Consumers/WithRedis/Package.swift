// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "storing",
    platforms: [.macOS("26.0")],
    dependencies: [.package(name: "bulla", path: "../../..", traits: [.defaults, "Redis"])],
    targets: [
        .executableTarget(
            name: "Storing",
            dependencies: [
                .product(name: "JOSERedis", package: "bulla")
            ])
    ]
)
