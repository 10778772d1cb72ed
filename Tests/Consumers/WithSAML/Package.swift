// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "federating",
    platforms: [.macOS("26.0")],
    dependencies: [.package(name: "bulla", path: "../../..", traits: [.defaults, "SAML"])],
    targets: [
        .executableTarget(
            name: "Federating",
            dependencies: [
                .product(name: "JOSE", package: "bulla"),
                .product(name: "JOSERelyingParty", package: "bulla"),
                .product(name: "JOSEDigiD", package: "bulla"),
            ])
    ]
)
