// swift-tools-version: 6.2
import PackageDescription

// Accelerated is a default trait: it vanishes where a manifest names other traits without `.defaults`. The test names one of two sets.
let sets: [String: Set<Package.Dependency.Trait>] = ["HTTP": ["HTTP"], "none": []]

let package = Package(
    name: "without-kernels",
    platforms: [.macOS("26.0")],
    dependencies: [
        .package(
            name: "bulla", path: "../../..", traits: sets[Context.environment["BULLA_CONSUMER_TRAITS"] ?? ""] ?? [])
    ],
    targets: [
        .executableTarget(name: "Verifying", dependencies: [.product(name: "JOSE", package: "bulla")])
    ]
)
