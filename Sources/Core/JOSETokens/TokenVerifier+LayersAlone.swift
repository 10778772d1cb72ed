package import JOSE
internal import JOSEBytes

extension TokenVerifier {
    /// Verifies the layers and checks no claim, for callers that check the claims in their own order. The outer `cty` is checked
    /// against `contentType` after decryption, and before the inner layer is read.
    package func openLayers(_ token: Span<UInt8>, contentType: TypeRule) throws(TokenError) -> VerifiedToken {
        switch layers {
        case .signed: return try layers.open(token, within: nil)
        case .encrypted(let decrypter), .nested(let decrypter, _):
            var plaintext = SecretBytes(capacity: 0)
            let header = try Layers.decrypted(decrypter, token, into: &plaintext, within: nil).header
            do throws(JOSEError) {
                try header.check(type: .any, contentType: contentType)
            } catch {
                throw .jose(error, layer: .encryption)
            }
            return try plaintext.withBytes { bytes throws(TokenError) in try layers.opened(bytes, within: header) }
        }
    }

    /// Verifies the layers and checks no claim, and waits for a key that is not available yet as `verify(_:timeout:)` does.
    package func openLayers(
        _ token: [UInt8], contentType: TypeRule, timeout limit: Duration
    ) async throws(TokenError) -> VerifiedToken {
        let failure: TokenError
        do throws(TokenError) {
            return try openLayers(token.span, contentType: contentType)
        } catch {
            failure = error
        }
        guard try await hasNewKeys(after: failure, until: ContinuousClock.now + limit) else { throw failure }
        let bytes = token.span
        return try openLayers(bytes, contentType: contentType)
    }
}
