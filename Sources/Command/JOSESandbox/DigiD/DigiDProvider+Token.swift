internal import JOSE
internal import JOSEDigiD
internal import JOSEKeySets
internal import JOSERelyingParty
internal import JOSETesting
internal import JOSETokens
internal import Synchronization

/// The token endpoint, for clients with a certificate.
extension DigiDProvider {
    func token(_ request: WebRequest) -> TransportResponse {
        let now = now
        // TLS has verified the certificate, and it is the one that was registered (RFC 8705, 2.1).
        guard let certificate = request.clientCertificate, certificate == client.certificate,
            let form = request.form, form.repeated == nil, form["grant_type"] == "authorization_code",
            form["client_id"] == client.id, form["redirect_uri"] == nil, let code = form["code"],
            let grant = state.withLock({ $0.codes.take(code, now: now) }), grant.fault != .codeRefused,
            let verifier = form["code_verifier"], (43...128).contains(verifier.utf8.count),
            Randomness.isSame(Randomness.digest(verifier), grant.parameters["code_challenge"] ?? ""),
            let body = try? body(grant)
        else {
            // DigiD answers all errors of this endpoint with the same code.
            return .json(["error": "invalid_request"], status: 400)
        }
        return .json(body)
    }

    private func body(_ grant: Grant) throws -> ClaimsBuilder {
        let seconds = Int64(now)
        let access: ClaimsBuilder = [
            "iss": .string(issuer), "azp": grant.fault == .otherParty ? .string(Randomness.uuid()) : .string(client.id),
            "exp": .integer(seconds + 120), "jti": .string(Randomness.uuid()),
        ]
        var body: ClaimsBuilder = [
            "access_token": .string(try signed(access)), "token_type": "Bearer",
            "state": .string(grant.fault == .otherState ? Randomness.text() : grant.parameters["state"] ?? ""),
        ]
        if grant.fault != .missingIDToken { body["id_token"] = .string(try idToken(grant, seconds)) }
        return body
    }

    private func idToken(_ grant: Grant, _ seconds: Int64) throws -> String {
        var claims: ClaimsBuilder = [
            "iss": .string(issuer), "aud": .string(issuer + "/token"), "sub": .string(grant.person.dutchNumber),
            "sub_id_type": .string(DigiDNumber.qualifiers[0]), "nonce": .string(grant.parameters["nonce"] ?? ""),
            "iat": .integer(seconds), "exp": .integer(seconds + 120),
            // The value equals `exp`, so that the token is valid at no time.
            "nbf": .integer(seconds + 120), "acr": .string(grant.level.eIDAS ?? ""), "jti": .string(Randomness.uuid()),
        ]
        switch grant.fault {
        case .wrongIssuer: claims["iss"] = .string(issuer + "/")
        case .clientAsAudience: claims["aud"] = .string(client.id)
        case .expired:
            claims["iat"] = .integer(seconds - 400)
            claims["exp"] = .integer(seconds - 280)
            claims["nbf"] = .integer(seconds - 280)
        case .notYet: claims["nbf"] = .integer(seconds + 119)
        case .wrongNonce: claims["nonce"] = .string(Randomness.text())
        case .wrongHash:
            claims["at_hash"] = .string(try SignatureAlgorithm.rs256.tokenHash(of: Randomness.text()))
        case .foreignToken: claims["azp"] = .string(Randomness.uuid())
        case .unknownLevel: claims["acr"] = "http://eidas.europa.eu/LoA/highest"
        case .otherSector: claims["sub_id_type"] = "urn:nl-eid-gdi:1.0:id:legacy-SOFI"
        case .badNumber: claims["sub"] = "111222334"
        default: break
        }
        return try sealed(claims, grant.fault)
    }

    private func sealed(_ claims: ClaimsBuilder, _ fault: DigiDFault?) throws -> String {
        let payload = String(decoding: claims.json(), as: UTF8.self)
        var jws = try signed(claims)
        switch fault {
        case .bareJWS: return jws
        case .unsigned: jws = Forge.input(header: #"{"alg":"none"}"#, payload: payload) + "."
        case .strangersKey: jws = try signed(claims, by: Strangers.key.get())
        default: break
        }
        guard let key = client.encryption else { throw TokenFault() }
        return try Forge.encrypted(
            header: #"{"alg":"RSA-OAEP","enc":"A256GCM"}"#, plaintext: Array(jws.utf8), with: .publicKey(key), .rsaOAEP,
            .a256gcm)
    }
}
