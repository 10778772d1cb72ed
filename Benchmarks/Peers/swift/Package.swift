// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "swift-peers",
    platforms: [.macOS("15.0")],
    dependencies: [
        .package(url: "https://github.com/vapor/jwt-kit.git", from: "5.3.0"),
        .package(url: "https://github.com/amosavian/JWSETKit.git", from: "2.2.0"),
    ],
    targets: [
        .target(name: "Harness"),
        .executableTarget(name: "JWTKitPeer", dependencies: ["Harness", .product(name: "JWTKit", package: "jwt-kit")]),
        .executableTarget(
            name: "JWSETKitPeer", dependencies: ["Harness", .product(name: "JWSETKit", package: "JWSETKit")]),
    ]
)
