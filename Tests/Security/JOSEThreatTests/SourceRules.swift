import Foundation
import TestSupport
import Testing

/// Rules that are read off the sources, because no input shows that they hold everywhere.
@Suite("Rules of the sources") struct SourceRules {
    private static let root = Repository.root

    private struct Source {
        let name: String
        /// Without comments, so that a word in one is no fault.
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
            "Sources/Core/JOSEBytes", "Sources/Core/JOSECrypto", "Sources/Core/JOSE", "Sources/Core/JOSETokens",
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

    @Test("the rules find what they look for")
    func control() throws {
        let sample = [Source(name: "x", code: "a = socket(b);\nif (EVP_X(a) > 0)\nmemcmp(tag, b, n)")]
        for pattern in [Self.network, Self.comparison] {
            #expect(try sample[0].code.contains(Regex(pattern)), "\(pattern)")
        }
        #expect(try Self.libraries().count > 60)
        #expect(try Self.shims().count > 30)
    }

    /// Of the transport, which the trait HTTP alone compiles: the socket of a connection, and whether a file of roots is one.
    private static let fetch = ["configure.c", "settings.c"]
    /// Of the store of logins, which the trait Redis alone compiles: a server's address, its connection, and files of certificates.
    private static let redis = ["lookup.c", "connect.c", "tls.c"]
    private static let network =
        #"\b(socket|connect|getaddrinfo|gethostbyname|fopen|openat|popen|system|BIO_new_file|BIO_s_file|BIO_new_fp|OSSL_STORE_\w+|OSSL_HTTP\w*|BIO_new_connect|dlopen)\s*\("#

