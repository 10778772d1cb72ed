// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "fuzz",
    platforms: [.macOS("26.0")],
    dependencies: [.package(name: "bulla", path: "../../..", traits: [.defaults, "Zip"])],
    targets: [
        .target(name: "FuzzForms"),
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "FuzzForms",
                .product(name: "JOSE", package: "bulla"), .product(name: "JOSETokens", package: "bulla"),
                .product(name: "JOSETesting", package: "bulla"),
            ],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"), .treatAllWarnings(as: .error),
            ]),
    ]
)
