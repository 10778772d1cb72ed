// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "migrating",
    platforms: [.macOS("26.0")],
    dependencies: [
        .package(name: "bulla", path: "../../.."),
        .package(url: "https://github.com/vapor/jwt-kit.git", from: "5.3.0"),
        .package(url: "https://github.com/amosavian/JWSETKit.git", from: "2.2.0"),
    ],
    targets: [
        .executableTarget(
            name: "FromJWTKit",
            dependencies: [
                .product(name: "JOSETokens", package: "bulla"),
                .product(name: "JWTKit", package: "jwt-kit"),
            ]),
        .executableTarget(
            name: "FromJWSETKit",
            dependencies: [
                .product(name: "JOSETokens", package: "bulla"),
                .product(name: "JWSETKit", package: "JWSETKit"),
            ]),
    ]
)
