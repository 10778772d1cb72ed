package import JOSE
internal import JOSEBytes

extension TokenVerifier {
    /// Verifies the layers and checks no claim, for callers that check the claims in their own order. The outer `cty` is checked
    /// against `contentType` after decryption, and before the inner layer is read.
    package func verifyLayers(_ token: Span<UInt8>, contentType: TypeRule) throws(TokenError) -> VerifiedToken {
        var process = TokenProcess()
        switch layers {
        case .signed: return try layers.verify(token, &process)
        case .encrypted(let decrypter), .nested(let decrypter, _):
            var plaintext = SecretBytes(capacity: 0)
            let outer = try Layers.decrypt(token, by: decrypter, into: &plaintext, &process)
            do throws(JOSEError) {
                try outer.header.check(type: .any, contentType: contentType)
            } catch {
                throw .jose(error, layer: .encryption)
            }
            return try plaintext.withBytes { bytes throws(TokenError) in
                try layers.verifyContent(bytes, within: outer)
            }
        }
    }

    /// Verifies the layers and checks no claim, and waits for a key that is not available yet as `verify(_:timeout:)` does.
    package func verifyLayers(
        _ token: [UInt8], contentType: TypeRule, timeout limit: Duration
    ) async throws(TokenError) -> VerifiedToken {
        do throws(TokenError) { return try verifyLayers(token.span, contentType: contentType) } catch {
            guard try await hasNewKeys(after: error, until: ContinuousClock.now + limit) else { throw error }
        }
        let bytes = token.span
        return try verifyLayers(bytes, contentType: contentType)
    }
}
