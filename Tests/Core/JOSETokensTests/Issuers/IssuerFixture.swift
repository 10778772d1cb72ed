import JOSE
import JOSETokens

/// Keys of two issuers, which call theirs by the same name, and our own.
struct TwoIssuersKeys {
    let ofA: PrivateKey
    let ofB: PrivateKey
    let mine: PrivateKey

    init() throws {
        ofA = try PrivateKey.generate(.p256, keyID: "k1")
        ofB = try PrivateKey.generate(.p256, keyID: "k1")
        mine = try PrivateKey.generate(.p256, keyID: "mine")
    }
}

/// Two issuers, their policies, and tokens of theirs or nearly so.
protocol IssuerFixture {
    var keys: TwoIssuersKeys { get }
}

extension IssuerFixture {
    static var a: String { "https://a.test" }
    static var b: String { "https://b.test" }
    var keyOfA: PrivateKey { keys.ofA }
    var keyOfB: PrivateKey { keys.ofB }
    var mine: PrivateKey { keys.mine }

    static func claims(_ issuer: String) -> ClaimPolicy {
        ClaimPolicy(issuer: .exactly(issuer), audience: "shop")
    }
    static func signed(_ issuer: String) -> TokenPolicy {
        .signed(SignaturePolicy(algorithms: [.es256]), claims: claims(issuer))
    }
    static func nested(
        _ issuer: String, _ algorithm: KeyManagementAlgorithm = .ecdhES, _ content: ContentEncryption = .a128gcm,
        adjusting adjust: (inout EncryptionPolicy) -> Void = { _ in }
    ) -> TokenPolicy {
        var outer = EncryptionPolicy(keyManagement: [algorithm], contentEncryption: [content])
        adjust(&outer)
        return .nested(outer: outer, inner: SignaturePolicy(algorithms: [.es256]), claims: claims(issuer))
    }

    func token(_ issuer: String, _ key: PrivateKey, iss: String? = nil) throws -> String {
        let iss = iss ?? "\"\(issuer)\""
        return try JWSSigner(key: key, algorithm: .es256).sign(#"{"iss":\#(iss),"aud":"shop","exp":9999999999}"#)
    }

    func sealed(
        _ inner: String, _ hint: String? = nil, _ algorithm: KeyManagementAlgorithm = .ecdhES,
        _ content: ContentEncryption = .a128gcm, header: HeaderParameters = HeaderParameters(contentType: "JWT")
    ) throws -> String {
        var header = header
        if let hint { header.set("iss", json: Array(hint.utf8)) }
        return try JWEEncrypter(
            key: mine.publicKey, keyManagement: algorithm, contentEncryption: content, header: header
        ).encrypt(inner)
    }

    var both: TokenVerifier {
        get throws {
            try TokenVerifier(issuers: [
                TrustedIssuer(Self.signed(Self.a), keys: KeySet(keyOfA.publicKey)),
                TrustedIssuer(Self.signed(Self.b), keys: KeySet(keyOfB.publicKey)),
            ])
        }
    }

    var bothNested: TokenVerifier {
        get throws {
            try TokenVerifier(
                issuers: [
                    TrustedIssuer(Self.nested(Self.a), keys: KeySet(keyOfA.publicKey)),
                    TrustedIssuer(Self.nested(Self.b, .ecdhESA256KW, .a256gcm), keys: KeySet(keyOfB.publicKey)),
                ], decryptionKeys: KeySet(mine))
        }
    }
}
