internal import JOSE
internal import JOSEBytes
internal import JOSEKeySets
internal import JOSETokens

extension RelyingParty {
    /// Returns the claims of the userinfo endpoint, which must be about `subject`.
    func userInfo(
        _ rules: UserInfoRules, _ login: LoginContext, subject: String, at provider: Provider
    ) async throws(RelyingPartyError) -> Claims {
        let endpoint = try provider.endpoint(.userInfoEndpoint)
        guard let accessToken = login.response?.accessToken else {
            throw RelyingPartyError(.internalFault, in: .userInfo)
        }
        var request = TransportRequest(url: endpoint)
        let media: String
        switch rules.form {
        case .json: media = "application/json"
        case .jwt: media = "application/jwt"
        }
        request.headers = [
            TransportHeaderField("Authorization", "Bearer " + accessToken), TransportHeaderField("Accept", media),
        ]
        let response = try await send(request, .userInfo)
        guard response.status == 200 else { throw bearerRefusal(response) }
        let (claims, token) = try await read(response, rules, provider)
        let found = login.with(claims, of: token, now: clock.now.secondsSince1970)
        do throws(RelyingPartyError.Reason) {
            try found.checkUserInfo(rules)
            try found.check(.subjectEquals(subject), .subject)
            try found.check(rules.rules)
        } catch {
            throw RelyingPartyError(error, in: .userInfo)
        }
        return claims
    }

    /// Returns the claims of a response. Its content type must be the one that the profile requires (threat R12).
    private func read(
        _ response: TransportResponse, _ rules: UserInfoRules, _ provider: Provider
    ) async throws(RelyingPartyError) -> (Claims, VerifiedToken?) {
        switch (rules.form, response.mediaType) {
        case (.json, "application/json"):
            do throws(TokenError) {
                return (try Claims(payload: response.body, limits: .standard, layer: .signature), nil)
            } catch {
                throw RelyingPartyError(RelyingPartyError.Reason(error, isNested: false), in: .userInfo)
            }
        case (.jwt, "application/jwt"):
            guard let reader = provider.readers.userInfo, let text = String(validating: response.body, as: UTF8.self)
            else { throw RelyingPartyError(.malformed, in: .userInfo) }
            let token = try await reader.open(text, step: .userInfo, until: deadline)
            return (token.claims, token)
        case (.jwt(let rules), "application/json"):
            throw RelyingPartyError(rules.layers == .signed ? .notSigned : .notEncrypted, in: .userInfo)
        default: throw RelyingPartyError(.contentTypeMismatch, in: .userInfo)
        }
    }

    /// Returns the error of a rejected access token (RFC 6750, 3). Some providers send the attributes without the name
    /// of the scheme, and some a JSON body.
    private func bearerRefusal(_ response: TransportResponse) -> RelyingPartyError {
        let fields = response.headers("WWW-Authenticate")
        if let code = fields.compactMap({ Self.errorAttribute($0) }).first {
            return profile.errors.error(code, nil, .userInfo, .userInfo)
        }
        let error = refusal(response, .userInfo, .userInfo)
        guard error.reason == .unexpectedStatus(401) else { return error }
        return RelyingPartyError(error.reason, in: .userInfo, remedy: .restart)
    }

    private static func errorAttribute(_ field: String) -> ProviderErrorCode? {
        for part in field.utf8.split(whereSeparator: { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: " ") }) {
            guard part.starts(with: "error=".utf8) else { continue }
            let value = part.dropFirst(6).filter { $0 != UInt8(ascii: "\"") }
            return ProviderErrorCode(String(decoding: value, as: UTF8.self))
        }
        return nil
    }
}

extension LoginContext {
    /// Checks the claims of a userinfo response that are not about the user (OpenID Connect Core, 5.3.2). A response that is signed
    /// must have `iss` and `aud`, unless the profile says that the provider's has not. Where they may be absent, a value for another
    /// client, or of another issuer, shows that the response is not for this login. Only a response that is a token has times.
    fileprivate func checkUserInfo(_ rules: UserInfoRules) throws(RelyingPartyError.Reason) {
        let isSigned = token?.algorithm != nil
        let isNamed = isSigned && rules.requiresIssuerAndAudience
        // The key of a tenant may verify the tokens of that issuer alone, which the response must therefore name.
        if isNamed || isSigned && issuers != nil {
            try check([.issuer])
        } else if claims.hasValue("iss") {
            try check(.issuer(issuer))
        }
        if isNamed || claims.hasValue("aud") { try check(.audience(clientID)) }
        if token != nil { try check(.expiration(isRequired: false), .notBefore, .issuedAt(isRequired: false)) }
    }
}
