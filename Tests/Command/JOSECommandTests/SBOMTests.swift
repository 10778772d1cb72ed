import Foundation
import JOSE
import TestSupport
import Testing

/// Tests of the command `sbom` against the programs themselves, and against the requirements of CycloneDX 1.6.
@Suite("The bill of materials (SBOM)") struct SBOMTests {
    private static func bill(_ options: [String] = [], of program: String = "bulla") throws -> String {
        let tool = try #require(builtTool(program))
        let result = try run(tool, ["sbom"] + options)
        #expect(result.status == 0 && result.stderr.isEmpty)
        return result.stdout
    }

    private static func list(_ json: JSON?) -> [JSON] {
        if case .array(let values)? = json { values } else { [] }
    }

    private static func components(_ bill: JSON) -> [JSON] {
        list(bill["components"]) + [bill["metadata"]?["component"]].compactMap { $0 }
    }

    /// Returns the violations of the schema.
    private static func faults(_ bill: JSON) -> [String] {
        var faults: [String] = []
        if bill["bomFormat"]?.string != "CycloneDX" { faults.append("bomFormat") }
        if bill["specVersion"]?.string != "1.6" { faults.append("specVersion") }
        if bill["version"] != .number(1) { faults.append("version") }
        var references: Set<String> = []
        for component in components(bill) {
            guard let name = component["name"]?.string, let version = component["version"]?.string else {
                faults.append("a component without name or version")
                continue
            }
            if !["application", "library", "platform"].contains(component["type"]?.string) { faults.append("type") }
            if component["purl"]?.string != "pkg:generic/\(name)@\(version)" { faults.append("purl of \(name)") }
            if !references.insert(component["bom-ref"]?.string ?? "").inserted { faults.append("bom-ref of \(name)") }
            if list(component["licenses"]).first?["expression"]?.string == nil { faults.append("license of \(name)") }
            let cpe = component["cpe"]?.string.map { $0.components(separatedBy: ":") }
            if let cpe, cpe.count != 13 || cpe[5] != version { faults.append("cpe of \(name)") }
        }
        let dependencies = list(bill["dependencies"])
        if Set(dependencies.compactMap { $0["ref"]?.string }) != references { faults.append("dependencies") }
        for dependency in dependencies {
            for reference in list(dependency["dependsOn"]) where !references.contains(reference.string ?? "") {
                faults.append("a dependency on nothing")
            }
        }
        return faults
    }

    @Test(
        "T70 the bill of materials is a valid document, and identical each time", arguments: ["bulla", "bulla-sandbox"])
    func valid(_ program: String) throws {
        let text = try Self.bill(of: program)
        #expect(try Self.bill(of: program) == text)
        #expect(try Self.faults(JSON(text.utf8)).isEmpty)
        for (from, to) in [
            (#""bom-ref":"pkg:generic/openssl@"#, #""bom-ref":"pkg:generic/opensssl@"#),
            (#""purl":"pkg:generic/openssl@"#, #""purl":"openssl@"#), (#""specVersion":"1.6""#, #""specVersion":1"#),
            (#"{"ref":"pkg:generic/swift@"#, #"{"ref":"pkg:generic/java@"#), ("\"name\":\"libsodium\",", ""),
        ] {
            let spoilt = text.replacingOccurrences(of: from, with: to)
            #expect(spoilt != text)
            #expect(try !Self.faults(JSON(spoilt.utf8)).isEmpty, "\(from)")
        }
    }

    @Test("T70 the bill of materials contains the given toolchain version, unless that is not a version")
    func toolchain()
        throws
    {
        let bill = try JSON(Self.bill(["--swift", "6.3.1"]).utf8)
        #expect(Self.components(bill).first { $0["name"]?.string == "swift" }?["version"]?.string == "6.3.1")
        #expect(Self.faults(bill).isEmpty)
        let tool = try #require(builtTool("bulla"))
        #expect(try run(tool, ["sbom", "--swift", "six"]).status == 2)
    }

    #if os(Linux)
        @Test(
            "T70 the bill of materials lists the linked libraries with the versions that are loaded",
            arguments: ["bulla", "bulla-sandbox"])
        func linked(_ program: String) throws {
            let tool = try #require(builtTool(program))
            let bill = try JSON(Self.bill(of: program).utf8)
            let components = Dictionary(
                Self.components(bill).compactMap { component in
                    component["name"]?.string.map { ($0, component["version"]?.string ?? "") }
                }, uniquingKeysWith: { first, _ in first })
            var found: Set<String> = [program]
            // The dependencies of the dependencies are not listed.
            let needed = Set(
                try run("readelf", ["-d", tool]).stdout.split(separator: "\n").filter { $0.contains("(NEEDED)") }
                    .compactMap { $0.split(separator: "[").last?.split(separator: "]").first.map(String.init) })
            #expect(needed.contains { $0.hasPrefix("libcrypto") })
            // libcurl is loaded by its name at its first use.
            let loaded = "libcurl.so.4"
            #expect(try Data(contentsOf: URL(filePath: tool)).range(of: Data("\(loaded)\0".utf8)) != nil)
            let known = try run("/sbin/ldconfig", ["-p"]).stdout.split(separator: "\n")
            let libraries =
                try run("ldd", [tool]).stdout.split(separator: "\n") + known.filter { $0.contains("\t\(loaded) ") }
            for line in libraries {
                // The loader's list has what the library is for in parentheses.
                let words = line.split(whereSeparator: \.isWhitespace).filter {
                    !$0.hasPrefix("(") || $0.hasPrefix("(0x")
                }
                let library = String(words[0].split(separator: "/").last ?? "")
                guard needed.contains(library) || library == loaded else { continue }
                switch library.prefix(while: { $0 != "." && $0 != "-" }) {
                case "libcrypto": found.insert("openssl")
                // It is of OpenSSL, and its file has no version.
                case "libssl": continue
                case "libhiredis": found.insert("hiredis")
                case "libsodium": found.insert("libsodium")
                case "libz": found.insert("zlib")
                case "libcurl": found.insert("libcurl")
                case "libmicrohttpd": found.insert("libmicrohttpd")
                case "libgnutls": found.insert("gnutls")
                case "libqrencode": found.insert("libqrencode")
                case "libxml2": found.insert("libxml2")
                case "libxmlsec1": found.insert("xmlsec1")
                // These belong to the platform: libc, its compiler's runtime (a sanitizer adds libresolv), and the loader.
                case "linux", "ld", "libc", "libm", "libdl", "librt", "libpthread", "libresolv", "libgcc_s",
                    "libstdc++":
                    continue
                default:
                    let isSwift = ["libswift", "lib_Foundation", "libFoundation", "libdispatch", "libBlocksRuntime"]
                        .contains { library.hasPrefix($0) }
                    #expect(isSwift, "\(library) is linked, and in no bill")
                    found.insert("swift")
                    continue
                }
                // The library file contains the same version.
                let name = [
                    "libcrypto": "openssl", "libhiredis": "hiredis", "libsodium": "libsodium",
                    "libz": "zlib", "libcurl": "libcurl",
                    "libmicrohttpd": "libmicrohttpd", "libgnutls": "gnutls", "libxml2": "libxml2",
                    "libxmlsec1": "xmlsec1", "libqrencode": "libqrencode",
                ].first { library.hasPrefix($0.key) }
                let version = try #require(name.flatMap { components[$0.value] })
                let place = URL(filePath: String(words[2]))
                // Some libraries have the version only in the name of the file.
                let named = place.resolvingSymlinksInPath().lastPathComponent
                // hiredis has its version nowhere in the file, and numbers the interface in its name.
                var isNamed = named.contains(version)
                if name?.value == "hiredis" {
                    let packaged = try run("pkg-config", ["--modversion", "hiredis"]).stdout
                    isNamed = packaged.trimmingCharacters(in: .whitespacesAndNewlines) == version
                }
                let file = try Data(contentsOf: place)
                let isSame = isNamed || file.range(of: Data(version.utf8)) != nil
                #expect(isSame && version.contains("."), "\(library) \(version)")
            }
            #expect(Set(components.keys) == found)
        }

        @Test("T70 bulla loads no library that only the sandbox needs, which is found in bulla-sandbox")
        func unlinked() throws {
            let script = Repository.root.appending(path: "Tests/Scripts/unlinked.sh").path
            let without = try run("/bin/sh", [script, try #require(builtTool("bulla"))])
            #expect(without.status == 0, "\(without.stdout)\(without.stderr)")
            let with = try run("/bin/sh", [script, try #require(builtTool("bulla-sandbox"))])
            #expect(with.status == 1)
            for library in ["libxml2", "libxmlsec1", "libqrencode", "libgnutls"] {
                #expect(with.stderr.contains(library), "\(with.stderr)")
            }
        }
    #endif

    @Test("T70 the bill of materials and --version state the same version") func version() throws {
        let bill = try JSON(Self.bill().utf8)
        let result = try run(try #require(builtTool("bulla")), ["--version"])
        let version = bill["metadata"]?["component"]?["version"]?.string
        let lines = result.stdout.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 4 && lines.first == "bulla \(version ?? "")" && lines.last == "", "\(result.stdout)")
        // The second line names what verifies on this machine.
        let single = "\(SignatureAlgorithm.rs256.verificationImplementation)"
        let batch = "\(SignatureAlgorithm.ed25519.batchVerificationImplementation)"
        #expect(lines[1].contains("RSA \(single), ") && lines[1].contains("in batches \(batch); others"))
    }
}
