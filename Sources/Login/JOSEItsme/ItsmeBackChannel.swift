internal import JOSE
public import JOSERelyingParty
internal import JOSESupport
internal import JOSETokens

extension ProviderProfile {
    /// Returns the profile of the current generation of itsme for logins that the back end begins (CIBA), by a QR code
    /// that the user scans with itsme's app: `RelyingParty.beginItsmeUserDiscovery()` and
    /// `RelyingParty.beginItsmeBackChannelLogin(_:of:session:)`. The client has a key pair, and may have no redirect
    /// URI.
    ///
    /// - Parameter hint: The form in which a request names the user.
    public static func itsmeBackChannel(hint: ItsmeUserHint = .signed) -> ProviderProfile {
        var profile = Itsme.profile("itsme.now.ciba", Itsme.second, .today)
        profile.client = Itsme.client([.privateKeyJWT], Itsme.todaysEncryption)
        profile.idToken = IDTokenRules(token: Itsme.todaysToken, rules: Itsme.rules)
        profile.userInfo = UserInfoRules(form: .jwt(Itsme.todaysToken))
        let base = ItsmeRequestRules.rules(.today, isBackChannel: true)
        var rules = BackChannelRules()
        rules.request.deliveries = [.pushed]
        rules.request.object?.algorithms = [.rs256]
        rules.request.parameters = BackChannelRules.parameters.filter {
            ["login_hint_token", "requested_expiry"].contains($0.key)
        }
        rules.request.parameters["acr_values"] = base.parameters["acr_values"]
        rules.request.parameters["claims"] = .any
        rules.request.parameters["client_id"] = .any
        rules.request.check = { (request, client) throws(RelyingPartyError.Reason) in
            try base.check(&request, client)
            request["client_id"] = client.id
        }
        rules.endpointPath = Itsme.authenticationPath
        rules.pollsNameClient = true
        rules.beginning = .discoveredUser(isSigned: hint == .signed)
        profile.backChannel = rules
        profile.request.deliveries = []
        profile.errors = Itsme.backChannelErrors
        profile.checkResponse = { (response, _) throws(RelyingPartyError.Reason) in
            guard response.idToken != nil else { throw .claimMissing("id_token") }
        }
        return profile
    }
}

/// The form of the parameter `login_hint_token`, in which itsme's documents differ.
@nonexhaustive public enum ItsmeUserHint: Sendable {
    /// A JWT that is signed with the client's key, whose members are `type`, which is `user_identifier_token`, and
    /// `value`: the form of the table of parameters.
    case signed
    /// A JSON object whose members are `type`, which is `subject_code`, and `value`: the form of the samples. It is not
    /// signed by itself, but as a part of the request.
    case object
}

extension Itsme {
    static let authenticationPath = "/backchannel/authentication"

    /// The error codes of CIBA have the meaning of CIBA. An unknown user is searched for again.
    static let backChannelErrors = ErrorRules { code, detail, endpoint in
        switch endpoint {
        case .pushedRequest where code.description == "unknown_user_id": ErrorMeaning(action: .restart)
        case .pushedRequest, .token:
            RelyingParty.backChannelMeanings[code.description] == nil ? errors.meaning(code, detail, endpoint) : nil
        default: errors.meaning(code, detail, endpoint)
        }
    }
}

extension RelyingParty {
    /// Begins a login of a user whom `RelyingParty.poll(_:)` has found.
    ///
    /// The identifier is used up by the call, whatever the result is. After `unknown_user_id` and
    /// `expired_login_hint_token` the service discovers the user again.
    ///
    /// - Parameters:
    ///   - request: The request, such as `LoginRequest.itsme(service:level:scopes:)`.
    ///   - user: The identifier of the user.
    ///   - session: A secret of the session, as in `beginBackChannelLogin(_:session:)`.
    /// - Returns: The pending login, for `poll(_:session:)`.
    /// - Throws: `configurationError` with another profile than `ProviderProfile.itsmeBackChannel(hint:)`, `replayed`
    ///   for an identifier that was used before, and the errors of `beginBackChannelLogin(_:session:)`.
    public func beginItsmeBackChannelLogin(
        _ request: LoginRequest, of user: ItsmeDiscoveredUser, session: String
    ) async throws(RelyingPartyError) -> BackChannelLogin {
        guard let rules = profile.backChannel, case .discoveredUser(let isSigned) = rules.beginning else {
            throw RelyingPartyError(.configurationError, in: .request)
        }
        var request = request
        do throws(RelyingPartyError.Reason) {
            guard request["login_hint_token"] == nil else { throw .invalidParameter("login_hint_token") }
            try await useOnce(
                user.token, kind: "itsme-user", of: location.issuer,
                lifetime: Itsme.discoveryLimit + StoreLifetime.grace)
            let hint: ParameterValue =
                isSigned ? .text(try await signedHint(user)) : .json(self.hint(user, "subject_code"))
            request.set("login_hint_token", hint)
        } catch {
            throw RelyingPartyError(error, in: .request)
        }
        return try await begin(request, rules, session)
    }

    private func hint(_ user: ItsmeDiscoveredUser, _ type: String) -> [UInt8] {
        let members: ClaimsBuilder = ["type": .string(type), "value": .string(user.token)]
        return members.json()
    }

    private func signedHint(_ user: ItsmeDiscoveredUser) async throws(RelyingPartyError.Reason) -> String {
        try await client.signer().sign(self.hint(user, "user_identifier_token"), among: [.rs256])
    }
}
