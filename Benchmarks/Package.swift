// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "bulla-benchmarks",
    platforms: [.macOS("26.0")],
    products: [.executable(name: "bench", targets: ["bench"])],
    dependencies: [.package(name: "bulla", path: "..", traits: [.defaults, "Zip", "HTTP", "Redis"])],
    targets: [
        .systemLibrary(name: "CRawOpenSSL", pkgConfig: "libcrypto"),
        .systemLibrary(name: "CRawSodium", pkgConfig: "libsodium"),
        .target(
            name: "CRaw", dependencies: ["CRawOpenSSL", "CRawSodium"],
            cSettings: [.headerSearchPath("src"), .enableWarning("all"), .treatAllWarnings(as: .error)]),
        .executableTarget(
            name: "bench",
            dependencies: [
                "CRaw", .product(name: "JOSE", package: "bulla"), .product(name: "JOSETokens", package: "bulla"),
                .product(name: "JOSEKeySets", package: "bulla"), .product(name: "JOSEFetch", package: "bulla"),
                .product(name: "JOSERelyingParty", package: "bulla"), .product(name: "JOSEDigiD", package: "bulla"),
                .product(name: "JOSEItsme", package: "bulla"), .product(name: "JOSERedis", package: "bulla"),
            ],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"), .strictMemorySafety(), .treatAllWarnings(as: .error),
            ]),
    ]
)
