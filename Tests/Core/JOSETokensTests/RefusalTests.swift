import JOSE
import JOSETesting
import JOSETokens
import Testing

@Suite("Reasons for a rejection") struct RefusalTests {
    private static let errors: [JOSEError] = [
        .malformed(ParseFailure(.token, .parts)), .limitExceeded(.tokenBytes), .limitExceeded(.iterations),
        .headerInvalid(.critical), .headerInvalid(.type), .algorithmNotAllowed(.signature), .criticalHeaderUnknown,
        .keyNotFound, .keysUnavailable(.notFetched), .keysUnavailable(.expired), .keyUnsuitable(.curve),
        .keyUnsuitable(.tooSmall), .keyInvalid(.numbers), .signatureInvalid, .decryptionFailed, .decompressionFailed,
        .overloaded(.busy),
    ]
    private static let failures: [ClaimFailure] = [
        .expired, .notYetValid, .issuedInFuture("iat"), .missing("sub"), .invalid("sub"), .issuerMismatch,
        .audienceMismatch,
    ]

    @Test("a rejection reason is named by its error code, with a detail if errors share that code")
    func codes() {
        var errors: [TokenError] = [.replay(.seen)]
        errors += Self.errors.map { TokenError.jose($0, layer: .signature) }
        errors += Self.failures.map { TokenError.claim($0) }
        var seen: Set<Refusal> = [.other]
        for error in errors {
            let refusal = Refusal(error)
            // Codes of the header name the parameter, and have one reason together.
            let code = refusal == .headerInvalid ? "header_crit_invalid" : error.code
            #expect(
                refusal == .headerInvalid || refusal.rawValue.split(separator: "(").first.map { String($0) } == code)
            #expect(error.code == code, "\(error)")
            #expect(seen.insert(refusal).inserted, "\(error)")
        }
        #expect(seen == Set(Refusal.allCases))
    }

    @Test("errors that the token did not cause are not reported as rejections") func other() {
        for error in [
            TokenError.policyInvalid(.leeway), .notDecodable(CodingFailure(.other)), .cancelled, .replay(.storeFull),
            .replay(.shareFull),
            .jose(.backend, layer: .signature),
        ] {
            #expect(Refusal(error) == .other)
        }
        #expect(Refusal(.replay(.seen)) == .replayed && Refusal(.claims([.expired, .issuerMismatch])) == .expired)
    }
}
