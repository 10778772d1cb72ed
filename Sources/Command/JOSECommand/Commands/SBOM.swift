import JOSEBytes
import JOSECrypto
import JOSESettings

#if HTTP
    import JOSEFetch
#endif
#if Redis
    import JOSERedis
#endif
#if Server
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
        #if HTTP
            parts.append(
                Component(
                    name: "libcurl", version: CurlTransport.libraryVersion, type: "library", license: "curl",
                    product: "haxx:libcurl"))
        #endif
        #if Server
            parts.append(
                Component(
                    name: "libmicrohttpd", version: unsafe String(cString: cjose_serve_version()), type: "library",
                    license: "LGPL-2.1-or-later", product: "gnu:libmicrohttpd"))
            parts.append(
                Component(
                    name: "gnutls", version: unsafe String(cString: cjose_serve_tls_version()), type: "library",
                    license: "LGPL-2.1-or-later", product: "gnu:gnutls"))
            parts.append(
                Component(
                    name: "libqrencode", version: unsafe String(cString: cjose_serve_code_version()), type: "library",
                    license: "LGPL-2.1-or-later", product: "fukuchi:libqrencode"))
        #endif
        #if Redis
            parts.append(
                Component(
                    name: "hiredis", version: RedisScripts.libraryVersion, type: "library", license: "BSD-3-Clause",
                    product: "redis:hiredis"))
        #endif
        #if SAML
            parts.append(
                Component(
                    name: "libxml2", version: SAMLLibraries.xml2, type: "library", license: "MIT",
                    product: "xmlsoft:libxml2"))
            parts.append(
                Component(
                    name: "xmlsec1", version: SAMLLibraries.xmlsec, type: "library", license: "MIT",
                    product: "xmlsec:xmlsec"))
        #endif
        return parts
    }

    var text: String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("bomFormat", "CycloneDX")
        writer.member("specVersion", "1.6")
        writer.member("version", 1)
        writer.name("metadata")
        writer.beginObject()
        writer.name("component")
        Self.write(bulla, to: &writer)
        writer.endObject()
        writer.name("components")
        writer.beginArray()
        for part in parts { Self.write(part, to: &writer) }
        writer.endArray()
        writer.name("dependencies")
        writer.beginArray()
        Self.write(bulla, dependsOn: parts, to: &writer)
        for part in parts { Self.write(part, dependsOn: [], to: &writer) }
        writer.endArray()
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private static func write(_ component: Component, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("type", component.type)
        writer.member("bom-ref", component.reference)
        writer.member("name", component.name)
        writer.member("version", component.version)
        writer.name("licenses")
        writer.beginArray()
        writer.beginObject()
        writer.member("expression", component.license)
        writer.endObject()
        writer.endArray()
        if let product = component.product {
            writer.member("cpe", "cpe:2.3:a:\(product):\(component.version):*:*:*:*:*:*:*")
        }
        writer.member("purl", component.reference)
        writer.endObject()
    }

    private static func write(_ component: Component, dependsOn parts: [Component], to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("ref", component.reference)
        writer.name("dependsOn")
        writer.beginArray()
        for part in parts { writer.string(part.reference) }
        writer.endArray()
        writer.endObject()
    }
}
