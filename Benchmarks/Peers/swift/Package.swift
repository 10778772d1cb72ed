// swift-tools-version: 6.1
import PackageDescription

// Each build has one library, which BULLA_PEER chooses. With both in one package, the `canImport(X509)` of JWSETKit finds a module that
// was built for jwt-kit alone, and linking fails.
let libraries: [String: (package: Package.Dependency, product: Target.Dependency)] = [
    "JWTKitPeer": (
        .package(url: "https://github.com/vapor/jwt-kit.git", from: "5.3.0"),
        .product(name: "JWTKit", package: "jwt-kit")
    ),
    "JWSETKitPeer": (
        .package(url: "https://github.com/amosavian/JWSETKit.git", from: "2.2.0"),
        .product(name: "JWSETKit", package: "JWSETKit")
    ),
]
let peer = Context.environment["BULLA_PEER"] ?? "JWTKitPeer"
guard let library = libraries[peer] else { fatalError("BULLA_PEER is none of \(libraries.keys.sorted())") }

let package = Package(
    name: "swift-peers",
    platforms: [.macOS("15.0")],
    dependencies: [library.package],
    targets: [
        .target(name: "Harness"),
        .executableTarget(name: peer, dependencies: ["Harness", library.product]),
    ]
)
