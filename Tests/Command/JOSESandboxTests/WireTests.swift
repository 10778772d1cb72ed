import JOSE
import JOSEKeySets
import JOSESandbox
import JOSETesting
import JOSETokens
import TestSupport
import Testing

/// Tests of what the sandbox sends, compared by hand with the providers' specifications: headers byte for byte, claims by their
/// names and spelling.
@Suite("Sandbox: message formats") struct WireTests {
    @Test("itsme v2 sends an RS256 token inside RSA-OAEP and A128CBC-HS256, with V2 values in acr")
    func itsmeV2() async throws {
        let login = try await RawLogin("itsme-v2")
        let answer = try await tokens(
            login, login.proof(login.nested(login.assertion(audience: login.provider.issuer + "/token"))))
        #expect(Set(answer.members) == ["access_token", "token_type", "expires_in", "id_token"])
        #expect(answer["token_type"]?.string == "Bearer")
        let token = try #require(answer["id_token"]?.string)
        let outer = header(token)
        let isOuter = ["e1", "e2"].contains {
            outer == #"{"alg":"RSA-OAEP","enc":"A128CBC-HS256","kid":"\#($0)","cty":"JWT"}"#
        }
        #expect(isOuter, "\(outer)")
        let inner = try decrypted(token, login)
        #expect(header(inner) == #"{"alg":"RS256","kid":"s1","typ":"JWT"}"#)
        let claims = try claims(inner, login)
        #expect(Set(claims.members) == ["iss", "sub", "aud", "exp", "iat", "auth_time", "acr", "nonce"])
        #expect(claims["iss"]?.string == "https://provider.test:8443/v2")
        #expect(claims["aud"]?.string == login.client.clientID)
        #expect(claims["acr"]?.string == "http://itsme.services/V2/claim/acr_advanced")
        #expect(claims["nonce"]?.string == "the-nonce")

        let userinfo = try userinfo(answer, login)
        #expect(userinfo.header("Content-Type") == "application/jwt")
        let info = try self.claims(decrypted(String(decoding: userinfo.body, as: UTF8.self), login), login)
        #expect(info["sub"] == claims["sub"])
        #expect(info["email_verified"] == .bool(false))
        #expect(info["address"]?["postal_code"]?.string == "1000")
    }

    @Test("itsme today, with keys, sends RS256 inside RSA-OAEP-256 and A256GCM, and requires PKCE")
    func itsmeKey() async throws {
        let login = try await RawLogin("itsme-now-key")
        let proof = try login.proof(login.assertion(audience: login.provider.issuer + "/token"))
        let answer = try await tokens(login, proof, challenge: true)
        let token = try #require(answer["id_token"]?.string)
        let outer = header(token)
        let isOuter = ["e1", "e2"].contains {
            outer == #"{"alg":"RSA-OAEP-256","enc":"A256GCM","kid":"\#($0)","cty":"JWT"}"#
        }
        #expect(isOuter, "\(outer)")
        let inner = try decrypted(token, login)
        #expect(header(inner) == #"{"alg":"RS256","kid":"s1","typ":"JWT"}"#)
        #expect(try claims(inner, login)["acr"]?.string == "http://itsme.services/V2/claim/acr_advanced")
        let userinfo = try userinfo(answer, login)
        let info = try claims(decrypted(String(decoding: userinfo.body, as: UTF8.self), login), login)
        #expect(info["locale"]?.string == "EN")
        let surfer = try await login.visit(login.parameters())
        #expect(surfer.parameter("error") == "invalid_request")
    }

