package import JOSE
internal import JOSESupport

/// A verifier of the layers of tokens, for a caller that checks the claims in an order of its own.
///
/// A payload is returned after every layer was verified. No claim is checked: not the issuer, not the audience, and no
/// time.
package struct LayersVerifier: Sendable {
    private let layers: TokenVerifier.Layers
    private let contentType: TypeRule

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - form: The layers of a token, all of which are required.
    ///   - contentType: The rule for `cty` of the encryption layer. It is checked after decryption, and before the
    ///     inner layer is read.
    ///   - verificationKeys: The keys that verify signatures.
    ///   - decryptionKeys: The keys that decrypt.
    /// - Throws: `jose(configurationInvalid)` if a layer has no algorithm, no key, or no key that fits one of its
    ///   algorithms. Keys of a source that changes are not examined.
    package init(
        _ form: TokenPolicy.Form, contentType: TypeRule, verificationKeys: any KeySource, decryptionKeys: any KeySource
    ) throws(TokenError) {
        // The clock is for certificates in the header, which are ignored without trusted roots.
        layers = try TokenVerifier.Layers(
            form, VerifierKeys(verificationKeys, decryptionKeys, [], nil), clock: .system)
        self.contentType = contentType
    }

    /// Verifies the layers of a token.
    package func verify(_ token: Span<UInt8>) throws(TokenError) -> VerifiedToken {
        var process = TokenProcess()
        guard layers.decrypts else { return try layers.verify(token, &process) }
        var plaintext = SecretBytes(capacity: 0)
        let outer = try layers.decrypt(token, into: &plaintext, &process)
        try inLayer(.encryption, outer.check(type: .any, contentType: contentType))
        return try layers.verifyContent(plaintext, within: outer)
    }

    /// Verifies the layers of a token, and waits for a key that is not available yet as
    /// `TokenVerifier.verify(_:timeout:client:)` does.
    package func verify(_ token: [UInt8], timeout limit: Duration) async throws(TokenError) -> VerifiedToken {
        let end = ContinuousClock.now + limit
        return try await retrying { () throws(TokenError) in
            try verify(token.span)
        } ifNewKeys: { error throws(TokenError) in
            guard case .jose(_, let layer) = error, let source = layers.source(of: layer) else { return false }
            return try await source.awaitNewKeys(after: error, until: end)
        }
    }
}
