import JOSE
import JOSETesting
import JOSETokens
import TestSupport
import Testing

/// Access tokens of a provider with many tenants, whose keys are in one set.
@Suite("Issuers by template") struct IssuerTemplateTests {
    static let text = "https://login.provider.test/{tenantid}/v2.0"
    static let tenantA = "72f988bf-86f1-41af-91ab-2d7cd011db47"
    static let tenantB = "9188040d-6c67-4c5b-b112-36a304b66dad"
    let shared: PrivateKey
    let ofB: PrivateKey
    let unbound: PrivateKey
    let exact: PrivateKey

    init() throws {
        shared = try Self.key("shared", issuer: "\"\(Self.text)\"")
        ofB = try Self.key("b", issuer: "\"\(Self.issuer(Self.tenantB))\"")
        unbound = try Self.key("unbound", issuer: nil)
        exact = try PrivateKey.generate(.p256, keyID: "exact")
    }

    static func issuer(_ tenant: String) -> String { "https://login.provider.test/\(tenant)/v2.0" }

    /// Returns a key with a member `issuer`, which is given as JSON text.
    static func key(_ name: String, issuer: String?) throws -> PrivateKey {
        let key = try PrivateKey.generate(.p256, keyID: name)
        guard let issuer else { return key }
        let text = String(decoding: try key.exportPrivateJWK().dropLast(), as: UTF8.self)
        return try PrivateKey(jwk: text + ",\"issuer\":\(issuer)}")
    }

    static func policy(_ tenants: TenantRule, text: String = text) -> TokenPolicy {
        .signed(
            SignaturePolicy(algorithms: [.es256]),
            claims: ClaimPolicy(issuer: .template(IssuerTemplate(text, tenants: tenants)), audience: "shop"))
    }

    func verifier(_ tenants: TenantRule = .oneOf([tenantA])) throws -> TokenVerifier {
        let keys = KeySet([shared, ofB, unbound].map { JWK.publicKey($0.publicKey) })
        return try TokenVerifier(Self.policy(tenants), verificationKeys: keys)
    }

    /// Returns a token. The claims `iss` and `tid` are given as JSON text, and nil leaves one out.
    func token(_ tenant: String = tenantA, _ key: PrivateKey? = nil, iss: String? = nil, tid: String?? = .none) throws
        -> String
    {
        let iss = iss ?? "\"\(Self.issuer(tenant))\""
        let tid = tid ?? "\"\(tenant)\""
        let members = #"{"iss":\#(iss),"aud":"shop","exp":9999999999"# + (tid.map { #","tid":\#($0)"# } ?? "") + "}"
        return try JWSSigner(key: key ?? shared, algorithm: .es256).sign(members)
    }

