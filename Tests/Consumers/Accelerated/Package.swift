// swift-tools-version: 6.2
import PackageDescription

// The test names one of the sets of traits that a user's manifest may have. Without any, the default traits are enabled.
let sets: [String: Set<Package.Dependency.Trait>] = [
    "defaults": [.defaults], "defaults and HTTP": [.defaults, "HTTP"], "HTTP": ["HTTP"], "none": [],
]
let bulla: Package.Dependency
if let traits = sets[Context.environment["BULLA_CONSUMER_TRAITS"] ?? ""] {
    bulla = .package(name: "bulla", path: "../../..", traits: traits)
} else {
    bulla = .package(name: "bulla", path: "../../..")
}

let package = Package(
    name: "accelerated",
    platforms: [.macOS("26.0")],
    dependencies: [bulla],
    targets: [
        .executableTarget(name: "Implementation", dependencies: [.product(name: "JOSE", package: "bulla")])
    ]
)
