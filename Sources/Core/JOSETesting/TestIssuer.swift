public import JOSE
internal import JOSECrypto
public import JOSETokens

/// An issuer and the recipient of its tokens, with new keys in memory, for tests of code that accepts tokens.
///
/// `verifier()` accepts the tokens of `issue(_:)`. `forged(claims:signatureHeader:encryptionHeader:)` and
/// `hostileTokens()` create tokens that it must reject.
public struct TestIssuer: Sendable {
    /// The layers of a token.
    public enum Form: CaseIterable, Sendable {
        /// A JWS, a JWE, or a JWS in a JWE.
        case signed, encrypted, nested
    }

    /// The layers of the tokens.
    public let form: Form
    /// The issuer, `iss`.
    public let issuer: String
    /// The audience, `aud`.
    public let audience: String
    /// The signature algorithm; unused in the form `encrypted`.
    public let signature: SignatureAlgorithm
    /// The key management algorithm; unused in the form `signed`.
    public let keyManagement: KeyManagementAlgorithm
    /// The content encryption algorithm; unused in the form `signed`.
    public let contentEncryption: ContentEncryption
    /// The clock of the issuer and of the verifiers. It stands still until the test moves it.
    public let clock: TestClock
    /// The policy of the tokens, with this issuer's clock.
    public let policy: TokenPolicy
    /// The private or symmetric signing key; unused in the form `encrypted`.
    public let signingKey: JWK
    /// The recipient's private or symmetric key; unused in the form `signed`.
    public let decryptionKey: JWK
    private let tokens: TokenIssuer

    /// Creates an issuer with new keys.
    ///
    /// - Parameters:
    ///   - form: The layers of the tokens.
    ///   - issuer: The issuer, `iss`.
    ///   - audience: The audience, `aud`.
    ///   - signature: The signature algorithm.
    ///   - keyManagement: The key management algorithm.
    ///   - contentEncryption: The content encryption algorithm.
    ///   - clock: The clock of the issuer and of the verifiers.
    ///   - adjust: A closure that changes the requirements for the claims.
    /// - Throws: `policyInvalid` for an invalid policy, and `jose` errors for algorithms that cannot be used.
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
        claims.clock = clock.wallClock
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

    /// The keys that the issuer publishes: its public key, or the shared key if the algorithm is a MAC.
    public var verificationKeys: KeySet { form == .encrypted ? .empty : KeySet(Self.shown(signingKey)) }
    /// The recipient's decryption keys, which are private or symmetric.
    public var decryptionKeys: KeySet { form == .signed ? .empty : KeySet(decryptionKey) }

    /// Creates a verifier that accepts the tokens of `issue(_:)`, with the same clock.
    public func verifier() throws(TokenError) -> TokenVerifier {
        try TokenVerifier(policy, verificationKeys: verificationKeys, decryptionKeys: decryptionKeys)
    }

    /// Issues a token, and adds `iss`, `aud`, `iat` and `exp` if they are absent.
    public func issue(_ claims: ClaimsBuilder = ClaimsBuilder()) throws(TokenError) -> String {
        try tokens.issue(claims)
    }

    /// Issues a token with the members of a JSON object as claims, and adds `iss`, `aud`, `iat` and `exp` if they are
    /// absent.
    public func issue(json: [UInt8]) throws(TokenError) -> String { try tokens.issue(json: json) }

    /// Returns the JSON text of valid claims.
    ///
    /// - Parameter more: Further members, with a comma before the first, which are inserted before the end.
    public func claims(adding more: String = "") -> String {
        let now = Int64(exactly: clock.now.secondsSince1970.rounded()) ?? 0
        return #"{"iss":"\#(issuer)","aud":"\#(audience)","sub":"somebody","iat":\#(now),"exp":\#(now + 300)\#(more)}"#
    }

    /// Returns the JSON text of a valid header of the signature layer.
    ///
    /// - Parameter more: Further members, with a comma before the first, which are inserted before the end.
    public func signatureHeader(adding more: String = "") -> String {
        #"{"alg":"\#(signature.name)","kid":"\#(signingKey.keyID ?? "")","typ":"JWT"\#(more)}"#
    }

    /// Returns the JSON text of a valid header of the encryption layer. Values that are new in each token are
    /// placeholders, which `Forge` replaces.
    ///
    /// - Parameter more: Further members, with a comma before the first, which are inserted before the end.
    public func encryptionHeader(adding more: String = "") -> String {
        let names = #""alg":"\#(keyManagement.name)","enc":"\#(contentEncryption.name)""#
        let fresh = Forge.freshMembers(keyManagement)
        let type = form == .nested ? #""cty":"JWT""# : #""typ":"JWT""#
        return #"{\#(names),"kid":"\#(decryptionKey.keyID ?? "")",\#(type)\#(fresh)\#(more)}"#
    }

    /// Creates a token of the issuer's form with the given claims and headers, which may be any text, and with a valid
    /// signature and encryption.
    ///
    /// - Parameters:
    ///   - claims: The text of the claims; nil for valid claims.
    ///   - signatureHeader: The text of the header of the signature layer; nil for a valid one.
    ///   - encryptionHeader: The text of the header of the encryption layer; nil for a valid one.
    public func forged(
        claims: String? = nil, signatureHeader: String? = nil, encryptionHeader: String? = nil
    ) throws(JOSEError) -> String {
        try forged(
            claims: Array((claims ?? self.claims()).utf8),
            signatureHeader: Array((signatureHeader ?? self.signatureHeader()).utf8),
            encryptionHeader: Array((encryptionHeader ?? self.encryptionHeader()).utf8))
    }

    /// Creates a token of the issuer's form with the given claims and headers, which may be any bytes, and with a valid
    /// signature and encryption.
    ///
    /// - Parameters:
    ///   - claims: The bytes of the claims.
    ///   - signatureHeader: The bytes of the header of the signature layer.
    ///   - encryptionHeader: The bytes of the header of the encryption layer.
    public func forged(
        claims: [UInt8], signatureHeader: [UInt8], encryptionHeader: [UInt8]
    ) throws(JOSEError) -> String {
        guard form != .encrypted else { return try encrypted(claims, header: encryptionHeader) }
        return try outer(
            Forge.signed(header: signatureHeader, payload: claims, with: signingKey, signature),
            header: encryptionHeader)
    }

    /// Returns the given text as a token of the issuer's form: encrypted if the form is nested, and unchanged
    /// otherwise.
    ///
    /// - Parameters:
    ///   - inner: The text in place of the signature layer.
    ///   - header: The header of the encryption layer; nil for a valid one.
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
    /// Generates a key for the algorithm, with its `kid`, `use` and `alg` set.
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

    /// Generates a key for the algorithm, with its `kid`, `use` and `alg` set; for `dir` it has the size that `content`
    /// requires.
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
