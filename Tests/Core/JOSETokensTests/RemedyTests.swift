import JOSE
import JOSETokens
import Testing

/// The texts of errors that developers meet: the text names the one cause, and the remedy what to do about it.
@Suite("Texts and remedies of frequent mistakes") struct RemedyTests {
    private static let claims = ClaimPolicy(issuer: "https://id.example.com", audience: "https://api.example.com")

    private func policy(_ algorithms: [SignatureAlgorithm] = [.es256]) -> TokenPolicy {
        .signed(SignaturePolicy(algorithms: algorithms), claims: Self.claims)
    }

    /// Expects that the body throws an error with parts of a text and of a remedy.
    private func expect<Value>(
        _ text: String, _ remedy: String, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () throws -> Value
    ) {
        do {
            _ = try body()
            Issue.record("nothing was thrown", sourceLocation: sourceLocation)
        } catch {
            let found = (error as? any CodedError).map { ("\($0)", $0.remedy) }
            #expect(found?.0.contains(text) == true, "\(error)", sourceLocation: sourceLocation)
            #expect(found?.1.contains(remedy) == true, "\(found?.1 ?? "")", sourceLocation: sourceLocation)
        }
    }

    @Test("a public key in the place of a private one, and the reverse, is named, with the key that is required")
    func halves() throws {
        let key = try PrivateKey.generate(.p256)
        let pem = String(decoding: try key.exportPrivatePEM(), as: UTF8.self)
        let publicPEM = try key.publicKey.pem()
        #expect(throws: Never.self) { try PrivateKey(pem: pem) }
        #expect(throws: Never.self) { try PublicKey(pem: publicPEM) }
        expect("a private key is required", "give the private key") { try PrivateKey(pem: publicPEM) }
        expect("a public key is required", "publicKey of a private key") { try PublicKey(pem: pem) }
        expect("a symmetric key is required", "oct") { try SecretKey(jwk: key.publicKey.jwk()) }
        #expect(throws: Never.self) { try TokenIssuer(policy(), signingKey: .privateKey(key)) }
        expect("it is a public key", "give the private key") {
            try TokenIssuer(policy(), signingKey: .publicKey(key.publicKey))
        }
    }

