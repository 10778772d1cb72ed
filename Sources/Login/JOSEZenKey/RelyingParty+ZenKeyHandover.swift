public import JOSE
public import JOSERelyingParty
internal import JOSESupport
internal import JOSETokens

/// A login that an app performs with ZenKey's SDK, and that the service completes.
public struct ZenKeyHandover: Sendable {
    /// The handle, which the app sends back with the values of the SDK. It is valid once.
    public let handle: String
    /// The `nonce`, which the app must pass to the SDK. It alone ties the code to this login.
    public let nonce: String
    /// The time at which the handle expires.
    public let expires: NumericDate
}

extension RelyingParty {
    private static var handoverKind: String { "zenkey-handover" }
    /// The largest number of bytes of the app's message.
    private static var handoverLimit: Int { 8_192 }
    /// The time for which a code is remembered, so that no other hand-over redeems it.
    private static var codeLifetime: Duration { .seconds(86_400) }

    /// Begins a login that an app with ZenKey's SDK performs. The app finds the carrier and opens its authorization
    /// endpoint itself; no URL is returned.
    ///
    /// - Parameters:
    ///   - request: The parameters that the app passes to the SDK: scopes, levels and context.
    ///   - session: A secret of the app's session with the service, of at least 16 bytes. The login can be completed in
    ///     this session only.
    /// - Returns: The handle and the `nonce` for the app.
    /// - Throws: `configurationError` if the relying party does not have ZenKey's profile or the secret is too short,
    ///   and the errors of the request and of the store.
    public func beginZenKeyHandover(
        _ request: LoginRequest = .zenKey(), session: String
    ) async throws(RelyingPartyError) -> ZenKeyHandover {
        _ = try carriers()
        guard session.utf8.count >= AppLogin.minimumInstanceBytes else {
            throw RelyingPartyError(.configurationError, in: .request)
        }
        let prepared = try prepare(request)
        let now = clock.now
        var transaction: LoginTransaction
        do throws(RelyingPartyError.Reason) {
            transaction = try prepared.transaction(
                profile, client, issuer: location.issuer, binding: session, now: now.secondsSince1970)
        } catch {
            throw RelyingPartyError(error, in: .request)
        }
        // The SDK makes the verifier.
        transaction.verifier = nil
        try await remember(transaction, kind: Self.handoverKind)
        return ZenKeyHandover(handle: transaction.state, nonce: transaction.nonce, expires: now + profile.lifetime)
    }

    /// Completes a login that an app performed with ZenKey's SDK.
    ///
    /// The handle is used up by the first message that names it, whatever the result is. The carrier is found by a
    /// query of the service's own; members with URLs or issuers are ignored.
    ///
    /// - Parameters:
    ///   - body: The app's message, a JSON object of at most 8 KiB with the members `handle`, `code`, `mccmnc`,
    ///     `codeVerifier`, `redirectURI`, `nonce` and, if the SDK returned it, `context`.
    ///   - session: The secret of the app's session, as in ``beginZenKeyHandover(_:session:)``.
    /// - Returns: The user who has logged in.
    /// - Throws: `stateMismatch` for a handle that is unknown, was used before, has expired or is of another session;
    ///   `missingParameter` or `invalidParameter` for a member; `nonceMismatch`; `replayed` for a code that another
    ///   hand-over brought in the last 24 hours; and the errors of discovery, of the carrier and of its tokens.
    public func completeZenKeyHandover(
        _ body: [UInt8], session: String
    ) async throws(RelyingPartyError) -> LoggedInUser {
        let carriers = try carriers()
        let deadline = callDeadline()
        let message: JSONAnswer
        let handle: String
        do throws(RelyingPartyError.Reason) {
            guard body.count <= Self.handoverLimit else { throw .tooLarge }
            message = try JSONAnswer(body)
            handle = try message.required("handle")
        } catch {
            throw RelyingPartyError(error, in: .callback)
        }
        var transaction = try await take(handle, kind: Self.handoverKind)
        do throws(RelyingPartyError) {
            let values: HandedValues
            do throws(RelyingPartyError.Reason) {
                guard (try? check(transaction, binding: session)) != nil else { throw .stateMismatch }
                values = try HandedValues(message, transaction, client)
            } catch {
                throw RelyingPartyError(error, in: .callback)
            }
            let provider = try await carriers.provider(
                try await carriers.carrier(values.network, until: deadline), until: deadline)
            transaction.provider = values.network.digits
            transaction.issuer = provider.issuer
            transaction.redirectURI = values.redirectURI
            transaction.verifier = values.verifier
            try await useOnce(code: values.code, of: provider)
            let response = try await redeem(values.code, transaction, at: provider, until: deadline)
            do throws(RelyingPartyError.Reason) { try profile.checkResponse(response, transaction) } catch {
                throw RelyingPartyError(error, in: .tokenResponse)
            }
            return try await user(response, transaction, code: values.code, at: provider, until: deadline)
        } catch {
            throw carriers.refused(error, transaction).usedUp
        }
    }

    private func useOnce(code: String, of provider: Provider) async throws(RelyingPartyError) {
        let isNew: Bool
        do throws(StoreError) {
            isNew = try await store.insert(
                [], for: StoreKey(kind: "zenkey-code", issuer: provider.issuer, value: code),
                lifetime: Self.codeLifetime)
        } catch {
            throw RelyingPartyError(RelyingPartyError.Reason(error), in: .store)
        }
        guard isNew else { throw RelyingPartyError(.replayed, in: .callback) }
    }
}

/// The values of ZenKey's SDK in an app's message, checked in the order of their members here.
private struct HandedValues {
    let code: String
    let network: MobileNetwork
    let verifier: String
    let redirectURI: String

    init(
        _ message: JSONAnswer, _ transaction: LoginTransaction, _ client: RelyingPartyClient
    ) throws(RelyingPartyError.Reason) {
        func text(_ member: String, _ name: ParameterName) throws(RelyingPartyError.Reason) -> String {
            guard message.value(member) != nil else { throw .missingParameter(name) }
            guard let text = message.string(member) else { throw .invalidParameter(name) }
            return text
        }
        code = try text("code", "code")
        guard (1...2_048).contains(code.utf8.count), code.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .invalidParameter("code")
        }
        guard let network = MobileNetwork(try text("mccmnc", "mccmnc")) else { throw .invalidParameter("mccmnc") }
        self.network = network
        verifier = try text("codeVerifier", "code_verifier")
        guard Self.isVerifier(verifier) else { throw .invalidParameter("code_verifier") }
        let redirectURI = try text("redirectURI", "redirect_uri")
        guard client.redirectURIs.contains(where: { bytesEqual($0, redirectURI) }) else {
            throw .invalidParameter("redirect_uri")
        }
        self.redirectURI = redirectURI
        let nonce = message.string("nonce") ?? ""
        guard constantTimeEquals(nonce.utf8.span, transaction.nonce.utf8.span) else { throw .nonceMismatch }
        if message.value("context") != nil {
            guard ZenKey.isContext(try text("context", "context"), of: transaction.notes) else {
                throw .invalidParameter("context")
            }
        }
    }

    /// Returns whether a text is a PKCE verifier (RFC 7636, 4.1).
    private static func isVerifier(_ text: String) -> Bool {
        (43...128).contains(text.utf8.count) && text.isAlphanumeric(or: "-._~")
    }
}

extension ZenKeyHandover: Redacted {}
