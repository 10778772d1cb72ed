import JOSE
import JOSEItsme
import JOSEKeySets
import JOSERelyingParty
import JOSETesting
import JOSETokens
import Testing

@Suite("itsme: ID tokens") struct ItsmeTokenTests {
    private func expect(
        _ fixture: LoginFixture, _ failure: RelyingPartyError.Reason?, _ comment: Comment? = nil,
        _ change: (inout ScriptedProvider.Script) -> Void
    ) async throws {
        let error = try await fixture.failure(change)
        #expect(error == failure.map { RelyingPartyError($0, in: .idToken) }, comment)
    }

    private static let header = #"{"alg":"RSA-OAEP","enc":"A128CBC-HS256","kid":"e1","cty":"JWT"}"#

    @Test("itsme case 2, itsme case 3: rejects an ID token that is only signed, and one that is only encrypted (R13)")
    func strippedLayers()
        async throws
    {
        let fixture = try LoginFixture.itsmeV2()
        let provider = fixture.provider
        try await expect(fixture, nil) { _ in }
        try await expect(fixture, .notEncrypted) { $0.idToken = { try provider.sign($0) } }
        try await expect(fixture, .notSigned) { script in
            script.idToken = { try provider.wrap(String(decoding: $0.json(), as: UTF8.self), nestedLayers) }
        }
        for parts in ["", "a", "a.b", "a.b.c.d", "a.b.c.d.e.f"] {
            try await expect(fixture, .malformed, "\(parts)") {
                $0.tokenResponse = { text in replaced(text, parts + "x") }
            }
        }
    }

