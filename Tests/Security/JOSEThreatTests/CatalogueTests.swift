import JOSE
import JOSETesting
import JOSETokens
import Testing

/// An issuer of each form, with each family of keys at least once.
struct IssuerKind: CustomTestStringConvertible, Sendable {
    let form: TestIssuer.Form
    var signature = SignatureAlgorithm.es256
    var keyManagement = KeyManagementAlgorithm.ecdhES
    var contentEncryption = ContentEncryption.a256gcm

    func make() throws -> TestIssuer {
        try TestIssuer(
            form, signature: signature, keyManagement: keyManagement, contentEncryption: contentEncryption)
    }

    var testDescription: String {
        switch form {
        case .signed: "\(signature)"
        case .encrypted: "\(keyManagement), \(contentEncryption)"
        case .nested: "\(signature) in \(keyManagement), \(contentEncryption)"
        }
    }

    static let all: [IssuerKind] =
        [.hs256, .hs512, .rs256, .ps384, .es256, .es384, .es512, .edDSA, .ed25519].map {
            IssuerKind(form: .signed, signature: $0)
        } + [
            IssuerKind(form: .encrypted),
            IssuerKind(form: .encrypted, keyManagement: .dir, contentEncryption: .a128cbcHS256),
            IssuerKind(form: .encrypted, keyManagement: .a256gcmkw, contentEncryption: .a128gcm),
            IssuerKind(form: .encrypted, keyManagement: .a256kw, contentEncryption: .a192cbcHS384),
            IssuerKind(form: .nested),
            IssuerKind(form: .nested, signature: .rs256, keyManagement: .rsaOAEP, contentEncryption: .a128cbcHS256),
            IssuerKind(
                form: .nested, signature: .ed25519, keyManagement: .ecdhESA128KW, contentEncryption: .a256cbcHS512),
            IssuerKind(form: .nested, signature: .hs256, keyManagement: .a128kw, contentEncryption: .a128gcm),
        ]
}

@Suite("Hostile tokens") struct CatalogueTests {
    @Test(
        "each hostile token is rejected with its own error, and its positive control is accepted",
        arguments: IssuerKind.all)
    func refused(_ kind: IssuerKind) throws {
        let issuer = try kind.make()
        let verifier = try issuer.verifier()
        let hostile = try issuer.hostileTokens()
        #expect(hostile.count > 100)
        for token in hostile {
            do throws(TokenError) {
                _ = try verifier.verify(token.text)
                Issue.record("accepted: \(token)")
            } catch {
                #expect(token.isRejected(rightlyBy: error), "\(token): \(error)")
                #expect(!token.isRejected(rightlyBy: .cancelled))
            }
        }
        let issued = try issuer.issue(["color": "blue"])
        #expect(try verifier.verify(issued).claims.string("color") == "blue")
        let forged = try issuer.forged()
        #expect(try verifier.verify(forged).claims.string("sub") == "somebody")
    }

    @Test("valid tokens in every allowed spelling are accepted", arguments: IssuerKind.all)
    func lenient(_ kind: IssuerKind) throws {
        let issuer = try kind.make()
        let verifier = try issuer.verifier()
        let more = #","x":{"y":[1e300,"\ud83d\ude00",null]},"\u00e9":true,"e\u0301":false"#
        let spaced = " \r\n\t" + issuer.claims(adding: more) + "\n"
        let token = try issuer.forged(
            claims: spaced, signatureHeader: "\t" + issuer.signatureHeader(adding: more),
            encryptionHeader: issuer.encryptionHeader(adding: more) + " ")
        #expect(try verifier.verify(token).claims.bool("\u{e9}") == true)
        #expect(try verifier.verify(token).claims.bool("e\u{301}") == false)
    }

    @Test("verifiers follow a test clock that is moved")
    func clock() throws {
        let clock = TestClock()
        let issuer = try TestIssuer(clock: clock)
        let verifier = try issuer.verifier()
        let token = try issuer.issue()
        _ = try verifier.verify(token)
        clock.advance(by: .seconds(300 + 60))
        #expect(throws: TokenError.claim(.expired)) { try verifier.verify(token) }
        clock.advance(by: .seconds(-1))
        _ = try verifier.verify(token)
        clock.now = 1_699_999_939
        #expect(throws: TokenError.claim(.issuedInFuture("iat"))) { try verifier.verify(token) }
    }
}
