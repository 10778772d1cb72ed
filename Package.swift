// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"), .strictMemorySafety(), .treatAllWarnings(as: .error),
]
// Tests/Scripts/flags.sh says what the variable is for.
let fortified: [CSetting] =
    Context.environment["BULLA_FORTIFY"] == "1"
    ? [.define("_FORTIFY_SOURCE", to: "2", .when(configuration: .release))] : []
let cSettings: [CSetting] =
    [.headerSearchPath("src"), .enableWarning("all"), .treatAllWarnings(as: .error)] + fortified

func shim(
    _ name: String, _ dependencies: [Target.Dependency] = [], _ more: [CSetting] = [], link: [LinkerSetting] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "CShims/\(name)", cSettings: cSettings + more,
        linkerSettings: link)
}
// On Linux CJOSEFetch loads libcurl at its first use; the flags of pkg-config would link it.
#if os(Linux)
    let linkedCurl: String? = nil
#else
    let linkedCurl: String? = "libcurl"
#endif
let accelerated = TargetDependencyCondition.when(traits: ["Accelerated"])
let acceleratedC: CSetting = .define("CJOSE_ACCELERATED", .when(traits: ["Accelerated"]))
let zip = TargetDependencyCondition.when(traits: ["Zip"])
let http = TargetDependencyCondition.when(traits: ["HTTP"])
let redis = TargetDependencyCondition.when(traits: ["Redis"])
let server = TargetDependencyCondition.when(traits: ["Server"])
let saml = TargetDependencyCondition.when(traits: ["SAML"])
// The defines of xmlsec1-openssl.pc, which a package may not take from there. They must be those that the library was built with,
// because the size of a type, and so of structures, depends on one of them.
let xmlsec: [CSetting] = [
    ("CJOSE_SAML", nil), ("XMLSEC_NO_SIZE_T", nil), ("XMLSEC_CRYPTO_OPENSSL", "1"), ("XMLSEC_OPENSSL3_ENGINES", "1"),
    ("XMLSEC_NO_GOST", "1"), ("XMLSEC_NO_GOST2012", "1"), ("XMLSEC_NO_CRYPTO_DYNAMIC_LOADING", "1"),
    ("__XMLSEC_FUNCTION__", "__func__"),
].map { .define($0.0, to: $0.1, .when(traits: ["SAML"])) }
/// The folders below `Sources` and `Tests`.
enum Group: String {
    case core = "Core"
    case keySets = "KeySets"
    case login = "Login"
    case command = "Command"
    case interop = "Interop"
    case security = "Security"
}
func module(
    _ group: Group, _ name: String, _ dependencies: [Target.Dependency], packageAccess: Bool = true
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Sources/\(group.rawValue)/\(name)",
        packageAccess: packageAccess, swiftSettings: settings)
}
/// What a provider's module needs.
let login: [Target.Dependency] = [
    "JOSERelyingParty", "JOSEKeySets", "JOSETokens", "JOSE", "JOSECrypto", "JOSESupport",
]
/// The modules of all providers.
let providers: [Target.Dependency] = ["JOSEDigiD", "JOSEEntra", "JOSEItsme", "JOSEMitID", "JOSEZenKey"]
func tests(_ group: Group, _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(
        name: name, dependencies: dependencies + ["TestSupport"], path: "Tests/\(group.rawValue)/\(name)",
        exclude: exclude, swiftSettings: settings)
}

