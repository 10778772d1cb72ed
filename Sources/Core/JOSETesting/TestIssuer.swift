public import JOSE
internal import JOSECrypto
public import JOSETokens

/// An issuer and the recipient of its tokens, with fresh keys in memory: what a test of code that accepts tokens needs.
///
/// `verifier()` accepts what `issue` makes. `forged` and `hostileTokens` make what it must not accept.
public struct TestIssuer: Sendable {
    /// Which layers its tokens have.
    public enum Form: CaseIterable, Sendable {
        /// A JWS, a JWE, or a JWS in a JWE.
        case signed, encrypted, nested
    }

    /// Of the tokens that it makes and its verifier takes.
    public let form: Form
    /// `iss`.
    public let issuer: String
    /// `aud`.
    public let audience: String
    /// Unused in the form `encrypted`.
    public let signature: SignatureAlgorithm
    /// Unused in the form `signed`.
    public let keyManagement: KeyManagementAlgorithm
    /// Unused in the form `signed`.
    public let contentEncryption: ContentEncryption
    /// Stands still; what was made before follows when it is moved.
    public let clock: TestClock
    /// With the clock above; what the verifier enforces.
    public let policy: TokenPolicy
    /// Private or symmetric; unused in the form `encrypted`.
    public let signingKey: JWK
    /// The recipient's: private or symmetric; unused in the form `signed`.
    public let decryptionKey: JWK
    private let tokens: TokenIssuer

    /// Throws `policyInvalid` for texts or algorithms that make no policy.
    public init(
        _ form: Form = .signed, issuer: String = "https://issuer.test", audience: String = "audience.test",
        signature: SignatureAlgorithm = .es256, keyManagement: KeyManagementAlgorithm = .ecdhES,
        contentEncryption: ContentEncryption = .a256gcm, clock: TestClock = TestClock(),
        adjusting adjust: (inout ClaimPolicy) -> Void = { _ in }
    ) throws(TokenError) {
        self.form = form
        self.issuer = issuer
        self.audience = audience
        self.signature = signature
        self.keyManagement = keyManagement
        self.contentEncryption = contentEncryption
        self.clock = clock
        do throws(JOSEError) {
            signingKey = try Self.key(for: signature)
            decryptionKey = try Self.key(for: keyManagement, contentEncryption)
        } catch {
            throw .jose(error, layer: .signature)
        }
        var claims = ClaimPolicy(issuer: .exactly(issuer), audience: .exactly(audience))
        claims.clock = clock.tokenClock
        adjust(&claims)
        let inner = SignaturePolicy(algorithms: [signature])
        let outer = EncryptionPolicy(keyManagement: [keyManagement], contentEncryption: [contentEncryption])
        switch form {
        case .signed:
            policy = .signed(inner, claims: claims)
            tokens = try TokenIssuer(policy, signingKey: signingKey)
        case .encrypted:
            policy = .encrypted(outer, claims: claims)
            tokens = try TokenIssuer(policy, encryptionKey: Self.shown(decryptionKey))
        case .nested:
            policy = .nested(outer: outer, inner: inner, claims: claims)
            tokens = try TokenIssuer(policy, signingKey: signingKey, encryptionKey: Self.shown(decryptionKey))
        }
    }

    /// What the issuer publishes: the public half, or the shared key where the algorithm is a MAC.
    public var verificationKeys: KeySet { form == .encrypted ? .empty : KeySet(Self.shown(signingKey)) }
    /// What the recipient keeps to itself.
    public var decryptionKeys: KeySet { form == .signed ? .empty : KeySet(decryptionKey) }

    /// One that accepts what `issue` makes, by the same clock.
    public func verifier() throws(TokenError) -> TokenVerifier {
        try TokenVerifier(policy, verificationKeys: verificationKeys, decryptionKeys: decryptionKeys)
    }

    /// `iss`, `aud`, `iat` and `exp` are added where they are not given.
    public func issue(_ claims: ClaimsBuilder = ClaimsBuilder()) throws(TokenError) -> String { try tokens.issue(claims) }

    /// The same of a JSON object, as text.
    public func issue(json: [UInt8]) throws(TokenError) -> String { try tokens.issue(json: json) }

    /// The text of claims that pass, with `more` members before the end.
    public func claims(adding more: String = "") -> String {
        let now = Int64(exactly: clock.now.rounded()) ?? 0
        return #"{"iss":"\#(issuer)","aud":"\#(audience)","sub":"somebody","iat":\#(now),"exp":\#(now + 300)\#(more)}"#
    }

