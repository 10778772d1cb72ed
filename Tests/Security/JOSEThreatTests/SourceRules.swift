import Foundation
import TestSupport
import Testing

/// Rules that are checked in the sources, because no input can show that all code follows them.
@Suite("Rules of the sources") struct SourceRules {
    private static let root = Repository.root

    private struct Source {
        let name: String
        /// The source without comments, so that a word in a comment is no violation.
        let code: String
    }

    private static func sources(_ folders: String..., ending endings: [String]) throws -> [Source] {
        try folders.flatMap { folder -> [Source] in
            let start = root.appending(path: folder)
            let walker = try #require(FileManager.default.enumerator(at: start, includingPropertiesForKeys: nil))
            let files = walker.compactMap { $0 as? URL }.filter { endings.contains($0.pathExtension) }
            try #require(!files.isEmpty, "no sources in \(folder)")
            return try files.map { file in
                let lines = try String(contentsOf: file, encoding: .utf8).split(
                    separator: "\n", omittingEmptySubsequences: false)
                let code = lines.map { line in
                    line.range(of: "//").map { String(line[..<$0.lowerBound]) } ?? String(line)
                }
                return Source(name: file.lastPathComponent, code: code.joined(separator: "\n"))
            }
        }
    }

    private static func libraries() throws -> [Source] {
        try sources(
            "Sources/Core/JOSESupport", "Sources/Core/JOSECrypto", "Sources/Core/JOSE", "Sources/Core/JOSETokens",
            ending: ["swift"])
    }
    private static func shims() throws -> [Source] {
        try sources("CShims", ending: ["c", "h"])
    }

    private func expect(_ sources: [Source], hold pattern: String, nowhereBut exceptions: [String] = [], _ why: Comment)
        throws
    {
        let regex = try Regex(pattern)
        #expect(!sources.isEmpty)
        for source in sources where !exceptions.contains(source.name) {
            for match in source.code.matches(of: regex) {
                let line = source.code[..<match.range.lowerBound].split(
                    separator: "\n", omittingEmptySubsequences: false
                ).count
                Issue.record("\(source.name):\(line): \(source.code[match.range]): \(why)")
            }
        }
    }

    @Test("each source rule finds the violations in a sample")
    func control() throws {
        let sample = [Source(name: "x", code: "a = socket(b);\nif (EVP_X(a) > 0)\nmemcmp(tag, b, n)")]
        for pattern in [Self.network, Self.comparison] {
            #expect(try sample[0].code.contains(Regex(pattern)), "\(pattern)")
        }
        #expect(try Self.libraries().count > 60)
        #expect(try Self.shims().count > 30)
    }

    /// Sources of the transport (trait HTTP), which load libcurl, open sockets and read files of root certificates.
    private static let fetch = ["configure.c", "settings.c", "libcurl.c"]
    /// Sources of the stores in Redis (trait Redis), which resolve and connect to servers and read certificate files.
    private static let redis = ["lookup.c", "connect.c", "tls.c"]
    private static let network =
        #"\b(socket|connect|getaddrinfo|gethostbyname|fopen|openat|popen|system|BIO_new_file|BIO_s_file|BIO_new_fp|OSSL_STORE_\w+|OSSL_HTTP\w*|BIO_new_connect|dlopen)\s*\("#

