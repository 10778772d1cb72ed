import JOSE
import JOSETesting
import JOSETokens
import TestSupport
import Testing

/// The limits of the payload and of the signature, in each way in which a JWS is read.
@Suite("Threats: segments of a JWS") struct SegmentThreats {
    private static let payload = #"{"iss":"a"}"#
    private static let header = #"{"alg":"HS256"}"#

    private func limits(signature: Int = 32, payload: Int = 11) -> ParsingLimits {
        var limits = ParsingLimits.standard
        (limits.signatureBytes, limits.plaintextBytes) = (signature, payload)
        return limits
    }

    /// Returns the verdicts of each way of reading, for tokens whose payload has 11 bytes and whose signature has 32.
    private func verdicts(_ limits: ParsingLimits) throws -> [String: Refusal?] {
        var policy = SignaturePolicy(algorithms: [.hs256])
        policy.understoodCritical = []
        policy.limits = limits
        let verifier = try JWSVerifier(keys: KeySet(Keys.secret), policy: policy)
        let compact = try Forge.signed(header: Self.header, payload: Self.payload, with: Keys.secret, .hs256)
        let parts = compact.split(separator: ".").map(String.init)
        let flattened = #"{"payload":"\#(parts[1])","protected":"\#(parts[0])","signature":"\#(parts[2])"}"#
        let general =
            #"{"payload":"\#(parts[1])","signatures":[{"protected":"\#(parts[0])","signature":"\#(parts[2])"}]}"#
        let detached = parts[0] + ".." + parts[2]
        let bytes = Array(Self.payload.utf8)
        let batch = SynchronousAnswer.of([compact], verifier)
        return [
            "compact": verdict { () throws(JOSEError) in try verifier.verify(compact) },
            "flattened": verdict { () throws(JOSEError) in try verifier.verify(json: flattened) },
            "general": verdict { () throws(JOSEError) in try verifier.verify(json: general) },
            "detached": verdict { () throws(JOSEError) in try verifier.verify(detached, detachedPayload: bytes) },
            "batch": batch,
            "unverified": verdict { () throws(JOSEError) in try UnverifiedToken(compact, limits: limits) },
        ]
    }

    @Test("T34 a payload or a signature over its own limit is rejected in every way of reading (RFC 7515, 5.2)")
    func segments() throws {
        for (form, result) in try verdicts(limits()) { #expect(result == accepted, "\(form)") }
        for (form, result) in try verdicts(limits(signature: 31)) { #expect(result == .tooLarge, "\(form)") }
        for (form, result) in try verdicts(limits(payload: 10)) { #expect(result == .tooLarge, "\(form)") }
    }
}

/// The result of a batch of one token.
private enum SynchronousAnswer {
    static func of(_ tokens: [String], _ verifier: JWSVerifier) -> Refusal? {
        var claims = ClaimPolicy(issuer: "a", audience: .anyAudienceUnchecked)
        claims.requiresExpiration = false
        do {
            let batch = BatchVerifier(
                try TokenVerifier(.signed(verifier.policy, claims: claims), verificationKeys: KeySet(Keys.secret)))
            for result in batch.verifySynchronously(tokens) {
                if case .failure(let error) = result { return Refusal(error) }
            }
            return accepted
        } catch {
            return Refusal(error)
        }
    }
}