    @Test("R38 itsme: the sandbox's claims have exactly the members of the documentation's samples")
    func itsmeClaims() async throws {
        let samples = [
            "itsme/claims-v2": "http://itsme.services/v2/claim/place_of_birth",
            "itsme/claim-device": "tag:sixdots.be,2017-05:claim_device",
            "itsme/claim-transaction-info": "tag:sixdots.be,2017-05:claim_transaction_info",
        ]
        let asked = JSON.object(["userinfo": .object(samples.values.reduce(into: [:]) { $0[$1] = .null })])
        let login = try await RawLogin("itsme-now-key")
        let proof = try login.proof(login.assertion(audience: login.provider.issuer + "/token"))
        let answer = try await tokens(login, proof, challenge: true, [("claims", asked.text)])
        let userinfo = try userinfo(answer, login)
        let info = try claims(decrypted(String(decoding: userinfo.body, as: UTF8.self), login), login)
        for (name, claim) in samples {
            let documented = try Set(#require(try ProviderSample(name).message[claim]).members)
            let sent = try Set(#require(info[claim]).members)
            #expect(!sent.isEmpty && sent.isSubset(of: documented), "\(claim)")
        }
        let place = try #require(info["http://itsme.services/v2/claim/place_of_birth"])
        #expect(place["city"]?.string == "Brussel" && place["country"]?.string == "BE")
    }

    @Test("itsme v1 with encryption sends a tag URI as acr, and accepts request objects for its endpoint only")
    func itsmeNested() async throws {
        let login = try await RawLogin("itsme-v1-nested")
        let proof = try login.proof(login.nested(login.assertion(audience: login.provider.issuer + "/token")))
        let answer = try await tokens(login, proof)
        let token = try #require(answer["id_token"]?.string)
        let outer = header(token)
        let isOuter = ["e1", "e2"].contains {
            outer == #"{"alg":"RSA-OAEP","enc":"A128CBC-HS256","kid":"\#($0)","cty":"JWT"}"#
        }
        #expect(isOuter, "\(outer)")
        let claims = try claims(decrypted(token, login), login)
        #expect(claims["acr"]?.string == "tag:sixdots.be,2016-06:acr_advanced")
        #expect(claims["iss"]?.string == "https://provider.test:8443/oidc")

        func title(_ audience: String) async throws -> String {
            let object = try login.nested(login.requestObject(audience: audience))
            let query = [("client_id", login.client.clientID), ("response_type", "code"), ("scope", "openid")]
            return try await login.visit(query + [("request", object)]).title
        }
        #expect(try await title(login.provider.issuer + "/authorization") == "itsme (sandbox): log in")
        #expect(try await title(login.provider.issuer) == "itsme (sandbox): this request is refused")
    }

    @Test(
        "itsme with a secret sends dir and A256GCM, keyed by the secret's hash, with no encrypted key and no kid"
    )
    func itsmeSecret() async throws {
        let login = try await RawLogin("itsme-now-secret")
        let secret = try #require(login.client.secret)
        let proof = [("client_id", login.client.clientID), ("client_secret", secret)]
        let answer = try await tokens(login, proof, challenge: true)
        let token = try #require(answer["id_token"]?.string)
        #expect(header(token) == #"{"alg":"dir","enc":"A256GCM"}"#)
        #expect(token.split(separator: ".", omittingEmptySubsequences: false)[1].isEmpty)
        let key = try #require(Forge.decoded(Randomness.digest(secret)))
        let policy = EncryptionPolicy(keyManagement: [.dir], contentEncryption: [.a256gcm])
        let plaintext = try JWEDecrypter(keys: KeySet(SecretKey(bytes: key)), policy: policy).decrypt(token).plaintext
        let inner = String(decoding: plaintext, as: UTF8.self)
        #expect(header(inner) == #"{"alg":"RS256","typ":"JWT"}"#)
        #expect(try claims(inner, login)["nbf"] != nil)
    }

    @Test("a carrier sends a JWS with the type at+jwt, and flat userinfo with Booleans as strings")
    func zenKey() async throws {
        let login = try await RawLogin("zenkey")
        let code = try await login.code([("scope", "email name openid phone"), ("context", "Pay 5")] + login.challenge)
        let basic = login.basic(login.client.clientID, try #require(login.client.secret))
        let form = login.exchange(code) + [("code_verifier", RawLogin.verifier)]
        let answer = try JSON(login.post(login.endpoint("token_endpoint"), form, basic).body)
        let token = try #require(answer["id_token"]?.string)
        #expect(header(token) == #"{"alg":"RS256","type":"at+jwt","kid":"s1"}"#)
        let claims = try claims(token, login)
        #expect(claims["sub"]?.string?.hasPrefix("mccmnc-") == true)
        #expect(claims["acr"]?.string == "a3")
        #expect(claims["context"]?.string == "Pay 5")
        let info = try JSON(userinfo(answer, login).body)
        #expect(info["email_verified"]?.string == "true")
        #expect(info["phone_number"]?.string == "+13101234567")
        #expect(info["sub"] == claims["sub"])
    }

    @Test("discovery returns mccmnc as a number, or the discovery page if the carrier is unknown")
    func discovery() async throws {
        let login = try await RawLogin("zenkey")
        let place = login.client.issuer + "/.well-known/openid_configuration?client_id=" + login.client.clientID
        let known = try JSON(login.get(place + "&mccmnc=001001").body)
        #expect(known["mccmnc"] == .number(1001))
        #expect(known["issuer"]?.string == "https://carrier-two.test:8443")
        let unknown = try JSON(login.get(place + "&mccmnc=999999").body)
        #expect(unknown["error"]?.string == "provider_not_found")
        #expect(unknown["redirect_uri"]?.string == "https://discovery.test:8443/ui/discovery-ui")
    }

    @Test(
        "MitID responds by form_post, with at_hash and userinfo of strings; its keys have certificates and no alg"
    )
    func mitID() async throws {
        let login = try await RawLogin("mitid")
        let answer = try await tokens(
            login, login.proof(login.assertion(audience: login.provider.issuer)), challenge: true,
            [("scope", "openid mitid ssn transaction_token")])
        let token = try #require(answer["id_token"]?.string)
        let claims = try claims(token, login)
        let access = try #require(answer["access_token"]?.string)
        #expect(claims["at_hash"]?.string == (try SignatureAlgorithm.rs256.tokenHash(of: access)))
        #expect(claims["loa"]?.string == "https://data.gov.dk/concept/core/nsis/High")
        #expect(claims["session_expiry"]?.string != nil)
        #expect(claims["amr"] == .array([.string("code_app")]))
        let info = try JSON(userinfo(answer, login).body)
        for name in info.members { #expect(info[name]?.string != nil, "\(name)") }
        #expect(info["dk.cpr"]?.string?.count == 10)

        let keys = try JSON(login.get(login.endpoint("jwks_uri")).body)["keys"]?.array ?? []
        #expect(keys.count == 3)
        for key in keys {
            #expect(key["alg"] == nil)
            let name = try #require(key["kid"]?.string)
            #expect(name.count == 40 && name == name.uppercased())
            #expect(key["x5c"]?.array?.count == 1)
        }
        let transaction = try #require(answer["transaction_token"]?.string)
        #expect(header(transaction) != header(token))
        #expect(answer["transaction_token_ocsp_resp"]?.string?.isEmpty == false)
    }

    @Test(
        "a generic OpenID provider sends iss and at_hash, and requires PKCE (OpenID Connect Core 2; RFC 9207)"
    )
    func openID() async throws {
        let login = try await RawLogin("openid")
        let issuer = login.provider.issuer
        let answer = try await tokens(
            login, login.proof(login.assertion(audience: issuer)), challenge: true,
            [("scope", "openid profile email"), ("acr_values", "high")])
        let token = try #require(answer["id_token"]?.string)
        #expect(header(token) == #"{"alg":"RS256","kid":"s1","typ":"JWT"}"#)
        let claims = try claims(token, login)
        let access = try #require(answer["access_token"]?.string)
        #expect(claims["at_hash"]?.string == (try SignatureAlgorithm.rs256.tokenHash(of: access)))
        #expect(claims["acr"]?.string == "high")
        let info = try JSON(userinfo(answer, login).body)
        #expect(info["sub"] == claims["sub"] && info["name"]?.string == "Anna Peeters")
        #expect(info["email_verified"] == .bool(false) && info["phone_number"] == nil)

        let withoutPKCE = try await login.visit(login.parameters())
        #expect(withoutPKCE.parameter("error") == "invalid_request")
        #expect(withoutPKCE.parameter("iss") == issuer)
        var surfer = try await login.visit(login.parameters(login.challenge))
        await surfer.submit(["person": "anna", "misbehaviour": "", "decision": "approve"])
        #expect(surfer.parameter("iss") == issuer)
        let place = try login.endpoint("token_endpoint")
        let form = login.exchange(try #require(surfer.parameter("code"))) + [("code_verifier", RawLogin.verifier)]
        #expect(login.post(place, form + login.proof(try login.assertion(audience: place))).status == 401)
        #expect(login.post(place, form + login.proof(try login.assertion(audience: issuer))).status == 200)
    }

    private func tokens(
        _ login: RawLogin, _ proof: [(String, String)], challenge: Bool = false, _ more: [(String, String)] = []
    ) async throws -> JSON {
        let code = try await login.code(more + (challenge ? login.challenge : []))
        var form = login.exchange(code) + proof
        if challenge { form.append(("code_verifier", RawLogin.verifier)) }
        let response = login.post(try login.endpoint("token_endpoint"), form)
        #expect(response.status == 200, "\(String(decoding: response.body, as: UTF8.self))")
        #expect(response.header("Cache-Control") == "no-store")
        return try JSON(response.body)
    }

    private func userinfo(_ answer: JSON, _ login: RawLogin) throws -> TransportResponse {
        let token = try #require(answer["access_token"]?.string)
        return login.get(
            try login.endpoint("userinfo_endpoint"), [TransportHeaderField("Authorization", "Bearer " + token)])
    }

    private func header(_ token: String) -> String {
        let first = token.split(separator: ".").first.map(String.init) ?? ""
        return String(decoding: Forge.decoded(first) ?? [], as: UTF8.self)
    }

    private func decrypted(_ token: String, _ login: RawLogin) throws -> String {
        let policy = EncryptionPolicy(
            keyManagement: [.rsaOAEP, .rsaOAEP256], contentEncryption: [.a128cbcHS256, .a256gcm])
        let plaintext = try JWEDecrypter(keys: login.bench.sandbox.serviceKeys, policy: policy).decrypt(token).plaintext
        return String(decoding: plaintext, as: UTF8.self)
    }

    /// Returns the claims of a token that a published key verifies.
    private func claims(_ token: String, _ login: RawLogin) throws -> JSON {
        let keys = KeySet(login.provider.publishedKeys.map { .publicKey($0) })
        return try JSON(JWSVerifier(keys: keys, policy: SignaturePolicy(algorithms: [.rs256])).verify(token).payload)
    }
}
