import JOSE
import JOSETokens
import Testing

@Suite("Error codes of tokens") struct ErrorCodeTests {
    private static let claims: [(ClaimFailure, String)] = [
        (.issuerMismatch, "issuer_mismatch"), (.audienceMismatch, "audience_mismatch"), (.expired, "token_expired"),
        (.notYetValid, "token_not_yet_valid"), (.issuedInFuture("iat"), "token_issued_in_future"),
        (.missing("a"), "claim_missing"), (.invalid("a"), "claim_invalid"),
        (.forbidden("a"), "claim_forbidden"), (.tooOld("iat"), "token_too_old"),
        (.tooOld("auth_time"), "authentication_too_old"),
        (.expiresTooSoon, "token_expires_too_soon"),
        (.lifetimeTooLong, "token_lifetime_too_long"), (.headerCopyDiffers("iss"), "header_copy_differs"),
    ]
    private static let replays: [(ReplayFault, String)] = [
        (.seen, "token_replayed"), (.storeFull, "store_full"), (.shareFull, "store_share_full"),
        (.storeUnavailable, "store_unavailable"),
    ]
    private static let disclosures: [DisclosureFault] = [
        .form, .malformed, .hash, .reservedName, .digests, .repeatedDigest, .repeatedDisclosure, .unreferenced,
        .wrongPlace,
        .nameTaken, .path, .keyBindingMissing, .keyBindingUnexpected, .holderKeyMissing,
    ]
    private static let policies: [PolicyFault] = [
        .leeway, .duration, .lifetimeNotPositive, .validFrom, .clock, .emptyList, .contradiction, .key, .lifetime,
        .lifetimeUnbounded, .issuerNotExact, .issuerTemplate, .setByProfile("signature.type"),
        .issuerRepeated,
    ]

    @Test("an error that wraps another one has its code, and a list of errors the code of its first") func wrapped() {
        for (failure, code) in Self.claims {
            #expect(failure.code == code && TokenError.claim(failure).code == code)
            #expect(TokenError.claims([failure, .expired]).code == code)
            #expect(TokenError.disclosure(.keyBinding(failure)).code == code)
        }
        for (fault, code) in Self.replays { #expect(fault.code == code && TokenError.replay(fault).code == code) }
        for fault in Self.disclosures { #expect(TokenError.disclosure(fault).code == fault.code) }
        for error in [JOSEError.signatureInvalid, .decryptionFailed, .keyNotFound, .backend] {
            #expect(TokenError.jose(error, layer: .signature).code == error.code)
        }
        #expect(TokenError.issuerUnknown.code == "issuer_unknown")
        #expect(TokenError.policyInvalid(.leeway).code == "policy_invalid")
        #expect(TokenError.notDecodable(CodingFailure(.keyMissing)).code == "claims_not_decodable")
        #expect(TokenError.notEncodable(CodingFailure(.valueInvalid)).code == "claims_not_encodable")
        #expect(TokenError.cancelled.code == "task_cancelled")
    }

    @Test("error codes are lower-case ASCII words, and no two conditions share one") func words() {
        let lists = [
            Self.claims.map(\.0.code) + Self.replays.map(\.0.code) + Self.disclosures.map(\.code)
                + ["issuer_unknown", "policy_invalid", "claims_not_decodable", "claims_not_encodable"],
            Self.policies.map(\.code),
        ]
        for codes in lists {
            #expect(Set(codes).count == codes.count)
            for code in codes {
                #expect(code.utf8.allSatisfy { $0 == UInt8(ascii: "_") || (0x61...0x7A).contains($0) }, "\(code)")
            }
        }
    }
}