    @Test("a JWK in the place of a key set, and a key set with a private key, are named") func keySets() throws {
        let key = try PrivateKey.generate(.p256)
        #expect(throws: Never.self) { try KeySet(parsing: KeySet(key.publicKey).jwks(), as: .publicOnly) }
        expect("it is a key, not a key set", "read it with JWK") { try KeySet(parsing: key.publicKey.jwk()) }
        expect("it is a key set, not a key", "read it with KeySet") {
            try JWK(parsing: KeySet(key.publicKey).jwks())
        }
        let jwk = String(decoding: try key.exportPrivateJWK(), as: UTF8.self)
        expect("contains a private or symmetric key", "revoke a private key that was published") {
            try KeySet(parsing: #"{"keys":[\#(jwk)]}"#, as: .publicOnly)
        }
    }

    @Test("a policy without algorithms is named, at a verifier and at an issuer, in both layers") func algorithms()
        throws
    {
        let key = try PrivateKey.generate(.p256)
        #expect(throws: Never.self) { try TokenVerifier(policy(), verificationKeys: key) }
        expect("the policy lists no algorithm", "list the algorithms") {
            try TokenVerifier(policy([]), verificationKeys: key)
        }
        #expect(throws: Never.self) { try TokenIssuer(policy(), signingKey: key) }
        expect("the policy lists no algorithm", "list the algorithms") {
            try TokenIssuer(policy([]), signingKey: key)
        }
        for (management, content, isAccepted) in [
            ([.ecdhES], [.a128gcm], true), ([], [.a128gcm], false), ([.ecdhES], [], false),
        ] as [([KeyManagementAlgorithm], [ContentEncryption], Bool)] {
            let encrypted = TokenPolicy.encrypted(
                EncryptionPolicy(keyManagement: management, contentEncryption: content), claims: Self.claims)
            if isAccepted {
                #expect(throws: Never.self) { try TokenIssuer(encrypted, encryptionKey: key.publicKey) }
            } else {
                expect("the policy lists no algorithm", "list the algorithms") {
                    try TokenIssuer(encrypted, encryptionKey: key.publicKey)
                }
            }
        }
        expect("there are no keys", "give the verifier the keys") { try TokenVerifier(policy()) }
    }

    @Test("a token that is to be valid later, and a lifetime of zero, are each named") func times() throws {
        let key = try PrivateKey.generate(.p256)
        let issuer = try TokenIssuer(policy(), signingKey: key)
        let tomorrow = NumericDate(secondsSince1970: WallClock.system.now.secondsSince1970 + 86_400)
        #expect(throws: Never.self) { try issuer.issue(options: TokenOptions(validFrom: tomorrow)) }
        expect("the token is not yet valid", "set TokenOptions.validFrom") {
            try issuer.issue(["nbf": .integer(Int64(tomorrow.secondsSince1970))])
        }
        #expect(throws: Never.self) { try TokenIssuer(policy(), signingKey: key, lifetime: .seconds(1)) }
        expect("the lifetime of a token is not positive", "more than zero") {
            try TokenIssuer(policy(), signingKey: key, lifetime: .zero)
        }
        expect("is negative or too long", "duration") {
            var claims = Self.claims
            claims.maximumLifetime = .seconds(-1)
            return try TokenVerifier(
                .signed(SignaturePolicy(algorithms: [.es256]), claims: claims), verificationKeys: key)
        }
        expect("the clock shows no valid time", "correct the clock") {
            var claims = Self.claims
            claims.clock = .fixed(NumericDate(secondsSince1970: .nan))
            return try TokenVerifier(
                .signed(SignaturePolicy(algorithms: [.es256]), claims: claims), verificationKeys: key)
        }
    }

    @Test("PEM whose line ends are escaped, as in an environment variable, is read; text that is not PEM is named")
    func escapedLineEnds() throws {
        let key = try PrivateKey.generate(.p256)
        let pem = String(decoding: try key.exportPrivatePEM(), as: UTF8.self)
        #expect(throws: Never.self) { try PrivateKey(pem: pem) }
        let escaped = pem.split(separator: "\n").joined(separator: #"\n"#)
        #expect(try PrivateKey(pem: escaped) == PrivateKey(pem: pem))
        expect("none with -----END", "whole block") { try PrivateKey(pem: pem.dropLast(30).description) }
        expect("no line with -----BEGIN", "whole block") { try PrivateKey(pem: pem.dropFirst(5).description) }
        expect("a format of OpenSSH", "ssh-keygen") { try PublicKey(pem: "ssh-ed25519 AAAAC3Nz someone") }
        expect("HTML or XML", "login or error page") { try KeySet(parsing: "<!DOCTYPE html><html></html>") }
        expect("byte order mark", "without a byte order mark") { try KeySet(parsing: "\u{FEFF}{\"keys\":[]}") }
        expect("map of PEM", "jwks_uri") { try KeySet(parsing: #"{"a":"-----BEGIN CERTIFICATE-----"}"#) }
        expect(#"no member "keys""#, "a list of JWKs") { try KeySet(parsing: "{}") }
        expect("not exactly one PEM block", "BEGIN and END") { try PrivateKey(pem: "secret") }
        expect("not exactly one PEM block", "BEGIN and END") { try PrivateKey(pem: pem + pem) }
    }

    @Test("white space around a token is named, in each form of token (RFC 7515, 3.1; RFC 7516, 3.1)")
    func whiteSpace() throws {
        let key = try PrivateKey.generate(.p256)
        let encryption = EncryptionPolicy(keyManagement: [.ecdhES], contentEncryption: [.a128gcm])
        let nested = TokenPolicy.nested(
            outer: encryption, inner: SignaturePolicy(algorithms: [.es256]), claims: Self.claims)
        for policy in [policy(), nested] {
            let isNested = policy.encryption != nil
            let issuer = try TokenIssuer(
                policy, signingKey: key, encryptionKey: isNested ? JWK.publicKey(key.publicKey) : nil)
            let verifier = try TokenVerifier(
                policy, verificationKeys: key, decryptionKeys: isNested ? KeySet(key) : KeySet.empty)
            let token = try issuer.issue()
            #expect(throws: Never.self) { try verifier.verify(token) }
            for changed in [token + "\n", token + "\r\n", token + " ", " " + token, "\t" + token, token + "\u{0}"] {
                expect("the token begins or ends with white space", "line end of the file") {
                    try verifier.verify(changed)
                }
            }
        }
        let verifier = try TokenVerifier(policy(), verificationKeys: key)
        expect("the header is not base64url", "without 'Bearer '") { try verifier.verify("Bearer e30.e30.e30") }
    }

    @Test("a secret that is too short, empty or to be generated too short is named by its own rule (RFC 7518, 3.2)")
    func secrets() throws {
        let short = try SecretKey(bytes: Array("SECRETKEY".utf8))
        let long = try SecretKey.generate(bits: 256)
        #expect(throws: Never.self) { try TokenIssuer(policy([.hs256]), signingKey: long) }
        expect("HS256 needs 32 bytes", "a password is not a key") {
            try TokenIssuer(policy([.hs256]), signingKey: short)
        }
        expect("HS256 needs 32 bytes", "SecretKey.generate(bits: 256)") {
            try TokenVerifier(policy([.hs256]), verificationKeys: short)
        }
        expect("the secret is empty", "set the variable") { try SecretKey(bytes: []) }
        expect("needs 128 bits", "at least 128 bits") { try SecretKey.generate(bits: 64) }
        expect("an RSA key needs 2048 bits", "2048") { try PrivateKey.generate(.rsa(bits: 1024)) }
    }

    @Test("another typ, and a signature that does not verify, have a remedy for the verifier too") func verifier()
        throws
    {
        let (key, other) = (try PrivateKey.generate(.p256), try PrivateKey.generate(.p256))
        var typed = SignaturePolicy(algorithms: [.es256])
        typed.type = .exactly("at+jwt")
        let verifier = try TokenVerifier(.signed(typed, claims: Self.claims), verificationKeys: key)
        let good = try TokenIssuer(.signed(typed, claims: Self.claims), signingKey: key).issue()
        #expect(throws: Never.self) { try verifier.verify(good) }
        let plain = try TokenIssuer(policy(), signingKey: key).issue()
        expect("typ is not the one that the policy requires", "set the type of the policy") {
            try verifier.verify(plain)
        }
        let forged = try TokenIssuer(.signed(typed, claims: Self.claims), signingKey: other).issue()
        expect("the signature does not verify", "compare the verifier's key with the one that the issuer publishes") {
            try verifier.verify(forged)
        }
    }

    @Test("no remedy is empty, and each fault of a policy has its own") func all() {
        let faults: [PolicyFault] = [
            .leeway, .duration, .lifetimeNotPositive, .validFrom, .clock, .emptyList, .contradiction, .key, .lifetime,
            .lifetimeUnbounded, .issuerNotExact, .issuerTemplate, .issuerRepeated, .setByProfile("signature.type"),
        ]
        #expect(Set(faults.map(\.remedy)).count == faults.count && faults.allSatisfy { !$0.remedy.isEmpty })
        #expect(Set(faults.map { TokenError.policyInvalid($0).description }).count == faults.count)
        #expect(faults.allSatisfy { TokenError.policyInvalid($0).remedy == $0.remedy })
    }
}
