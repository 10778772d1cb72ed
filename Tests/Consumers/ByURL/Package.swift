// swift-tools-version: 6.2
import PackageDescription

// The test gives the address of a repository that it has made, with the tag 1.0.0.
let repository = Context.environment["BULLA_REPOSITORY"] ?? "bulla"

let package = Package(
    name: "signing",
    platforms: [.macOS("26.0")],
    dependencies: [.package(url: repository, from: "1.0.0")],
    targets: [
        .executableTarget(name: "Signing", dependencies: [.product(name: "JOSE", package: "bulla")])
    ]
)
