package import JOSE
internal import JOSEBytes

extension TokenVerifier {
    /// The layers alone, for those who check the claims in an order of their own; nothing of the claims has been looked at. What the
    /// outer header says of its content is held against `contentType` once the token is decrypted, and before the inner layer is read.
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

    /// The same, waiting for a key that is not there yet as `verify(_:timeout:)` does. Throws `TokenError` and `CancellationError`.
    package func openLayers(
        _ token: [UInt8], contentType: TypeRule, timeout limit: Duration
    ) async throws -> VerifiedToken {
        let failure: TokenError
        do throws(TokenError) {
            return try openLayers(token.span, contentType: contentType)
        } catch {
            failure = error
        }
        guard try await hasNewKeys(after: failure, timeout: limit) else { throw failure }
        let bytes = token.span
        return try openLayers(bytes, contentType: contentType)
    }
}

extension TokenClock {
    /// What it shows.
    package var seconds: Double { now }
}
