internal import JOSE
internal import JOSEKeySets
internal import JOSESupport
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
        let response = try await send(request, .userInfo, until: login.deadline)
        guard response.status == 200 else { throw bearerRefusal(response) }
        let (claims, token) = try await read(response, rules, provider, until: login.deadline)
        let found = login.with(claims, of: token, now: clock.now.secondsSince1970, subject: subject)
        let standard = UserInfoProfile.rules(
            isToken: token != nil, isSigned: token?.algorithm != nil,
            requiresIssuerAndAudience: rules.requiresIssuerAndAudience, isOfTenant: login.issuers != nil)
        do throws(RelyingPartyError.Reason) {
            try found.check(standard.map { LoginRule($0) } + rules.rules)
        } catch {
            throw RelyingPartyError(error, in: .userInfo)
        }
        return claims
    }

    /// Returns the claims of a response. Its content type must be the one that the profile requires (threat R12).
    private func read(
        _ response: TransportResponse, _ rules: UserInfoRules, _ provider: Provider, until deadline: CallDeadline?
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
            let token = try await reader.verify(text, step: .userInfo, until: deadline)
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
        return RelyingPartyError(error.reason, in: .userInfo, action: .restart)
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
