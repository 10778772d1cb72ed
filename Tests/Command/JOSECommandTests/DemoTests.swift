import JOSE
import TestSupport
import Testing

@Suite("The demo") struct DemoTests {
    @Test("it rejects exactly its invalid tokens, and states why") func report() throws {
        guard let tool = builtTool("JOSEDemo") else { throw Script.Complaint(description: "JOSEDemo is not built") }
        let result = try run(tool, ["5000"])
        #expect(result.status == 0)
        #expect(result.stderr == "")
        let lines = result.stdout.split(separator: "\n").map { line in
            line.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
        }
        #expect(lines.contains("verified 4 990"))
        #expect(lines.contains("rejected 10"))
        for name in [
            "signature_invalid", "decryption_failed", "token_expired", "token_not_yet_valid", "issuer_mismatch",
            "audience_mismatch", "algorithm_not_allowed", "key_not_found", "malformed", "claim_missing",
        ] {
            #expect(lines.contains("\(name) 1 as made"))
        }
        #expect(lines.contains { $0.hasPrefix("raw OpenSSL, tokens a second ") })
        let vectorized = lines.contains { $0.hasPrefix("in batches, with vectorized private keys ") }
        #expect(vectorized == PrivateKeyOperations.vectorized.isAvailable)
    }
}
