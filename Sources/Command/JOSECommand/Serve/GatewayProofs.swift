import JOSE
import JOSETokens

/// The DPoP proofs that a policy accepts (RFC 9449).
struct GatewayProofs: Sendable {
    let verifier: DPoPVerifier
    /// Whether the store of used proofs is awaited, because it is on another machine.
    let awaitsStore: Bool
    /// Whether a token without a proof is rejected.
    let isRequired: Bool
    let algorithms: [String]
    /// The scheme and the authority of the addresses that clients use, such as `https://api.example.com`.
    let origin: String

    /// Verifies the proof of a request, and marks it as used.
    ///
    /// - Returns: nil if the proof is valid.
    func rejection(of request: GatewayRequest, _ token: [UInt8], _ claims: Claims) -> GatewayRejection? {
        switch expectation(of: request, token, claims) {
        case .failure(let rejection): return rejection
        case .success(let (proof, expected)):
            do throws(TokenError) { _ = try verifier.verify(proof.span, for: expected) } catch {
                return GatewayRejection(ofProof: error)
            }
            return nil
        }
    }

    /// Verifies the proof of a request, and awaits the store in which it is marked as used.
    ///
    /// - Returns: nil if the proof is valid.
    func rejectionAwaitingStore(
        of request: GatewayRequest, _ token: [UInt8], _ claims: Claims
    ) async -> GatewayRejection? {
        switch expectation(of: request, token, claims) {
        case .failure(let rejection): return rejection
        case .success(let (proof, expected)):
            do throws(TokenError) {
                _ = try await verifier.verifyAwaitingStore(String(decoding: proof, as: UTF8.self), for: expected)
            } catch {
                return GatewayRejection(ofProof: error)
            }
            return nil
        }
    }

    /// Returns the proof of a request, and what it must be for.
    private func expectation(
        of request: GatewayRequest, _ token: [UInt8], _ claims: Claims
    ) -> Result<(proof: [UInt8], expected: DPoPRequest), GatewayRejection> {
        guard let proof = request.proof else { return .failure(.proof("dpop_proof_missing")) }
        guard let method = request.method, let target = request.target, target.first == UInt8(ascii: "/") else {
            return .failure(.forbidden("gateway_fields_missing"))
        }
        do throws(TokenError) {
            guard let confirmation = try claims.confirmation() else { return .failure(.token("token_not_bound")) }
            var expected = DPoPRequest(
                method: String(decoding: method, as: UTF8.self),
                url: origin + String(decoding: target, as: UTF8.self),
                accessToken: String(decoding: token, as: UTF8.self), confirmation: confirmation)
            expected.client = claims.string("client_id")
            return .success((proof, expected))
        } catch {
            return .failure(GatewayRejection(ofProof: error))
        }
    }
}
