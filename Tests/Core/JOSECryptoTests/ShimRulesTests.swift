import Foundation
import TestSupport
import Testing

@Suite("Rules of the OpenSSL shim") struct ShimRulesTests {
    /// The calls of libcrypto that return 1 for success, and 0 or a negative number for failure.
    private static let names =
        "(EVP_(Digest(Init_ex2|Update|Final_ex)|Cipher(Init_ex2|Update|Final_ex)|CIPHER_CTX_(set_padding|get_params|ctrl)"
        + "|KDF_derive|MAC_(init|update|final|CTX_set_params)"
        + "|PKEY_((sign|verify|encrypt|decrypt|derive|fromdata|keygen)(_init)?|generate|derive_set_peer_ex|set1_\\w+"
        + "|\\w*check\\w*|get_\\w+_param|get_raw_\\w+|get_group_name|is_a|CTX_set_\\w+))"
        + "|RAND_(priv_)?bytes|PEM_read_bio_ex|OSSL_(PARAM_BLD_push_\\w+|ENCODER_to_data)|ASN1_INTEGER_get_int64"
        + "|BN_(sub|add|mul|div|mod|mod_mul|mod_sqr|mod_exp|gcd|rshift1|sub_word|add_word|priv_rand_range))\\("

    @Test("the shim compares each result of libcrypto with 1, and never takes it as a truth value (X10)")
    func comparedWithOne()
        throws
    {
        let folder = Repository.root.appending(path: "CShims/CJOSEOpenSSL/src")
        let call = try Regex("\\b" + Self.names)
        var seen = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.hasSuffix(".c") {
            let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            for match in text.matches(of: call) {
                var depth = 1
                let rest = text[match.range.upperBound...]
                let end = rest.firstIndex { letter in
                    depth += letter == "(" ? 1 : letter == ")" ? -1 : 0
                    return depth == 0
                }
                let after = rest[(end ?? rest.startIndex)...].dropFirst().drop { $0.isWhitespace }.prefix(4)
                seen += 1
                // This function compares the result with 1, and tells 0 and negative numbers apart.
                let isJudged = text[..<match.range.lowerBound].hasSuffix("cjose_verdict(")
                #expect(after == "== 1" || after == "!= 1" || isJudged, "\(name): \(text[match.range])")
            }
        }
        let verdict = try String(contentsOf: folder.appending(path: "verdict.c"), encoding: .utf8)
        #expect(verdict.contains("cjose_verdict(int result) {\n    if (result == 1) return cjose_status_ok;\n"))
        #expect(seen > 90, "\(seen)")
    }

    @Test("the shim reads no environment variable: only tests and benchmarks select an implementation")
    func environment()
        throws
    {
        let folder = Repository.root.appending(path: "CShims")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var seen = 0
        for case let file as URL in files where ["c", "h"].contains(file.pathExtension) {
            let text = try String(contentsOf: file, encoding: .utf8)
            seen += 1
            // Sockets that were opened before the process began are announced by variables (sd_listen_fds).
            // A TLS library that would write its secrets to a file that a variable names is not used.
            let reading = ["listen.c", "configure.c"].contains(file.lastPathComponent)
            #expect(!text.contains("getenv") || reading, "\(file.lastPathComponent)")
        }
        #expect(seen > 100, "\(seen)")
    }
}
