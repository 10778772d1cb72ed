// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "compressing",
    platforms: [.macOS("26.0")],
    dependencies: [.package(name: "bulla", path: "../../..", traits: [.defaults, "Zip"])],
    targets: [
        .executableTarget(name: "Compressing", dependencies: [.product(name: "JOSE", package: "bulla")])
    ]
)