let package = Package(
    name: "bulla",
    platforms: [.macOS("26.0")],
    products: [
        .library(name: "JOSE", targets: ["JOSE"]),
        .library(name: "JOSETokens", targets: ["JOSETokens"]),
        .library(name: "JOSEStore", targets: ["JOSEStore"]),
        .library(name: "JOSEKeySets", targets: ["JOSEKeySets"]),
        .library(name: "JOSEFetch", targets: ["JOSEFetch"]),
        .library(name: "JOSERelyingParty", targets: ["JOSERelyingParty"]),
        .library(name: "JOSEDigiD", targets: ["JOSEDigiD"]),
        .library(name: "JOSEEntra", targets: ["JOSEEntra"]),
        .library(name: "JOSEItsme", targets: ["JOSEItsme"]),
        .library(name: "JOSEMitID", targets: ["JOSEMitID"]),
        .library(name: "JOSEZenKey", targets: ["JOSEZenKey"]),
        .library(name: "JOSERedis", targets: ["JOSERedis"]),
        .library(name: "JOSETesting", targets: ["JOSETesting"]),
        .executable(name: "bulla", targets: ["JOSECommand"]),
        .executable(name: "bulla-sandbox", targets: ["JOSESandboxCommand"]),
    ],
    traits: [
        .default(enabledTraits: ["Accelerated"]),
        .trait(
            name: "Accelerated",
            description: """
                Cryptography by code of this package. Signature verification: RSA, P-256 and Ed25519 in batches (AVX-512 IFMA, for \
                P-256 portable C too), single RSA signatures, and P-256 and Ed25519 keys in steady use; HMAC from kept states of \
                libcrypto's SHA-2; and, only where the caller chooses it, operations with private RSA keys for four tokens at a time \
                (AVX-512 IFMA). Without it libcrypto and libsodium compute all of these.
                """),
        .trait(name: "Zip", description: "Compressed content of JWE (zip: DEF), through zlib."),
        .trait(name: "HTTP", description: "Key sets over the network: JOSEFetch, through libcurl."),
        .trait(
            name: "Redis",
            description: "Stores of replay marks and of logins for several machines: JOSERedis, through hiredis."),
        .trait(
            name: "SAML", description: "Logins with DigiD by SAML 2.0, in JOSEDigiD, through libxml2 and xmlsec.",
            enabledTraits: ["Zip"]),
        .trait(
            name: "Server",
            description: "`bulla serve`, `bulla keys serve` and the servers of `bulla-sandbox`, through libmicrohttpd."),
    ],
    targets: [
        .systemLibrary(
            name: "COpenSSL", path: "CShims/COpenSSL", pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .systemLibrary(
            name: "CSodium", path: "CShims/CSodium", pkgConfig: "libsodium",
            providers: [.apt(["libsodium-dev"]), .brew(["libsodium"])]),
        .systemLibrary(
            name: "CZlib", path: "CShims/CZlib", pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .systemLibrary(
            name: "CCurl", path: "CShims/CCurl", pkgConfig: linkedCurl,
            providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
        .systemLibrary(
            name: "CMicroHTTPD", path: "CShims/CMicroHTTPD", pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"]), .brew(["libmicrohttpd"])]),
        // Without pkg-config: its file has a flag (-D_FILE_OFFSET_BITS=64) that packages may not use, and each build would warn.
        .systemLibrary(
            name: "CHiredis", path: "CShims/CHiredis", providers: [.apt(["libhiredis-dev"]), .brew(["hiredis"])]),
        .systemLibrary(
            name: "CLibSSL", path: "CShims/CLibSSL", pkgConfig: "libssl",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        // xmlsec has no module of its own, because its pkg-config flags would warn in each build: see CJOSEXML/src/xmlsec/xmlsec.h.
        .systemLibrary(
            name: "CXML2", path: "CShims/CXML2", pkgConfig: "libxml-2.0",
            providers: [.apt(["libxml2-dev", "libxmlsec1-dev"]), .brew(["libxml2", "libxmlsec1"])]),
        shim("CJOSEBytes"),
        shim("CJOSEOpenSSL", ["COpenSSL", .target(name: "CJOSEKernels", condition: accelerated)], [acceleratedC]),
        shim("CJOSESodium", ["CSodium"]),
        // Signature verification of many tokens at once and of single ones, on public values only. Without the trait it compiles to nothing.
        shim("CJOSEKernels", ["COpenSSL"], [acceleratedC]),
        // Operations with private RSA keys for several tokens at once. Without the trait it compiles to nothing.
        shim("CJOSEPrivateKernels", ["COpenSSL"], [acceleratedC]),
        // The only shim of the core that reads files, used by JOSEStore.
        shim("CJOSEStore", ["COpenSSL", "CJOSEOpenSSL"]),
        // Without the trait it compiles to nothing.
        shim(
            "CJOSEZip", ["CJOSEBytes", .target(name: "CZlib", condition: zip)],
            [.define("CJOSE_ZIP", .when(traits: ["Zip"]))]),
        shim(
            "CJOSEFetch",
            [
                "CJOSEBytes", .target(name: "CCurl", condition: http), .target(name: "CLibSSL", condition: http),
                .target(name: "COpenSSL", condition: http),
            ],
            [.define("CJOSE_HTTP", .when(traits: ["HTTP"]))]),
        shim(
            "CJOSERedis",
            [
                "CJOSEBytes", .target(name: "CHiredis", condition: redis), .target(name: "CLibSSL", condition: redis),
                .target(name: "COpenSSL", condition: redis),
            ], [.define("CJOSE_REDIS", .when(traits: ["Redis"]))],
            link: [.linkedLibrary("hiredis", .when(traits: ["Redis"]))]),
        shim(
            "CJOSEXML", [.target(name: "CXML2", condition: saml), .target(name: "COpenSSL", condition: saml)], xmlsec,
            link: [
                .linkedLibrary("xmlsec1-openssl", .when(traits: ["SAML"])),
                .linkedLibrary("xmlsec1", .when(traits: ["SAML"])),
            ]),
        // Certificates of test sites, generated at run time.
        shim("CJOSEAuthority", ["COpenSSL"]),
        // The HTTP server of both programs.
        shim(
            "CJOSEServe", [.target(name: "CMicroHTTPD", condition: server)],
            [.define("CJOSE_SERVER", .when(traits: ["Server"]))]),
        // Certificates of the sandbox's clients, and QR codes. Without the trait it compiles to nothing.
        shim(
            "CJOSESandbox", [], [.define("CJOSE_SERVER", .when(traits: ["Server"]))],
            link: [
                .linkedLibrary("gnutls", .when(traits: ["Server"])),
                .linkedLibrary("qrencode", .when(traits: ["Server"])),
            ]),

        module(.core, "JOSESupport", ["CJOSEBytes"]),
        module(
            .core, "JOSECrypto",
            [
                "JOSESupport", "CJOSEOpenSSL", "CJOSESodium", .target(name: "CJOSEKernels", condition: accelerated),
                .target(name: "CJOSEPrivateKernels", condition: accelerated),
                .target(name: "CJOSEZip", condition: zip),
            ]),
        module(.core, "JOSE", ["JOSECrypto", "JOSESupport"]),
        module(.core, "JOSETokens", ["JOSE", "JOSECrypto", "JOSESupport"]),
        module(.core, "JOSEStore", ["JOSE", "JOSECrypto", "JOSESupport", "CJOSEOpenSSL", "CJOSEStore"]),
        module(
            .core, "JOSERedis",
            [
                "JOSETokens", "JOSE", "JOSECrypto", "JOSESupport", .target(name: "CJOSERedis", condition: redis),
            ]),
        module(.keySets, "JOSEKeySets", ["JOSE", "JOSECrypto", "JOSESupport"]),
        module(
            .keySets, "JOSEFetch", ["JOSEKeySets", "JOSE", "JOSESupport", .target(name: "CJOSEFetch", condition: http)]),
        module(.login, "JOSERelyingParty", ["JOSEKeySets", "JOSETokens", "JOSE", "JOSECrypto", "JOSESupport"]),
        // A module for each provider, over the generic one. That of Entra proves that the public interface suffices for one.
        module(.login, "JOSEEntra", ["JOSERelyingParty", "JOSETokens", "JOSE"], packageAccess: false),
        module(.login, "JOSEItsme", login),
        module(.login, "JOSEMitID", login),
        module(.login, "JOSEZenKey", login),
        module(.login, "JOSEDigiD", login + [.target(name: "CJOSEXML", condition: saml)]),
        module(.core, "JOSETesting", ["JOSETokens", "JOSE", "JOSECrypto", "JOSESupport"]),
        // Test providers for logins and the pages of both sides, for bulla-sandbox and the tests.
        module(
            .command, "JOSESandbox",
            [
                "JOSERelyingParty", "JOSEKeySets", "JOSETokens", "JOSETesting", "JOSE", "JOSECrypto", "JOSESupport",
                "CJOSEAuthority", .target(name: "CJOSEServe", condition: server),
                .target(name: "CJOSESandbox", condition: server),
            ] + providers),
        // What both programs share: arguments, help, output and signals; and the description of an issuer, by options
        // or by the members of a configuration file.
        module(
            .command, "JOSESettings",
            ["JOSEFetch", "JOSEKeySets", "JOSETokens", "JOSEStore", "JOSE", "JOSECrypto", "JOSESupport"]),
        // The files that associate a web site with mobile apps, for bulla-sandbox.
        module(.command, "AppLinks", ["JOSESupport"]),
        // It links neither the sandbox nor SAML and app links.
        .executableTarget(
            name: "JOSECommand",
            dependencies: [
                "JOSESettings", "JOSE", "JOSETokens", "JOSEKeySets", "JOSEFetch", "JOSECrypto", "JOSESupport",
                .target(name: "CJOSEServe", condition: server), .target(name: "JOSERedis", condition: redis),
            ], path: "Sources/Command/JOSECommand", swiftSettings: settings),
        // `make demo`: what it builds is what tokens need.
        .executableTarget(
            name: "JOSEDemo", dependencies: ["JOSETokens", "JOSE", "JOSECrypto", "JOSESupport", "COpenSSL"],
            path: "Sources/Command/JOSEDemo", swiftSettings: settings),
        .executableTarget(
            name: "JOSESandboxCommand",
            dependencies: [
                "JOSESettings", "JOSESandbox", "AppLinks", "JOSERelyingParty", "JOSEFetch", "JOSEKeySets", "JOSE",
                "JOSESupport",
            ] + providers, path: "Sources/Command/JOSESandboxCommand", swiftSettings: settings),

        // Lets the environment choose the forms of base64url and of the kernels: for tests and benchmarks, never for the library.
        .target(
            name: "FormFromEnvironment",
            dependencies: ["CJOSEBytes", .target(name: "CJOSEKernels", condition: accelerated)],
            path: "Tests/Programs/FormFromEnvironment", cSettings: Array(cSettings.dropFirst()) + [acceleratedC]),
        .target(
            name: "TestSupport", dependencies: ["FormFromEnvironment", "JOSE", "JOSECrypto", "JOSESupport"],
            path: "Tests/TestSupport",
            swiftSettings: settings),
        // A process that tests start: it uses a PKCS#11 module.
        .executableTarget(name: "Pkcs11Client", path: "Tests/Programs/Pkcs11Client", cSettings: cSettings),
        // Another one: it compares the kernels for many signatures with libcrypto on any number of cases.
        .executableTarget(
            name: "KernelChecker",
            dependencies: ["FormFromEnvironment", "CJOSEKernels", "CJOSEOpenSSL", "COpenSSL", "CSodium"],
            path: "Tests/Programs/KernelChecker",
            exclude: ["README.md"], cSettings: cSettings + [acceleratedC]),
        // Inputs that repeat one element, and their parsers, whose instructions Tests/Scripts/linear.py counts.
        .target(name: "Callgrind", path: "Tests/Programs/Callgrind", cSettings: cSettings),
        .executableTarget(
            name: "LinearWork",
            dependencies: [
                "JOSE", "JOSETokens", "JOSEKeySets", "JOSEFetch", "JOSERelyingParty", "AppLinks", "JOSETesting",
                "JOSECrypto", "JOSESupport", "Callgrind",
            ] + providers, path: "Tests/Programs/LinearWork", swiftSettings: settings),
        // Processes that tests start: a transport by itself, a writer of snapshots, and competitors for the entries of a store.
        .executableTarget(
            name: "TestProcess", dependencies: ["JOSEFetch", "JOSEKeySets", "JOSERedis", "JOSETokens", "JOSE"],
            path: "Tests/Programs/TestProcess", swiftSettings: settings),
        tests(.core, "JOSESupportTests", ["JOSESupport", "CJOSEBytes"]),
        tests(.core, "JOSECryptoTests", ["KernelChecker", "JOSECrypto", "JOSESupport"]),
        tests(.core, "JOSETests", ["JOSE", "JOSECrypto", "JOSESupport"]),
        tests(.core, "JOSEStoreTests", ["JOSEStore", "JOSETokens", "JOSE"]),
        tests(
            .core, "JOSERedisTests",
            [
                "TestProcess", "JOSERedis", "JOSEDigiD", "JOSERelyingParty", "JOSETokens", "JOSE",
            ]),
        tests(
            .keySets, "JOSEKeySetsTests",
            ["TestProcess", "JOSEKeySets", "JOSETokens", "JOSE", "JOSECrypto", "JOSESupport"]),
        tests(.keySets, "JOSEFetchTests", ["TestProcess", "JOSEFetch", "JOSEKeySets", "JOSETokens", "JOSE"]),
        tests(.keySets, "JOSEFaultTests", ["JOSEFetch", "JOSEKeySets", "JOSETokens", "JOSE", "JOSETesting"]),
        tests(
            .login, "JOSERelyingPartyTests",
            [
                "JOSERelyingParty", "AppLinks", "JOSEKeySets", "JOSETokens", "JOSE", "JOSETesting", "JOSECrypto",
                "JOSESupport",
            ] + providers),
        tests(.command, "AppLinksTests", ["AppLinks"]),
        tests(
            .command, "JOSESandboxTests",
            [
                "JOSESandboxCommand", "JOSESandbox", "JOSERelyingParty", "JOSEFetch", "JOSEKeySets", "JOSETokens",
                "JOSE", "JOSETesting", "JOSECrypto", "JOSESupport",
            ] + providers),
        // A process that tests start: it parses SAML messages, and mutates them at random.
        .executableTarget(
            name: "SAMLReader",
            dependencies: [
                "JOSEDigiD", "JOSERelyingParty", "JOSEKeySets", "JOSETokens", "JOSE",
                .target(name: "SAMLRaw", condition: saml),
            ],
            path: "Tests/Programs/SAMLReader", swiftSettings: settings),
        // xmlsec by itself, with which the parser is compared.
        .target(
            name: "SAMLRaw",
            dependencies: [.target(name: "CXML2", condition: saml), .target(name: "COpenSSL", condition: saml)],
            path: "Tests/Programs/SAMLRaw",
            cSettings: Array(cSettings.dropFirst()) + [.headerSearchPath("../../../CShims/CJOSEXML/src")] + xmlsec,
            linkerSettings: [
                .linkedLibrary("xmlsec1-openssl", .when(traits: ["SAML"])),
                .linkedLibrary("xmlsec1", .when(traits: ["SAML"])),
            ]),
        tests(
            .login, "JOSEDigiDTests",
            [
                "SAMLReader", "JOSEDigiD", "JOSEItsme", "JOSERelyingParty", "JOSEKeySets", "JOSETokens", "JOSE",
                "JOSETesting", "JOSECrypto", "JOSESupport", .target(name: "CJOSEXML", condition: saml),
            ]),
        tests(.interop, "WycheproofTests", ["JOSE", "JOSECrypto", "JOSESupport"]),
        tests(
            .core, "JOSETokensTests",
            [
                "Pkcs11Client", "JOSETokens", "JOSEKeySets", "JOSEFetch", "JOSE", "JOSETesting", "JOSECrypto",
            ]),
        tests(.security, "JOSEThreatTests", ["JOSETokens", "JOSE", "JOSETesting", "JOSECrypto", "JOSESupport"]),
        tests(
            .command, "JOSECommandTests",
            [
                "JOSECommand", "JOSEDemo", "JOSESandboxCommand", "JOSESettings", "JOSERedis", "JOSEKeySets",
                "JOSETokens",
                "JOSE", "JOSETesting",
            ], exclude: ["Scripts"]),
    ]
)

// The tests build the examples and the calls of a developer's first hour with everything else. A plain `swift build` does not, because they
// need the trait HTTP. They see what is public, as they do in the packages of their own that they are in.
if Context.environment["BULLA_EXAMPLES"] != nil {
    let basics = ["Verify", "Nested", "RemoteKeys", "Issuer", "ExternalKey", "Batch", "Login"]
    let programs = basics.map { ("Example\($0)", "Examples/basics/Sources/\($0)") }
    for (name, path) in programs + [("FirstHourCalls", "Tests/FirstHour/Sources/FirstHour")] {
        package.targets.append(
            .executableTarget(
                name: name, dependencies: ["JOSETokens", "JOSEFetch", "JOSERelyingParty"], path: path,
                packageAccess: false))
    }
}
// The fuzzer, which Tests/Scripts/fuzz.sh builds under AddressSanitizer.
if Context.environment["BULLA_TESTS"]?.split(separator: " ").contains("fuzz") == true {
    package.targets += [
        .target(name: "FuzzForms", path: "Tests/Security/Fuzz/FuzzForms"),
        .executableTarget(
            name: "fuzz", dependencies: ["FuzzForms", "JOSE", "JOSETokens", "JOSETesting"],
            path: "Tests/Security/Fuzz/fuzz",
            swiftSettings: settings.prefix(3) + [.treatAllWarnings(as: .error)]),
    ]
}

// Some steps of CI build everything anew, for a sanitizer or without a trait, and run some of the tests. BULLA_TESTS names the targets that
// such a step needs, separated by spaces: test targets, and programs that a test starts without a dependency on them. All targets that none
// of these depends on are left out.
if let named = Context.environment["BULLA_TESTS"], !named.isEmpty {
    var wanted: Set<String> = []
    var unvisited = named.split(separator: " ").map(String.init)
    while let name = unvisited.popLast() {
        guard wanted.insert(name).inserted else { continue }
        guard let target = package.targets.first(where: { $0.name == name }) else {
            fatalError("BULLA_TESTS: this package has no target \(name).")
        }
        for dependency in target.dependencies {
            switch dependency {
            case .targetItem(let name, _), .byNameItem(let name, _): unvisited.append(name)
            default: break
            }
        }
    }
    package.targets.removeAll { !wanted.contains($0.name) }
    package.products.removeAll { product in
        let targets = (product as? Product.Library)?.targets ?? (product as? Product.Executable)?.targets ?? []
        return !targets.allSatisfy(wanted.contains)
    }
}