    @Test("a token of an accepted tenant is accepted, and its issuer is that of the tenant")
    func accepted() throws {
        let verified = try verifier().verify(token())
        #expect(verified.claims.issuer == Self.issuer(Self.tenantA) && verified.key?.issuer == Self.text)
        // A key may name its one issuer in full, and write the placeholder in any case.
        let both = TenantRule.oneOf([Self.tenantA, Self.tenantB])
        #expect(throws: Never.self) { try verifier(both).verify(token(Self.tenantB, ofB)) }
        let upper = try Self.key("upper", issuer: #""https://login.provider.test/{TenantId}/v2.0""#)
        let other = try TokenVerifier(Self.policy(both), verificationKeys: KeySet(upper.publicKey))
        #expect(throws: Never.self) { try other.verify(token(Self.tenantA, upper)) }
    }

    @Test("tid must be a GUID in lower case, and iss the template with it, byte by byte (RFC 7519, 4.1.1)")
    func tenantAndIssuer() throws {
        let verifier = try verifier(.any(except: []))
        #expect(throws: Never.self) { try verifier.verify(token()) }
        let upper = Self.tenantA.uppercased()
        for (iss, tid, failure) in [
            (Self.issuer(Self.tenantB), "\"\(Self.tenantA)\"", ClaimFailure.issuerMismatch),
            (Self.issuer(Self.tenantA) + "/", "\"\(Self.tenantA)\"", .issuerMismatch),
            ("https://login.provider.test/v2.0", "\"\(Self.tenantA)\"", .issuerMismatch),
            (Self.issuer(upper), "\"\(upper)\"", .invalid("tid")), (Self.issuer("../x"), "\"../x\"", .invalid("tid")),
            (Self.text, "\"{tenantid}\"", .invalid("tid")), (Self.issuer("\(Self.tenantA)\""), "5", .invalid("tid")),
            (Self.issuer(Self.tenantA), "null", .invalid("tid")), (Self.issuer(Self.tenantA), nil, .missing("tid")),
            (Self.issuer(Self.tenantA), "\"\(Self.tenantA)0\"", .invalid("tid")),
            (Self.issuer(Self.tenantA), "\"\(Self.tenantA.replacing("-", with: "_"))\"", .invalid("tid")),
        ] as [(String, String?, ClaimFailure)] {
            let token = try token(iss: JSON.string(iss).text, tid: .some(tid))
            #expect(throws: TokenError.claim(failure), "\(iss) \(tid ?? "none")") { try verifier.verify(token) }
            #expect(verifier.explain(token).error == .claim(failure))
        }
    }

    @Test("a tenant that is not listed, or that is excluded, is not an accepted issuer")
    func tenants() throws {
        for (rule, a, b) in [
            (TenantRule.oneOf([Self.tenantA]), true, false), (.oneOf([Self.tenantB, Self.tenantA]), true, true),
            (.any(except: []), true, true), (.any(except: [Self.tenantB]), true, false),
        ] {
            let verifier = try verifier(rule)
            for (tenant, isAccepted) in [(Self.tenantA, a), (Self.tenantB, b)] {
                let token = try token(tenant)
                let result = Result { () throws(TokenError) in try verifier.verify(token) }
                #expect((try? result.get()) != nil || !isAccepted)
                if !isAccepted { #expect(throws: TokenError.claim(.issuerMismatch)) { try result.get() } }
            }
        }
    }

    @Test("a key verifies tokens only of the issuer that its member issuer names, and none without the member")
    func keys() async throws {
        let verifier = try verifier(.any(except: []))
        let refused = TokenError.jose(.keyUnsuitable(.issuer), layer: .signature)
        for (tenant, key, isAccepted) in [
            (Self.tenantB, ofB, true), (Self.tenantA, ofB, false), (Self.tenantA, shared, true),
            (Self.tenantA, unbound, false),
        ] {
            let token = try token(tenant, key)
            if isAccepted {
                #expect(throws: Never.self) { try verifier.verify(token) }
                #expect(verifier.explain(token).isValid)
            } else {
                #expect(throws: refused) { try verifier.verify(token) }
                let report = verifier.explain(token)
                #expect(
                    report.error == refused && report.lines.contains { $0.failure != nil && $0.layer == .signature })
                let batch = try await BatchVerifier(verifier).verify([token, try self.token()])
                #expect((try? batch[0].get()) == nil && (try? batch[1].get()) != nil)
            }
        }
        // A member that is not a string, or that has the placeholder twice, names no issuer.
        for issuer in ["5", #""https://login.provider.test/{tenantid}/{tenantid}""#, #""""#] {
            let key = try Self.key("odd", issuer: issuer)
            let other = try TokenVerifier(Self.policy(.any(except: [])), verificationKeys: KeySet(key.publicKey))
            #expect(throws: refused, "\(issuer)") { try other.verify(token(Self.tenantA, key)) }
        }
    }

    @Test(
        "a token that an external key decrypted waits for a key of its issuer, and so does its report",
        arguments: [false, true])
    func externalKeys(hasIssuers: Bool) async throws {
        let receiving = try PrivateKey.generate(.p256, keyID: "mine")
        let policy = TokenPolicy.nested(
            outer: EncryptionPolicy(keyManagement: [.ecdhES], contentEncryption: [.a128gcm]),
            inner: SignaturePolicy(algorithms: [.es256]),
            claims: ClaimPolicy(
                issuer: .template(IssuerTemplate(Self.text, tenants: .oneOf([Self.tenantA]))), audience: "shop"))
        let text = String(decoding: try unbound.exportPrivateJWK().dropLast(), as: UTF8.self)
        let bound = try PrivateKey(jwk: text + ",\"issuer\":\"\(Self.text)\"}").publicKey
        let source = ChangingKeys(KeySet(unbound.publicKey))
        let service = RemoteService()
        let external = [ExternalDecryptionKey.agreement(RemoteAgreement(receiving, service))]
        let verifier =
            try hasIssuers
            ? TokenVerifier(issuers: [TrustedIssuer(policy, keys: source)], externalKeys: external)
            : TokenVerifier(policy, verificationKeys: source, externalKeys: external)
        let token = try JWEEncrypter(
            key: receiving.publicKey, keyManagement: .ecdhES, contentEncryption: .a128gcm,
            header: HeaderParameters(contentType: "JWT")
        ).encrypt(token(Self.tenantA, unbound))
        let refused = TokenError.jose(.keyUnsuitable(.issuer), layer: .signature)
        await #expect(throws: refused) { try await verifier.verify(token, timeout: .ample) }
        #expect(try await verifier.explain(token, timeout: .ample).error == refused)
        source.onRefresh { [weak source] in
            source?.set(KeySet(bound))
            return true
        }
        let calls = await service.calls
        #expect(try await verifier.verify(token, timeout: .ample).key?.issuer == Self.text)
        #expect(await service.calls == calls + 1)
        source.set(KeySet(unbound.publicKey))
        #expect(try await verifier.explain(token, timeout: .ample).isValid)
    }

    @Test("tid and iss are checked first, then the key, then the tenant, with one issuer and with several")
    func order() throws {
        let keys = KeySet([shared, ofB, unbound].map { JWK.publicKey($0.publicKey) })
        let tenantA = TenantRule.oneOf([Self.tenantA])
        let unsuitable = TokenError.jose(.keyUnsuitable(.issuer), layer: .signature)
        for verifier in [
            try verifier(tenantA), try TokenVerifier(issuers: [TrustedIssuer(Self.policy(tenantA), keys: keys)]),
        ] {
            for (token, failure) in [
                (try token(), nil), (try token(Self.tenantB), .claim(.issuerMismatch)),
                (try token(Self.tenantB, tid: .some("\"\(Self.tenantA)\"")), .claim(.issuerMismatch)),
                (try token(Self.tenantB, unbound, tid: .some("\"\(Self.tenantA)\"")), .claim(.issuerMismatch)),
                (try token(Self.tenantB, unbound, tid: .some(nil)), .claim(.missing("tid"))),
                (try token(Self.tenantA, ofB), unsuitable), (try token(Self.tenantA, unbound), unsuitable),
                (try token(Self.tenantB, unbound), unsuitable),
            ] as [(String, TokenError?)] {
                let result = Result { () throws(TokenError) in try verifier.verify(token) }
                if let failure {
                    #expect(throws: failure) { try result.get() }
                } else {
                    #expect(throws: Never.self) { try result.get() }
                }
                #expect(verifier.explain(token).error == failure)
            }
        }
    }

    @Test("a template that is no https URL with one placeholder as a path segment is rejected, and so are odd tenants")
    func configuration() throws {
        let key = shared.publicKey
        #expect(throws: Never.self) {
            try TokenVerifier(Self.policy(.oneOf([Self.tenantA])), verificationKeys: key)
        }
        for text in [
            "http://login.provider.test/{tenantid}/v2.0", "https://{tenantid}.provider.test/v2.0",
            "https://login.provider.test/{tenantid}/{tenantid}", "https://login.provider.test/v2.0",
            "https://login.provider.test/x{tenantid}/v2.0", "https://login.provider.test/{tenantid}x",
            "https://login.provider.test/v2.0?t={tenantid}", "https://login.provider.test/{tenantid}?x=1",
            "https://login.provider.test/{tenantid}#x", "https://u@login.provider.test/{tenantid}",
            "https:///{tenantid}", "https://login.provider.test/{TENANTID}", "https://login.provider.test{tenantid}",
            "",
        ] {
            #expect(throws: TokenError.policyInvalid(.issuerTemplate), "\(text)") {
                try TokenVerifier(Self.policy(.oneOf([Self.tenantA]), text: text), verificationKeys: key)
            }
        }
        for rule in [
            TenantRule.oneOf([]), .oneOf(["common"]), .oneOf([Self.tenantA.uppercased()]), .any(except: ["x"]),
        ] {
            #expect(throws: TokenError.policyInvalid(.issuerTemplate)) {
                try TokenVerifier(Self.policy(rule), verificationKeys: key)
            }
        }
    }

    @Test("among several issuers a template selects the tokens of its tenants, and an exact issuer is preferred to it")
    func severalIssuers() throws {
        let keys = KeySet([shared, ofB].map { JWK.publicKey($0.publicKey) })
        let own = TokenPolicy.signed(
            SignaturePolicy(algorithms: [.es256]),
            claims: ClaimPolicy(issuer: Self.issuer(Self.tenantB), audience: "shop"))
        let template = TrustedIssuer(Self.policy(.any(except: [])), keys: keys)
        let verifier = try TokenVerifier(issuers: [template, TrustedIssuer(own, keys: KeySet(exact.publicKey))])
        #expect(throws: Never.self) { try verifier.verify(token()) }
        #expect(throws: Never.self) { try verifier.verify(token(Self.tenantB, exact)) }
        #expect(throws: TokenError.jose(.keyNotFound, layer: .signature)) {
            try verifier.verify(token(Self.tenantB, ofB))
        }
        for iss in ["https://other.test", "https://login.provider.test/common/v2.0"] {
            #expect(throws: TokenError.issuerUnknown) { try verifier.verify(token(iss: "\"\(iss)\"")) }
        }
        #expect(throws: TokenError.claim(.invalid("tid"))) {
            try verifier.verify(token(iss: "\"\(Self.text)\"", tid: "\"{tenantid}\""))
        }
        #expect(throws: TokenError.policyInvalid(.issuerRepeated)) { try TokenVerifier(issuers: [template, template]) }
        #expect(throws: TokenError.policyInvalid(.issuerTemplate)) {
            try TokenVerifier(issuers: [TrustedIssuer(Self.policy(.oneOf([])), keys: keys)])
        }
    }

    @Test("the member issuer of a key is kept when the key is written, and its change is a difference")
    func member() throws {
        let set = KeySet(shared.publicKey)
        let again = try KeySet(parsing: set.jwks())
        #expect(again.keys.first?.issuer == Self.text && again.difference(from: set).isEmpty)
        let moved = try KeySet(parsing: set.jwks().replacing("{tenantid}", with: Self.tenantB))
        #expect(moved.difference(from: set).changed.map(\.aspects) == [.issuer])
    }
}
