import JOSECrypto
import JOSESettings
import JOSETokens

#if HTTP
    import JOSEFetch
#endif
#if Redis
    import JOSERedis
#endif
#if Server
    internal import CJOSESandbox
    internal import CJOSEServe
#endif
#if SAML
    internal import JOSESAML
#endif

extension Command {
    static let sbom = Command(
        "sbom", summary: "print the software bill of materials of this command (CycloneDX 1.6)",
        details: """
            Lists Bulla, the loaded C libraries with the versions that they report, and Swift's runtime. The same installation
            gives the same bytes: the document has no timestamp and no serial number.
            """,
        options: [Options.swift.spec]
    ) { (arguments) throws(CommandFailure) in
        let swift = try arguments.value(Options.swift) ?? SBOM.runtime
        Output.json(SBOM(swift: swift).text + "\n")
        return .valid
    }
}

extension Options {
    static let swift = Option("swift", "VERSION", "version of the toolchain, if the runtime reports too little") {
        text in
        let isVersion = text.utf8.allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ".")
        }
        return isVersion && !text.isEmpty ? text : nil
    }
}

/// A software bill of materials (CycloneDX 1.6, JSON).
struct SBOM {
    private struct Component {
        let name: String
        let version: String
        let type: String
        /// An SPDX expression.
        let license: String
        /// The vendor and product in the dictionary of CPE 2.3, by which security advisories refer to the component, or
        /// nil if it is not in the dictionary.
        var product: String?

        var reference: String { "pkg:generic/\(name)@\(version)" }

        var value: ClaimValue {
            var members: ClaimsBuilder = [
                "type": .string(type), "bom-ref": .string(reference), "name": .string(name),
                "version": .string(version), "licenses": [["expression": .string(license)]],
            ]
            if let product { members["cpe"] = "cpe:2.3:a:\(product):\(version):*:*:*:*:*:*:*" }
            members["purl"] = .string(reference)
            return members.value
        }

        func dependency(on parts: [Component]) -> ClaimValue {
            ["ref": .string(reference), "dependsOn": .array(parts.map { .string($0.reference) })]
        }
    }
    private let bulla = Component(name: "bulla", version: Bulla.version, type: "application", license: "Apache-2.0")
    private let parts: [Component]

    /// The version of Swift's runtime, which reports no more than major and minor version.
    static var runtime: String {
        "\(_SwiftStdlibVersion.current)".split(separator: ".").prefix(2).joined(separator: ".")
    }

    init(swift: String) {
        parts =
            LinkedLibrary.all.map {
                Component(
                    name: $0.name.description, version: $0.version, type: "library", license: $0.license.description,
                    product: "\($0.name):\($0.name)")
            } + Self.ofTraits + [
                Component(
                    name: "swift", version: swift, type: "platform", license: "Apache-2.0 WITH Swift-exception",
                    product: "apple:swift")
            ]
    }

    private static var ofTraits: [Component] {
        var parts: [Component] = []
        func add(_ name: String, _ version: String, _ license: String, _ product: String) {
            parts.append(Component(name: name, version: version, type: "library", license: license, product: product))
        }
        #if HTTP
            add("libcurl", CurlTransport.libraryVersion, "curl", "haxx:libcurl")
        #endif
        #if Server
            let (http, tls, code) = unsafe (
                String(cString: cjose_serve_version()), String(cString: cjose_sandbox_tls_version()),
                String(cString: cjose_sandbox_code_version())
            )
            add("libmicrohttpd", http, "LGPL-2.1-or-later", "gnu:libmicrohttpd")
            add("gnutls", tls, "LGPL-2.1-or-later", "gnu:gnutls")
            add("libqrencode", code, "LGPL-2.1-or-later", "fukuchi:libqrencode")
        #endif
        #if Redis
            add("hiredis", RedisScripts.libraryVersion, "BSD-3-Clause", "redis:hiredis")
        #endif
        #if SAML
            add("libxml2", SAMLLibraries.xml2, "MIT", "xmlsoft:libxml2")
            add("xmlsec1", SAMLLibraries.xmlsec, "MIT", "xmlsec:xmlsec")
        #endif
        return parts
    }

    var text: String {
        let document: ClaimsBuilder = [
            "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "metadata": ["component": bulla.value],
            "components": .array(parts.map(\.value)),
            "dependencies": .array([bulla.dependency(on: parts)] + parts.map { $0.dependency(on: []) }),
        ]
        return String(decoding: document.json(), as: UTF8.self)
    }
}