    /// The text of the header that a signer would write, with `more` members before the end.
    public func signatureHeader(adding more: String = "") -> String {
        #"{"alg":"\#(signature.name)","kid":"\#(signingKey.keyID ?? "")","typ":"JWT"\#(more)}"#
    }

    /// The same of the encryption layer; what is fresh in each token is filled in where it is used, as `Forge` says.
    public func encryptionHeader(adding more: String = "") -> String {
        let names = #""alg":"\#(keyManagement.name)","enc":"\#(contentEncryption.name)""#
        let fresh = Forge.freshMembers(keyManagement)
        let type = form == .nested ? #""cty":"JWT""# : #""typ":"JWT""#
        return #"{\#(names),"kid":"\#(decryptionKey.keyID ?? "")",\#(type)\#(fresh)\#(more)}"#
    }

    /// A token of the issuer's form with any text in any place, truly signed and encrypted: only that text is at fault.
    public func forged(
        claims: String? = nil, signatureHeader: String? = nil, encryptionHeader: String? = nil
    ) throws(JOSEError) -> String {
        try forged(
            claims: Array((claims ?? self.claims()).utf8),
            signatureHeader: Array((signatureHeader ?? self.signatureHeader()).utf8),
            encryptionHeader: Array((encryptionHeader ?? self.encryptionHeader()).utf8))
    }

    /// The same of bytes, which need not be text.
    public func forged(
        claims: [UInt8], signatureHeader: [UInt8], encryptionHeader: [UInt8]
    ) throws(JOSEError) -> String {
        guard form != .encrypted else { return try encrypted(claims, header: encryptionHeader) }
        return try outer(
            Forge.signed(header: signatureHeader, payload: claims, with: signingKey, signature),
            header: encryptionHeader)
    }

    /// What stands in the place of the signature layer, encrypted where the form is nested.
    public func outer(_ inner: String, header: [UInt8]? = nil) throws(JOSEError) -> String {
        guard form == .nested else { return inner }
        return try encrypted(Array(inner.utf8), header: header ?? Array(encryptionHeader().utf8))
    }

    private func encrypted(_ plaintext: [UInt8], header: [UInt8]) throws(JOSEError) -> String {
        try Forge.encrypted(
            header: header, plaintext: plaintext, with: decryptionKey, keyManagement, contentEncryption)
    }

    private static func shown(_ key: JWK) -> JWK { key.publicKey.map { .publicKey($0) } ?? key }
}

extension TestIssuer {
    /// A fresh key that fits, named and bound.
    public static func key(for algorithm: SignatureAlgorithm) throws(JOSEError) -> JWK {
        let kind: GeneratedKind
        switch algorithm.core.traits.key {
        case .octets:
            var key = try SecretKey.generate(bits: algorithm.core.traits.minimumBits)
            (key.keyID, key.algorithm, key.use) = ("test-signature", algorithm.name, .signature)
            return .symmetricKey(key)
        case .rsa: kind = .rsa(bits: 2048)
        case .ec(.p256), .agreement: kind = .p256
        case .ec(.p384): kind = .p384
        case .ec(.p521): kind = .p521
        case .ec(.secp256k1): kind = .secp256k1
        case .ed25519, .edwards: kind = .ed25519
        case .ed448: kind = .ed448
        case .mlDSA44: kind = .mlDSA44
        case .mlDSA65: kind = .mlDSA65
        case .mlDSA87: kind = .mlDSA87
        }
        var key = try PrivateKey.generate(kind)
        (key.keyID, key.algorithm, key.use) = ("test-signature", algorithm.name, .signature)
        return .privateKey(key)
    }

    /// A fresh key that fits, named and bound; for `dir` of the size that `content` takes.
    public static func key(
        for algorithm: KeyManagementAlgorithm, _ content: ContentEncryption
    ) throws(JOSEError) -> JWK {
        let bits: Int
        switch algorithm.core.traits.engine {
        case .oaep, .rsa15, .agreement:
            var key = try PrivateKey.generate(algorithm.core.traits.key == .rsa ? .rsa(bits: 2048) : .p256)
            (key.keyID, key.algorithm, key.use) = ("test-encryption", algorithm.name, .encryption)
            return .privateKey(key)
        case .wrap(let keyBytes), .gcmWrap(let keyBytes): bits = keyBytes * 8
        case .password: bits = 256
        case .direct: bits = content.keyBytes * 8
        }
        var key = try SecretKey.generate(bits: bits)
        (key.keyID, key.algorithm, key.use) = ("test-encryption", algorithm.name, .encryption)
        return .symmetricKey(key)
    }
}
