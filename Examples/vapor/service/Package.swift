// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "vapor-service",
    platforms: [.macOS("26.0")],
    dependencies: [
        .package(path: "../../bearer"),
        .package(url: "https://github.com/vapor/vapor.git", from: "4.115.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.8.0"),
    ],
    targets: [
        .executableTarget(
            name: "VaporService",
            dependencies: [
                .product(name: "BearerService", package: "bearer"),
                .product(name: "Vapor", package: "vapor"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ])
    ]
)
