internal import JOSE
internal import JOSECrypto
internal import JOSEKeySets
internal import JOSESupport
internal import JOSETokens

/// A reader of one kind of token. It verifies the layers; the claims are checked afterwards.
package struct TokenReader: Sendable {
    private let rules: TokenRules
    private let verifier: LayersVerifier
    private let keys: any KeySource

    init(
        _ rules: TokenRules, _ client: RelyingPartyClient, providerKeys: any KeySource
    ) throws(RelyingPartyError) {
        self.rules = rules
        keys = providerKeys
        var inner = SignaturePolicy(algorithms: rules.algorithms)
        inner.type = rules.type.rejecting(TokenKind.types(otherThan: rules.acceptedTypes))
        inner.limits = rules.limits
        var outer = EncryptionPolicy(
            keyManagement: rules.keyManagement, contentEncryption: rules.contentEncryption)
        outer.limits = rules.limits
        let form: TokenPolicy.Form =
            switch rules.layers {
            case .signed: .signed(inner)
            case .nested: .nested(outer: outer, inner: inner)
            case .encrypted: .encrypted(outer)
            }
        let verificationKeys: any KeySource =
            switch rules.verification {
            case .provider: rules.selectKeys(providerKeys)
            case .secret: try Self.secret(client)
            }
        let decryptionKeys: any KeySource =
            switch rules.decryption {
            case .client: client.credentials.decryption
            case .secretDigest:
                rules.layers == .signed ? KeySet.empty : try Self.digest(client, rules.contentEncryption)
            }
        do throws(TokenError) {
            verifier = try LayersVerifier(
                form, contentType: rules.contentType, verificationKeys: verificationKeys,
                decryptionKeys: decryptionKeys)
        } catch {
            throw RelyingPartyError(RelyingPartyError.Reason(error, isNested: false), in: .configuration)
        }
    }

    /// Verifies the layers that the profile requires, whatever the token looks like. It waits for keys no longer than
    /// until the deadline.
    package func verify(
        _ text: String, step: LoginStep, until deadline: CallDeadline?
    ) async throws(RelyingPartyError) -> VerifiedToken {
        let bytes = Array(text.utf8)
        let limit = try deadline.limit(.seconds(5), step)
        let token: VerifiedToken
        do throws(TokenError) {
            token = try await verifier.verify(bytes, timeout: limit)
        } catch {
            if let rejected = RelyingPartyError.Reason(error, keysOf: keys) {
                throw RelyingPartyError(rejected, in: step)
            }
            let reason = error == .cancelled ? .interrupted : rules.reason(for: error, of: bytes)
            // The deadline may have ended the wait for the provider's new keys.
            if reason == .keyNotFound { _ = try deadline.limit(.zero, step) }
            throw RelyingPartyError(reason, in: step)
        }
        if !rules.acceptsMissingKeyID, token.header.keyID == nil, let algorithm = token.algorithm,
            let set = try? keys.current(), set.keys(for: .verify, algorithm: algorithm).fitting.count > 1
        {
            throw RelyingPartyError(.keyNotFound, in: step)
        }
        if let outer = token.encryptionHeader {
            do throws(ClaimFault) { try token.claims.check(repeatedIn: outer) } catch {
                throw RelyingPartyError(RelyingPartyError.Reason(error), in: step)
            }
        }
        return token
    }

    private static func secret(_ client: RelyingPartyClient) throws(RelyingPartyError) -> KeySet {
        guard let secret = client.credentials.secret, secret.material.count >= 32 else {
            throw RelyingPartyError(.configurationError, in: .configuration)
        }
        return KeySet(secret)
    }

    /// Returns the key that is the digest of the client's secret (OpenID Connect Core, 10.2).
    private static func digest(
        _ client: RelyingPartyClient, _ contents: [ContentEncryption]
    ) throws(RelyingPartyError) -> KeySet {
        guard let secret = client.credentials.secret, let content = contents.first, content.keyBytes <= 32,
            var digest = try? secret.material.withBytes({ bytes throws(CryptoError) in try Hash.sha256.digest(bytes) })
        else { throw RelyingPartyError(.configurationError, in: .configuration) }
        defer { wipe(&digest) }
        guard let key = try? SecretKey(bytes: digest.span.extracting(0..<content.keyBytes)) else {
            throw RelyingPartyError(.internalFault, in: .configuration)
        }
        return KeySet(key)
    }
}

/// The readers of one provider's tokens.
package final class TokenReaders: Sendable {
    let idToken: TokenReader
    let userInfo: TokenReader?
    /// The readers of the profile's further tokens, by the names in the profile.
    package let further: [String: TokenReader]

    init(
        _ profile: ProviderProfile, _ client: RelyingPartyClient, providerKeys: any KeySource
    ) throws(RelyingPartyError) {
        var further: [String: TokenReader] = [:]
        for (name, rules) in profile.furtherTokens {
            further[name] = try TokenReader(rules, client, providerKeys: providerKeys)
        }
        self.further = further
        idToken = try TokenReader(profile.idToken.token, client, providerKeys: providerKeys)
        if case .jwt(let rules)? = profile.userInfo?.form {
            userInfo = try TokenReader(rules, client, providerKeys: providerKeys)
        } else {
            userInfo = nil
        }
    }
}
