// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "bearer",
    platforms: [.macOS("26.0")],
    products: [
        .library(name: "BearerService", targets: ["BearerService"]),
        .executable(name: "Tokens", targets: ["Tokens"]),
    ],
    dependencies: [
        .package(name: "bulla", path: "../.."),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.30.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.8.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.5.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.3.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.81.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.30.0"),
    ],
    targets: [
        // What services share, whatever framework they use.
        .target(
            name: "BearerService",
            dependencies: [
                .product(name: "JOSETokens", package: "bulla"),
                .product(name: "JOSEKeySets", package: "bulla"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        // Keys and tokens of a made-up issuer, with which the services are tried.
        .executableTarget(name: "Tokens", dependencies: [.product(name: "JOSETokens", package: "bulla")]),
        .testTarget(
            name: "BearerServiceTests",
            dependencies: [
                "BearerService",
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]),
    ]
)
