internal import JOSE
internal import JOSECrypto
internal import JOSETokens
internal import Synchronization

extension RelyingPartyClient {
    /// Throws `configurationError` if one of the current signing or decryption keys is one of these.
    func checkKeys(rejecting rejected: CompromisedKeys) throws(RelyingPartyError.Reason) {
        var keys: [JWK]
        do throws(JOSEError) {
            keys = try credentials.decryption.current().keys
            if let signer = try credentials.signer() { keys.append(signer.key) }
        } catch {
            throw .configurationError
        }
        for key in keys { try rejected.reject(key) }
    }

    /// Returns the client that never signs or decrypts with one of these keys, even if one of its key sources returns
    /// it later.
    func rejecting(_ keys: CompromisedKeys) -> RelyingPartyClient {
        var client = self
        client.credentials = credentials.rejecting(keys)
        return client
    }

    /// Returns the secret, if it is long enough for HMAC.
    func macKey() throws(RelyingPartyError.Reason) -> SecretKey {
        guard let secret = credentials.secret, secret.material.count >= 32 else { throw .configurationError }
        return secret
    }
}

extension Provider {
    /// Returns the key to which the client encrypts: the first of the provider's keys that matches, with its `kid`.
    func encryptionKey(_ rules: EncryptionRules) throws(RelyingPartyError.Reason) -> (PublicKey, KeyManagementAlgorithm)
    {
        let set: KeySet
        do throws(JOSEError) { set = try keys.current() } catch { throw RelyingPartyError.Reason(error) }
        for algorithm in rules.keyManagement {
            // A key with a use is preferred to one without.
            let fitting = set.keys(for: .encrypt, algorithm: algorithm).fitting
            if let key = (fitting.first { $0.use == .encryption } ?? fitting.first)?.publicKey {
                return (key, algorithm)
            }
        }
        throw .keyNotFound
    }

    /// Returns a JWS, encrypted to the provider in a JWE whose `cty` is `JWT` (RFC 7519, 5.2).
    func encrypted(_ jws: String, _ rules: EncryptionRules) throws(RelyingPartyError.Reason) -> String {
        let (key, algorithm) = try encryptionKey(rules)
        guard let content = rules.contentEncryption.first else { throw .configurationError }
        do throws(JOSEError) {
            let encrypter = try JWEEncrypter(
                key: key, keyManagement: algorithm, contentEncryption: content,
                header: HeaderParameters(contentType: "JWT"))
            return try encrypter.encrypt(jws)
        } catch {
            throw RelyingPartyError.Reason(error)
        }
    }
}

/// The keys of a source, without those that are rejected because their private key is publicly known: no token is
/// decrypted with one.
final class UnpublishedKeys: KeySource {
    private let source: any KeySource
    private let rejected: CompromisedKeys
    /// The last key set of the source, and the same set without the publicly known keys.
    private let filtered: Mutex<(whole: KeySet, part: KeySet)?> = Mutex(nil)

    init(_ source: any KeySource, rejecting rejected: CompromisedKeys) {
        (self.source, self.rejected) = (source, rejected)
    }

    func current() throws(JOSEError) -> KeySet {
        let whole = try source.current()
        if let last = filtered.withLock({ $0 }), last.whole.isSame(as: whole) { return last.part }
        var keys: [JWK] = []
        var others = whole.unusable
        for (index, key) in whole.keys.enumerated() {
            if try rejected.contains(key) {
                others.append(UnusableKey(index: index, keyID: key.keyID, reason: .keyUnsuitable(.use)))
            } else {
                keys.append(key)
            }
        }
        let part = keys.count == whole.keys.count ? whole : KeySet(keys, unusable: others)
        filtered.withLock { $0 = (whole, part) }
        return part
    }

    func reportMissing(keyID: [UInt8]?) { source.reportMissing(keyID: keyID) }
    func outage(ofMissing keyID: [UInt8]?) -> KeysUnavailableReason? { source.outage(ofMissing: keyID) }
    func reportFailedSignature(keyID: [UInt8]?) { source.reportFailedSignature(keyID: keyID) }
    func reportUse(of key: JWK) { source.reportUse(of: key) }
    func awaitRefresh(timeout limit: Duration) async throws -> Bool {
        try await source.awaitRefresh(timeout: limit)
    }
    func awaitMissingKey(timeout limit: Duration) async throws -> Bool {
        try await source.awaitMissingKey(timeout: limit)
    }
    func awaitReplacedKey(timeout limit: Duration) async throws -> Bool {
        try await source.awaitReplacedKey(timeout: limit)
    }
}
