import JOSE
import JOSESupport
import JOSETokens

/// The keys of the demo's tokens, and the verifier that they are for.
struct DemoTokens: Sendable {
    static let issuer = "https://idp.e2e.itsme.services/v2"
    static let audience = "bulla-demo"

    let signingKey: PrivateKey
    let decryptionKey: PrivateKey
    private let now = SystemClock.now().rounded(.down)
    private let signer: JWSSigner
    private let strangerSigner: JWSSigner
    private let hmacSigner: JWSSigner
    private let encrypter: JWEEncrypter

    init() throws(JOSEError) {
        var signing = try PrivateKey.generate(.rsa(bits: 2048))
        signing.keyID = "s1"
        signing.use = .signature
        signing.algorithm = SignatureAlgorithm.rs256.name
        var encryption = try PrivateKey.generate(.rsa(bits: 2048))
        encryption.keyID = "e1"
        encryption.use = .encryption
        encryption.algorithm = KeyManagementAlgorithm.rsaOAEP.name
        signingKey = signing
        decryptionKey = encryption
        let header = HeaderParameters(type: "JWT")
        signer = try JWSSigner(key: signing, algorithm: .rs256, header: header)
        strangerSigner = try JWSSigner(
            key: signing, algorithm: .rs256, header: HeaderParameters(type: "JWT", keyID: "s0"))
        let text = try SecretKey(bytes: Array(signing.publicKey.pem().utf8))
        hmacSigner = try JWSSigner(key: text, algorithm: .hs256, header: HeaderParameters(type: "JWT", keyID: "s1"))
        encrypter = try JWEEncrypter(
            key: encryption.publicKey, keyManagement: .rsaOAEP, contentEncryption: .a128cbcHS256,
            header: HeaderParameters(contentType: "JWT"))
    }

    func verifier(_ operations: PrivateKeyOperations = .libcrypto) throws(TokenError) -> TokenVerifier {
        let claims = ClaimPolicy(issuer: .exactly(Self.issuer), audience: .exactly(Self.audience))
        var outer = EncryptionPolicy(keyManagement: [.rsaOAEP], contentEncryption: [.a128cbcHS256])
        outer.privateKeyOperations = operations
        let policy = TokenPolicy.nested(
            outer: outer, inner: SignaturePolicy(algorithms: [.rs256]), claims: claims)
        return try TokenVerifier(
            policy, verificationKeys: KeySet(signingKey.publicKey), decryptionKeys: KeySet(decryptionKey))
    }

    /// Makes the nested token with this index. Returns it, and the signed token in it.
    func make(_ index: Int) throws(JOSEError) -> (outer: [UInt8], inner: [UInt8]) {
        let fault = DemoFault(of: index)
        let payload = claims(index, fault)
        let chosen =
            switch fault {
            case .unknownKeyID: strangerSigner
            case .hmacOfPublicKey: hmacSigner
            default: signer
            }
        var inner = try chosen.signBytes(payload.span)
        if fault == .signatureChanged { Self.change(&inner, atDot: 2) }
        var outer = try encrypter.encryptBytes(inner.span)
        if fault == .tagChanged { Self.change(&outer, atDot: 4) }
        if fault == .cutShort, let dot = outer.lastIndex(of: UInt8(ascii: ".")) { outer.removeLast(outer.count - dot) }
        return (outer, inner)
    }

    /// Changes the letter after a dot: the first six bits of that part.
    private static func change(_ token: inout [UInt8], atDot number: Int) {
        var seen = 0
        for index in token.indices where token[index] == UInt8(ascii: ".") {
            seen += 1
            guard seen == number else { continue }
            token[index + 1] = token[index + 1] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            return
        }
    }

    private func claims(_ index: Int, _ fault: DemoFault?) -> [UInt8] {
        let issued = Int64(now) - 5
        var claims: ClaimsBuilder = [
            "iss": .string(fault == .otherIssuer ? "https://idp.example.com/v2" : Self.issuer),
            // The subject is pairwise, as itsme's are, and has the same length in all tokens.
            "sub": .string(String(String(index + 0x1000_0000_0000, radix: 16) + "a7c15d6e0b94f382").uppercased()),
            "aud": .string(fault == .otherAudience ? "another-client" : Self.audience),
            "exp": .integer(fault == .expired ? issued - 600 : issued + 3_600), "iat": .integer(issued),
            "auth_time": .integer(issued - 3), "nonce": "\(String(index * 7_919 + 1_000_003, radix: 36))-n0nce",
            "acr": "http://itsme.services/V2/claim/acr_advanced", "given_name": "Zo\u{EB}", "family_name": "Peeters",
            "birthdate": "1988-04-17", "gender": "female", "locale": "nl", "email": "zoe.\(index)@example.com",
            "email_verified": false, "phone_number": "+32 422010099",
        ]
        if fault == .noExpiration { claims["exp"] = nil }
        if fault == .notYetValid { claims["nbf"] = .integer(issued + 900) }
        return claims.json()
    }
}
