// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "own-provider",
    platforms: [.macOS("26.0")],
    dependencies: [.package(name: "bulla", path: "../../..")],
    targets: [
        .executableTarget(
            name: "LoggingIn",
            dependencies: [
                .product(name: "JOSE", package: "bulla"),
                .product(name: "JOSETokens", package: "bulla"),
                .product(name: "JOSEKeySets", package: "bulla"),
                .product(name: "JOSERelyingParty", package: "bulla"),
                .product(name: "JOSETesting", package: "bulla"),
                // Without their traits these link nothing, and declare what the compiler rejects with the name of the trait.
                .product(name: "JOSEFetch", package: "bulla"),
                .product(name: "JOSERedis", package: "bulla"),
                .product(name: "JOSEDigiD", package: "bulla"),
            ])
    ]
)
