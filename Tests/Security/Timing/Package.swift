// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "timing",
    platforms: [.macOS("26.0")],
    dependencies: [.package(name: "bulla", path: "../../..")],
    targets: [
        .systemLibrary(name: "CTimingOpenSSL", pkgConfig: "libcrypto"),
        .target(
            name: "CTiming", dependencies: ["CTimingOpenSSL"],
            cSettings: [.enableWarning("all"), .treatAllWarnings(as: .error)]),
        .executableTarget(
            name: "timing",
            dependencies: [
                "CTiming", .product(name: "JOSE", package: "bulla"), .product(name: "JOSETokens", package: "bulla"),
            ],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"), .treatAllWarnings(as: .error),
            ]),
    ]
)
