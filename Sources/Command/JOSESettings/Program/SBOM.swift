internal import JOSECrypto
internal import JOSESupport
internal import JOSETokens

#if HTTP
    internal import JOSEFetch
#endif

extension Command {
    /// Returns the command that prints the bill of materials of a program.
    ///
    /// - Parameters:
    ///   - name: The name of the program.
    ///   - libraries: The C libraries that it links, beside libcurl and those of cryptography and compression.
    package static func sbom(
        of name: String, _ libraries: @escaping @Sendable () -> [SBOM.Component]
    ) -> Command {
        Command(
            "sbom", summary: "print the software bill of materials of this command (CycloneDX 1.6)",
            details: """
                Lists \(name), the C libraries that it links with the versions that they report, and Swift's
                runtime. The same installation gives the same bytes: the document has no timestamp and no serial number.
                """,
            options: [Options.swift.spec]
        ) { (arguments) throws(CommandFailure) in
            let swift = try arguments.value(Options.swift) ?? SBOM.runtime
            Output.json(SBOM(of: name, libraries(), swift: swift).text + "\n")
            return .valid
        }
    }
}

extension Options {
    fileprivate static let swift = Option(
        "swift", "VERSION", "version of the toolchain, if the runtime reports too little"
    ) {
        text in
        let isVersion = text.utf8.allSatisfy { $0.isASCIIDigit || $0 == UInt8(ascii: ".") }
        return isVersion && !text.isEmpty ? text : nil
    }
}

/// A software bill of materials (CycloneDX 1.6, JSON).
package struct SBOM {
    package struct Component: Sendable {
        let name: String
        let version: String
        let type: String
        /// An SPDX expression.
        let license: String
        /// The vendor and product in the dictionary of CPE 2.3, by which security advisories refer to the component, or
        /// nil if it is not in the dictionary.
        let product: String?

        fileprivate init(_ name: String, _ version: String, _ type: String, _ license: String, _ product: String? = nil)
        {
            (self.name, self.version, self.type) = (name, version, type)
            (self.license, self.product) = (license, product)
        }

        /// Creates the component of a C library.
        package init(_ name: String, _ version: String, _ license: String, product: String) {
            self.init(name, version, "library", license, product)
        }

        fileprivate var reference: String { "pkg:generic/\(name)@\(version)" }

        fileprivate var value: ClaimValue {
            var members: ClaimsBuilder = [
                "type": .string(type), "bom-ref": .string(reference), "name": .string(name),
                "version": .string(version), "licenses": [["expression": .string(license)]],
            ]
            if let product { members["cpe"] = "cpe:2.3:a:\(product):\(version):*:*:*:*:*:*:*" }
            members["purl"] = .string(reference)
            return .object(members.object)
        }

        fileprivate func dependency(on parts: [Component]) -> ClaimValue {
            ["ref": .string(reference), "dependsOn": .array(parts.map { .string($0.reference) })]
        }
    }
    private let program: Component
    private let parts: [Component]

    /// The version of Swift's runtime, which reports no more than major and minor version.
    fileprivate static var runtime: String {
        "\(_SwiftStdlibVersion.current)".split(separator: ".").prefix(2).joined(separator: ".")
    }

    fileprivate init(of name: String, _ libraries: [Component], swift: String) {
        program = Component(name, Release.version, "application", "Apache-2.0")
        parts =
            LinkedLibrary.all.map {
                Component("\($0.name)", $0.version, "\($0.license)", product: "\($0.name):\($0.name)")
            } + Self.transport + libraries + [
                Component("swift", swift, "platform", "Apache-2.0 WITH Swift-exception", "apple:swift")
            ]
    }

    private static var transport: [Component] {
        #if HTTP
            CurlTransport.libraryVersion.map { [Component("libcurl", $0, "curl", product: "haxx:libcurl")] } ?? []
        #else
            []
        #endif
    }

    fileprivate var text: String {
        let document: ClaimsBuilder = [
            "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "metadata": ["component": program.value],
            "components": .array(parts.map(\.value)),
            "dependencies": .array([program.dependency(on: parts)] + parts.map { $0.dependency(on: []) }),
        ]
        return String(decoding: document.json(), as: UTF8.self)
    }
}