    @Test("itsme case 4, itsme case 5: rejects alg none, and HS256 with the public key, in the signature layer")
    func innerAlgorithms() async throws {
        let fixture = try LoginFixture.itsmeV2()
        let provider = fixture.provider
        try await expect(fixture, nil) { $0.idToken = { try provider.wrap(try provider.sign($0), nestedLayers) } }
        try await expect(fixture, .algorithmNotAllowed) { script in
            script.idToken = { claims in
                let input = Forge.input(
                    header: #"{"alg":"none"}"#, payload: String(decoding: claims.json(), as: UTF8.self))
                return try provider.wrap(Forge.token(input, signature: []), nestedLayers)
            }
        }
        try await expect(fixture, .algorithmNotAllowed) { script in
            script.idToken = { claims in
                let input = Forge.input(
                    header: #"{"alg":"HS256","kid":"provider-signature"}"#,
                    payload: String(decoding: claims.json(), as: UTF8.self))
                let pem = Array(try TestKeys.provider.publicKey.pem().utf8)
                let mac = try #require(try Forge.mac(of: input, key: pem, .hs256))
                return try provider.wrap(Forge.token(input, signature: mac), nestedLayers)
            }
        }
    }

    @Test("itsme case 6, itsme case 26, itsme case 27: rejects RSA1_5, zip and PBES2 by the header alone")
    func outerAlgorithms() async throws {
        let fixture = try LoginFixture.itsmeV2()
        let provider = fixture.provider
        try await expect(fixture, nil) { script in
            script.idToken = { try provider.wrap(try provider.sign($0), nestedLayers, header: Self.header) }
        }
        for header in [
            #"{"alg":"RSA1_5","enc":"A128CBC-HS256","kid":"e1","cty":"JWT"}"#,
            #"{"alg":"RSA-OAEP","enc":"A128CBC-HS256","kid":"e1","cty":"JWT","zip":"DEF"}"#,
            #"{"alg":"PBES2-HS256+A128KW","enc":"A128CBC-HS256","p2c":2147483647,"p2s":"AAAAAAAAAAA","cty":"JWT"}"#,
        ] {
            // The parts behind the header cannot be decrypted by anyone.
            try await expect(fixture, .algorithmNotAllowed, "\(header)") { script in
                script.idToken = { _ in
                    Forge.encoded(Array(header.utf8)) + ".AAAA.AAAAAAAAAAAAAAAAAAAAAA.AAAA.AAAAAAAAAAAAAAAAAAAAAA"
                }
            }
        }
        try await expect(fixture, .encryptionNotAllowed) { script in
            script.idToken = {
                try provider.wrap(try provider.sign($0), .nested(.rsaOAEP, .a256gcm))
            }
        }
        try await expect(fixture, .criticalNotUnderstood) { script in
            script.idToken = {
                let header = #"{"alg":"RSA-OAEP","enc":"A128CBC-HS256","kid":"e1","cty":"JWT","crit":["x"],"x":1}"#
                return try provider.wrap(try provider.sign($0), nestedLayers, header: header)
            }
        }
    }

    @Test("of several faults in a header alg is reported first, then enc, crit and zip")
    func order()
        async throws
    {
        let fixture = try LoginFixture.itsmeV2()
        let faults = [
            (#""alg":"RSA1_5""#, #""alg":"RSA-OAEP""#, RelyingPartyError.Reason.algorithmNotAllowed),
            (#""enc":"A256GCM""#, #""enc":"A128CBC-HS256""#, .encryptionNotAllowed),
            (#""crit":["x"],"x":1"#, #""x":1"#, .criticalNotUnderstood),
            (#""zip":"DEF""#, #""y":1"#, .algorithmNotAllowed),
        ]
        // First with all four faults, and then with one less at a time, until only the parts behind the header are invalid.
        for mended in 0...faults.count {
            let members = faults.enumerated().map { $0.offset < mended ? $0.element.1 : $0.element.0 }
            let header = #"{"kid":"e1","cty":"JWT",\#(members.joined(separator: ","))}"#
            let expected = mended < faults.count ? faults[mended].2 : .decryptionFailed
            try await expect(fixture, expected, "\(header)") { script in
                script.idToken = { _ in
                    Forge.encoded(Array(header.utf8)) + ".AAAA.AAAAAAAAAAAAAAAAAAAAAA.AAAA.AAAAAAAAAAAAAAAAAAAAAA"
                }
            }
        }
    }

    @Test("itsme case 7: itsme.now.key tries both keys for typ JOSE and RSA-OAEP-256 without kid, and v2 rejects them")
    func namelessKeys() async throws {
        let header = #"{"alg":"RSA-OAEP-256","enc":"A128CBC-HS256","typ":"JOSE","cty":"JWT"}"#
        for (fixture, failure) in [
            (try LoginFixture.itsmeKey(), nil),
            (try LoginFixture.itsmeV2(), RelyingPartyError.Reason.algorithmNotAllowed),
        ] {
            let provider = fixture.provider
            try await expect(fixture, failure) { script in
                script.idToken = {
                    try provider.wrap(try provider.sign($0), .nested(.rsaOAEP256, .a128cbcHS256), header: header)
                }
            }
        }
    }

    @Test("itsme case 8: a flipped bit in encrypted key, IV, ciphertext or tag causes one and the same error")
    func flippedBits()
        async throws
    {
        let fixture = try LoginFixture.itsmeV2()
        let provider = fixture.provider
        try await expect(fixture, nil) { $0.idToken = { try provider.wrap(try provider.sign($0), nestedLayers) } }
        for part in 1...4 {
            try await expect(fixture, .decryptionFailed, "part \(part)") { script in
                script.idToken = { claims in
                    var parts = try provider.wrap(try provider.sign(claims), nestedLayers).split(separator: ".").map(
                        String.init)
                    var bytes = try #require(Forge.decoded(parts[part]))
                    bytes[bytes.count / 2] ^= 1
                    parts[part] = Forge.encoded(bytes)
                    return parts.joined(separator: ".")
                }
            }
        }
        try await expect(fixture, .keyNotFound) { script in
            script.idToken = {
                try provider.wrap(
                    try provider.sign($0), nestedLayers, header: Self.header.replacing("\"e1\"", with: "\"nobody\""))
            }
        }
    }

    @Test("itsme case 9, itsme case 10, itsme case 11: a wrong audience, issuer or time is rejected")
    func claims() async throws {
        let fixture = try LoginFixture.itsmeV2()
        let now = Int64(fixture.clock.now.secondsSince1970)
        try await expect(fixture, nil) { $0.idTokenClaims = { $0["aud"] = ["partner-code"] } }
        for aud in [
            ClaimValue.string("other"), ["other"], [], .integer(1), .string("partner-code "), ["partner-code", 1],
            ["other", "partner-code"], ["partner-code", "other"],
        ] {
            try await expect(fixture, .audienceMismatch) { $0.idTokenClaims = { $0["aud"] = aud } }
        }
        for issuer in [LoginFixture.issuer + "/", "https://provider.test/V2", "http://provider.test/v2", ""] {
            try await expect(fixture, .issuerMismatch) { $0.idTokenClaims = { $0["iss"] = .string(issuer) } }
        }
        try await expect(fixture, nil) { $0.idTokenClaims = { $0["exp"] = .integer(now - 30) } }
        try await expect(fixture, .expired) { $0.idTokenClaims = { $0["exp"] = .integer(now - 400) } }
        try await expect(fixture, .claimMissing("exp")) { $0.idTokenClaims = { $0["exp"] = nil } }
        try await expect(fixture, .notYetValid) { $0.idTokenClaims = { $0["nbf"] = .integer(now + 400) } }
        try await expect(fixture, .issuedInFuture) { $0.idTokenClaims = { $0["iat"] = .integer(now + 400) } }
        try await expect(fixture, .authorizedPartyMismatch) { $0.idTokenClaims = { $0["azp"] = "other" } }
        try await expect(fixture, nil) { $0.idTokenClaims = { $0["azp"] = "partner-code" } }
        try await expect(fixture, .claimMissing("sub")) { $0.idTokenClaims = { $0["sub"] = nil } }
        // The first check that fails is reported, in the order of the specification.
        try await expect(fixture, .issuerMismatch) { script in
            script.idTokenClaims = { claims in
                claims["iss"] = "https://other.test"
                claims["aud"] = "other"
                claims["exp"] = 1
            }
        }
    }

    @Test("R05: the nonce must equal the one that was sent, byte by byte") func nonces() async throws {
        let fixture = try LoginFixture.itsmeV2()
        for nonce in [nil, ClaimValue.string("other"), .integer(1), .string(""), ["a"]] {
            try await expect(fixture, .nonceMismatch) { $0.idTokenClaims = { $0["nonce"] = nonce } }
        }
        try await expect(fixture, .nonceMismatch) { script in
            script.idTokenClaims = { claims in
                guard case .string(let nonce)? = claims["nonce"] else { return }
                claims["nonce"] = .string(String(nonce.dropLast()))
            }
        }
        try await expect(fixture, nil) { _ in }
    }

    @Test("itsme case 12: if advanced is requested, basic and undocumented levels are too low")
    func levels() async throws {
        let fixture = try LoginFixture.itsmeV2(request: .itsme(service: "SHOP", level: .advanced))
        for (acr, failure) in [
            ("http://itsme.services/V2/claim/acr_basic", RelyingPartyError.Reason.acrTooLow),
            ("http://itsme.services/V2/claim/acr_advanced", nil), ("http://itsme.services/v2/claim/acr_advanced", nil),
            ("tag:sixdots.be,2016-06:acr_advanced", nil), ("tag:itsmetag:sixdots.be,2016-06:acr_advanced", nil),
            ("HTTP://ITSME.SERVICES/v2/claim/acr_advanced", .acrTooLow),
            ("http://itsme.services/v2/claim/acr_advanced ", .acrTooLow),
        ] {
            try await expect(fixture, failure, "\(acr)") { $0.idTokenClaims = { $0["acr"] = .string(acr) } }
        }
        try await expect(fixture, .acrTooLow) { $0.idTokenClaims = { $0["acr"] = nil } }
        let basic = try LoginFixture.itsmeV2()
        try await expect(basic, nil) { $0.idTokenClaims = { $0["acr"] = nil } }
    }

    @Test("itsme case 19: itsme.now.secret requires dir, an empty encrypted key, and A256GCM")
    func directKeys() async throws {
        let fixture = try LoginFixture.itsmeSecret()
        let provider = fixture.provider
        try await expect(fixture, nil) { _ in }
        try await expect(fixture, .malformed) { script in
            script.idToken = { claims in
                var parts = try provider.wrap(try provider.sign(claims), .direct)
                    .split(separator: ".", omittingEmptySubsequences: false).map(String.init)
                parts[1] = "AAAA"
                return parts.joined(separator: ".")
            }
        }
        try await expect(fixture, .algorithmNotAllowed) { script in
            script.idToken = { try provider.wrap(try provider.sign($0), .nested(.rsaOAEP, .a256gcm)) }
        }
        // Another secret decrypts nothing.
        try await expect(fixture, .decryptionFailed) { script in
            script.idToken = { claims in
                let key = try SecretKey.generate(bits: 256)
                return try Forge.encrypted(
                    header: Array(#"{"alg":"dir","enc":"A256GCM"}"#.utf8),
                    plaintext: Array(try provider.sign(claims).utf8),
                    with: .symmetricKey(key), .dir, .a256gcm)
            }
        }
    }

    @Test("itsme case 21: a new kid causes one fetch of keys, and the next unknown kid causes none")
    func rotation() async throws {
        let fixture = try LoginFixture.itsmeV2()
        let provider = fixture.provider
        _ = try await fixture.login()
        let before = provider.calls(.keys)
        fixture.clock.advance(by: .seconds(61))
        provider.script.published.append(TestKeys.nextProvider.publicKey)
        provider.script.signingKey = TestKeys.nextProvider
        #expect(try await fixture.login().subject == LoginFixture.secondSubject)
        #expect(provider.calls(.keys) == before + 1)
        provider.script.signingKey = TestKeys.stranger
        for _ in 0..<2 {
            #expect(try await fixture.failure() == RelyingPartyError(.keyNotFound, in: .idToken))
        }
        #expect(provider.calls(.keys) == before + 1)
    }
}

private func replaced(_ text: String, _ token: String) -> String {
    guard let start = text.ranges(of: "\"id_token\":\"").first?.upperBound else { return text }
    return text[..<start] + token + "\"}"
}