    @Test(
        "T07 neither the libraries nor the shims can reach a file or the network, but for the stores and the transport, products of their own"
    )
    func noNetwork() throws {
        try expect(Self.shims(), hold: Self.network, nowhereBut: ["store.c"] + Self.fetch + Self.redis, "reaches out")
        try expect(Self.libraries(), hold: #"\b(C?JOSEStore|C?JOSEFetch)\b"#, "reaches out by the store or the network")
        try expect(
            Self.libraries(),
            hold:
                #"\b(URLSession|FileManager|FileHandle|FoundationNetworking|contentsOf(File)?:\s*(URL|file)|socket\(|open\(O_|fopen)"#,
            "reaches out")
    }

    @Test("T07 key sets from the network touch one kind of file, in one place: their own snapshots")
    func files() throws {
        let sources = try Self.sources("Sources/KeySets/JOSEKeySets", ending: ["swift"])
        let words = #"\b(Glibc|Darwin|Musl|Foundation\w*|(open|creat|mkdir|rename|unlink)(at)?\()"#
        try expect(sources, hold: words, nowhereBut: ["OpenFolder.swift"], "touches files")
        #expect(try sources.contains { try $0.name == "OpenFolder.swift" && $0.code.contains(Regex(words)) })
        try expect(
            sources, hold: #"\bOpenFolder\b"#, nowhereBut: ["OpenFolder.swift", "SnapshotFolder.swift"], "touches files"
        )
    }

    private static let comparison = #"\b(memcmp|bcmp|strcmp|strncmp)\s*\("#

    @Test("T58 tags and secrets meet no comparison that stops early")
    func constantTime() throws {
        // Labels of PEM, names of curves and of kernels, a self-test of the library, methods of HTTP, a port,
        // public text, the first word of an error, addresses of servers, and tags of XML.
        let names = [
            "key_import.c", "cert_pem.c", "key_adopt.c", "base64url.c", "library.c", "serve.c", "turns.c",
            "kernel_form.c", "CJOSEBytes.h", "reply.c", "address.c", "bounds.c",
        ]
        try expect(Self.shims(), hold: Self.comparison, nowhereBut: names, "stops at the first difference")
        // Where Swift handles a tag or a MAC it calls the shim.
        try expect(Self.libraries(), hold: #"\b(tag|mac|signature)\s*==\s*\w"#, "stops at the first difference")
    }

    @Test("T70 no Swift package is depended on, and C libraries come from the system")
    func dependencies() throws {
        let manifest = try String(contentsOf: Self.root.appending(path: "Package.swift"), encoding: .utf8)
        #expect(!manifest.contains(".package("))
        #expect(!manifest.contains("unsafeFlags"))
        #expect(!manifest.contains("binaryTarget"))
        #expect(!FileManager.default.fileExists(atPath: Self.root.appending(path: "Package.resolved").path))
    }

    @Test("X05 Foundation's JSON decoder reads nothing that decides")
    func noFoundationJSON() throws {
        let word = #"\b(JSONDecoder|JSONSerialization|JSONEncoder)\b"#
        let extensions = ["Claims+Foundation.swift", "NumericDate+Foundation.swift"]
        try expect(Self.libraries(), hold: word, nowhereBut: extensions, "another reader of JSON")
        let foundation = #"import Foundation"#
        try expect(Self.libraries(), hold: foundation, nowhereBut: extensions, "Foundation in the core")
    }

    @Test("X08 a length is cut to an int only behind a check of its size")
    func narrowing() throws {
        let cast = try Regex(#"\(int\)\s*(\w+->)?(n|in_len|\w*_len|\w+\.count|\w*count|\w*size)\b"#)
        var seen = 0
        for source in try Self.shims() where source.code.contains(cast) {
            seen += 1
            // Behind a bound of their own: numbers of an RSA key, coordinates of a curve, sizes that libcrypto gave; the
            // content ciphers behind aead.c. Behind INT_MAX itself: what the shims of servers take.
            let isBounded =
                ["key_rsa.c", "key_ec.c", "key_parts.c", "rsa_key.c", "authority.c"].contains(source.name)
                || source.name.hasPrefix("aead_") || source.code.contains("> INT_MAX")
            #expect(isBounded || source.code.contains("cjose_too_long("), "\(source.name)")
        }
        #expect(seen > 2)
    }

    @Test("X10 no answer of libcrypto is taken for true because it is not zero")
    func answersOfLibcrypto() throws {
        // Every call whose name does not say that it gives a pointer, a size or nothing.
        let call = try Regex(#"\b(EVP|RAND|PEM|OSSL_PARAM_BLD_push|OSSL_ENCODER_to)_\w+\("#)
        let other = try Regex(
            #"(_free|_new\w*|_fetch|_dup|_get_bits|_get0_\w+|_set_flags|PKCS82PKEY_ex|PEM_write_bio|PEM_read_bio_(X509(_AUX)?|PrivateKey)|EVP_EC_gen|EVP_sha\d+)\($"#
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
                #expect(after == "== 1" || after == "!= 1", "\(source.name): \(source.code[match.range])")
            }
        }
        #expect(seen > 80)
    }

    @Test("X11 paddings, salts and hashes are set by name")
    func defaults() throws {
        let code = try Self.shims().map(\.code).joined()
        for call in [
            "EVP_PKEY_CTX_set_rsa_padding", "EVP_PKEY_CTX_set_rsa_mgf1_md", "EVP_PKEY_CTX_set_rsa_pss_saltlen",
            "EVP_PKEY_CTX_set_rsa_oaep_md", "OSSL_CIPHER_PARAM_AEAD_TAG",
        ] { #expect(code.contains(call), "\(call)") }
        #expect(!code.contains("RSA_PSS_SALTLEN_AUTO") && !code.contains("RSA_PSS_SALTLEN_MAX"))
        #expect(!code.contains("RSA_PKCS1_PADDING, cjose_work_oaep"))
        // For Ed448 alone, whose keys are checked on import; libcrypto's Ed25519 takes points of small order (X12).
        #expect(try Self.shims().filter { $0.code.contains("EVP_DigestVerify(") }.map(\.name) == ["sign_message.c"])
    }

    @Test("X14 secrets are not carried in Data, nor printed in sources")
    func secrets() throws {
        try expect(
            Self.libraries(), hold: #"\bData\b"#, nowhereBut: ["Claims+Foundation.swift"], "Data copies what it holds")
        try expect(Self.libraries(), hold: #"\b(print|debugPrint|dump|NSLog|fputs)\("#, "prints")
        try expect(Self.shims(), hold: #"\b(printf|fprintf|puts|perror|ERR_print_errors\w*)\s*\("#, "prints")
    }

    @Test("X16 nothing forks after the libraries were begun")
    func fork() throws {
        let word = #"\b(fork|vfork|posix_spawn\w*|exec[vl]\w*)\s*\("#
        try expect(Self.shims(), hold: word, "forks")
        try expect(Self.libraries(), hold: word, "forks")
        try expect(Self.sources("Sources/Command/JOSECommand", ending: ["swift"]), hold: word, "forks")
    }
}