    @Test(
        "T07 only the stores and the transport, which are separate products, can access files or the network"
    )
    func noNetwork() throws {
        try expect(
            Self.shims(), hold: Self.network, nowhereBut: ["store.c", "listen.c"] + Self.fetch + Self.redis,
            "reaches out")
        try expect(Self.libraries(), hold: #"\b(C?JOSEStore|C?JOSEFetch)\b"#, "reaches out by the store or the network")
        try expect(
            Self.libraries(),
            hold:
                #"\b(URLSession|FileManager|FileHandle|FoundationNetworking|contentsOf(File)?:\s*(URL|file)|socket\(|open\(O_|fopen)"#,
            "reaches out")
    }

    @Test("T07 remote key sets access no files except their snapshots, in one source file")
    func files() throws {
        let sources = try Self.sources("Sources/KeySets/JOSEKeySets", ending: ["swift"])
        let calls = #"\b(Glibc|Darwin|Musl|(open|creat|mkdir|rename|unlink)(at)?\(|FileManager|FileHandle|contentsOf)"#
        let words = calls + #"|\bFoundation\w*"#
        try expect(sources, hold: calls, nowhereBut: ["OpenFolder.swift"], "touches files")
        // The types of Foundation that callers use: addresses, and no files.
        let edges = ["OpenFolder.swift", "RemoteKeySet+Foundation.swift"]
        try expect(sources, hold: words, nowhereBut: edges, "touches files")
        #expect(try sources.contains { try $0.name == "OpenFolder.swift" && $0.code.contains(Regex(words)) })
        try expect(
            sources, hold: #"\bOpenFolder\b"#, nowhereBut: ["OpenFolder.swift", "SnapshotFolder.swift"], "touches files"
        )
    }

    private static let comparison = #"\b(memcmp|bcmp|strcmp|strncmp)\s*\("#

    @Test("T58 tags and secrets are not compared by functions that stop early")
    func constantTime() throws {
        // These compare labels of PEM, names of curves, HTTP methods, ports, public text, error names,
        // addresses of servers, times of files and XML tags, and run a self-test of the library.
        let names = [
            "key_import.c", "cert_pem.c", "key_adopt.c", "library.c", "serve.c", "turns.c",
            "CJOSEBytes.h", "reply.c", "address.c", "bounds.c", "files.c", "traffic.c",
        ]
        try expect(Self.shims(), hold: Self.comparison, nowhereBut: names, "stops at the first difference")
        // Swift code that compares a tag or a MAC calls the shim.
        try expect(Self.libraries(), hold: #"\b(tag|mac|signature)\s*==\s*\w"#, "stops at the first difference")
    }

    @Test("T70 the package has no Swift dependency, and C libraries come from the system")
    func dependencies() throws {
        let manifest = try String(contentsOf: Self.root.appending(path: "Package.swift"), encoding: .utf8)
        #expect(!manifest.contains(".package("))
        #expect(!manifest.contains("unsafeFlags"))
        #expect(!manifest.contains("binaryTarget"))
        #expect(!FileManager.default.fileExists(atPath: Self.root.appending(path: "Package.resolved").path))
    }

    @Test("JOSERelyingParty names no provider, and ARCHITECTURE.md names what it declares for those of this package")
    func providers() throws {
        let folder = Self.root.appending(path: "Sources/Login/JOSERelyingParty")
        let names = try Regex(#"(?i)itsme|mitid|digid|zenkey|entra\b|altid"#)
        let declared = try Regex(#"(?m)^package (?:final class|struct|enum|protocol|typealias|func) (\w+)"#)
        var found: Set<String> = []
        // Comments and texts are read too: a provider's URL is a name of it.
        for case let file as URL in try #require(
            FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        where ["swift", "md"].contains(file.pathExtension) {
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(text.firstMatch(of: names) == nil, "\(file.lastPathComponent) names a provider")
            for match in text.matches(of: declared) { found.insert(String(match.output[1].substring ?? "")) }
        }
        #expect("https://idp.itsme.be".firstMatch(of: names) != nil && found.contains("ProviderDirectory"))
        let architecture = try String(contentsOf: Self.root.appending(path: "ARCHITECTURE.md"), encoding: .utf8)
        let section = try #require(
            architecture.components(separatedBy: "\n## ").first { $0.hasPrefix("What the modules of providers use") })
        for name in found.sorted() { #expect(section.contains("`\(name)`"), "ARCHITECTURE.md lacks \(name)") }
    }

    @Test("X05 Foundation's JSON decoder is not used in verification")
    func noFoundationJSON() throws {
        let word = #"\b(JSONDecoder|JSONSerialization|JSONEncoder)\b"#
        let extensions = ["Claims+Foundation.swift", "NumericDate+Foundation.swift"]
        try expect(Self.libraries(), hold: word, nowhereBut: extensions, "another reader of JSON")
        let foundation = #"import Foundation"#
        let edges =
            extensions + [
                "ClaimValue+Foundation.swift", "DPoP+Foundation.swift", "CodedError.swift", "Data+ByteSource.swift",
            ]
        try expect(Self.libraries(), hold: foundation, nowhereBut: edges, "Foundation in the core")
    }

    @Test("X08 a length is narrowed to int only after a check of its size")
    func narrowing() throws {
        let cast = try Regex(#"\(int\)\s*(\w+->)?(n|in_len|\w*_len|\w+\.count|\w*count|\w*size)\b"#)
        var seen = 0
        for source in try Self.shims() where source.code.contains(cast) {
            seen += 1
            // Some lengths have a bound of their own: numbers of an RSA key, coordinates of a curve, sizes that libcrypto
            // returned, and the content ciphers behind aead.c. The shims of servers compare with INT_MAX itself.
            let isBounded =
                ["key_rsa.c", "key_ec.c", "key_parts.c", "rsa_key.c", "private_oaep.c", "authority.c"].contains(
                    source.name)
                || source.name.hasPrefix("aead_") || source.code.contains("> INT_MAX")
            #expect(isBounded || source.code.contains("cjose_too_long("), "\(source.name)")
        }
        #expect(seen > 2)
    }

    @Test("X10 no result of libcrypto counts as success because it is not zero")
    func answersOfLibcrypto() throws {
        // The rule applies to all calls except those that return a pointer, a size or nothing, by their names.
        let call = try Regex(#"\b(EVP|RAND|PEM|OSSL_PARAM_BLD_push|OSSL_ENCODER_to)_\w+\("#)
        let other = try Regex(
            #"(_free|_new\w*|_fetch|_dup|_get_bits|_get_size|_get0_\w+|_set_flags|PKCS82PKEY_ex|PEM_write_bio|PEM_read_bio_(X509(_AUX)?|PrivateKey)|EVP_EC_gen|EVP_sha\d+)\($"#
        )
        var seen = 0
        for source in try Self.shims() {
            for match in source.code.matches(of: call) where !source.code[match.range].contains(other) {
                var depth = 1
                let rest = source.code[match.range.upperBound...]
                let end = rest.firstIndex { letter in
                    depth += letter == "(" ? 1 : letter == ")" ? -1 : 0
                    return depth == 0
                }
                let after = rest[(end ?? rest.startIndex)...].dropFirst().drop { $0.isWhitespace }.prefix(4)
                seen += 1
                // This function compares the result with 1, and tells 0 and negative numbers apart.
                let isJudged = source.code[..<match.range.lowerBound].hasSuffix("cjose_verdict(")
                #expect(
                    after == "== 1" || after == "!= 1" || isJudged, "\(source.name): \(source.code[match.range])")
            }
        }
        #expect(seen > 80)
    }

    @Test("X11 paddings, salts and hashes are set explicitly, not left to libcrypto's defaults")
    func defaults() throws {
        let code = try Self.shims().map(\.code).joined()
        for call in [
            "EVP_PKEY_CTX_set_rsa_padding", "EVP_PKEY_CTX_set_rsa_mgf1_md", "EVP_PKEY_CTX_set_rsa_pss_saltlen",
            "EVP_PKEY_CTX_set_rsa_oaep_md", "OSSL_CIPHER_PARAM_AEAD_TAG",
        ] { #expect(code.contains(call), "\(call)") }
        #expect(!code.contains("RSA_PSS_SALTLEN_AUTO") && !code.contains("RSA_PSS_SALTLEN_MAX"))
        #expect(!code.contains("RSA_PKCS1_PADDING, cjose_work_oaep"))
        // libcrypto verifies Ed448 only, whose keys are checked on import; its Ed25519 accepts points of small order (X12).
        #expect(try Self.shims().filter { $0.code.contains("EVP_DigestVerify(") }.map(\.name) == ["sign_message.c"])
    }

    @Test("X14 secrets are not stored in Data, and sources print none")
    func secrets() throws {
        try expect(
            Self.libraries(), hold: #"\bData\b"#, nowhereBut: ["Claims+Foundation.swift", "Data+ByteSource.swift"],
            "Data copies what it holds")
        try expect(Self.libraries(), hold: #"\b(print|debugPrint|dump|NSLog|fputs)\("#, "prints")
        try expect(Self.shims(), hold: #"\b(printf|fprintf|puts|perror|ERR_print_errors\w*)\s*\("#, "prints")
    }

    @Test("X16 no code forks the process after the libraries were initialized")
    func fork() throws {
        let word = #"\b(fork|vfork|posix_spawn\w*|exec[vl]\w*)\s*\("#
        try expect(Self.shims(), hold: word, "forks")
        try expect(Self.libraries(), hold: word, "forks")
        let command = try Self.sources(
            "Sources/Command/JOSECommand", "Sources/Command/JOSESandboxCommand", "Sources/Command/JOSESettings",
            ending: ["swift"])
        try expect(command, hold: word, "forks")
    }
}
