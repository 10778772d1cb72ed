// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "hummingbird-service",
    platforms: [.macOS("26.0")],
    dependencies: [
        .package(path: "../../bearer"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.20.0"),
    ],
    targets: [
        .executableTarget(
            name: "HummingbirdService",
            dependencies: [
                .product(name: "BearerService", package: "bearer"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ])
    ]
)
