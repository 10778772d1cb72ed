internal import JOSE
internal import JOSECrypto
internal import JOSETokens

extension RelyingPartyClient {
    /// The key that signs now. One without `kid`, or with one that the provider would not take, signs nothing.
    func signingKey(_ rules: ClientRules) throws(RelyingPartyFailure) -> PrivateKey {
        let key: PrivateKey?
        do throws(JOSEError) { key = try credentials.signingKey() } catch { throw RelyingPartyFailure(error) }
        guard let key, let keyID = key.keyID, !keyID.isEmpty, rules.acceptsKeyID(keyID) else {
            throw .configurationError
        }
        return key
    }

    /// The secret, if it is long enough for HMAC.
    func macKey() throws(RelyingPartyFailure) -> SymmetricKey {
        guard let secret = credentials.secret, secret.material.count >= 32 else { throw .configurationError }
        return secret
    }
}

extension Provider {
    /// The key to encrypt to: the provider's first that fits, with its `kid`.
    func encryptionKey(_ rules: EncryptionRules) throws(RelyingPartyFailure) -> (PublicKey, KeyManagementAlgorithm) {
        let set: KeySet
        do throws(JOSEError) { set = try keys.current() } catch { throw RelyingPartyFailure(error) }
        for algorithm in rules.keyManagement {
            // A key that says what it is for comes before one that says nothing.
            let fitting = set.keys(for: .encrypt, algorithm: algorithm).fitting
            if let key = (fitting.first { $0.use == .encryption } ?? fitting.first)?.publicKey {
                return (key, algorithm)
            }
        }
        throw .keyNotFound
    }

    /// A JWE around a JWS, its `cty` `JWT` (RFC 7519, 5.2).
    func encrypted(_ jws: String, _ rules: EncryptionRules) throws(RelyingPartyFailure) -> String {
        let (key, algorithm) = try encryptionKey(rules)
        guard let content = rules.contentEncryption.first else { throw .configurationError }
        do throws(JOSEError) {
            let encrypter = try Encrypter(
                key: key, keyManagement: algorithm, contentEncryption: content,
                header: HeaderParameters(contentType: "JWT"))
            return try encrypter.encrypt(jws)
        } catch {
            throw RelyingPartyFailure(error)
        }
    }
}
