// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "first-hour",
    platforms: [.macOS("26.0")],
    dependencies: [.package(name: "bulla", path: "../..", traits: [.defaults, "HTTP"])],
    targets: [
        .executableTarget(
            name: "FirstHour",
            dependencies: [
                .product(name: "JOSETokens", package: "bulla"),
                .product(name: "JOSEFetch", package: "bulla"),
                .product(name: "JOSERelyingParty", package: "bulla"),
            ],
            path: "Sources/FirstHour")
    ]
)
