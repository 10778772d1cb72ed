internal import JOSEBytes
internal import JOSEKeySets
internal import JOSETokens

extension RelyingParty {
    /// What a carrier posted to the notification URI: the body, and the request's `Content-Type` and `Authorization`. Whoever does not
    /// know the token of `beginServerInitiated` reaches nothing, and uses nothing up. The service answers with 204.
    public func completeServerInitiated(
        body: [UInt8], contentType: String, authorization: String?
    ) async throws(RelyingPartyError) -> LoggedInUser {
        let secret: String
        do throws(RelyingPartyFailure) {
            guard body.count <= Self.answerLimit else { throw .tooLarge }
            guard let given = Self.bearer(authorization) else { throw .missingParameter("Authorization") }
            secret = given
        } catch {
            throw RelyingPartyError(error, in: .callback)
        }
        let transaction = try await notified(secret)
        let known = try await takeName(secret)
        let notification: Notification
        do throws(RelyingPartyFailure) {
            notification = try Notification(body, contentType, transaction)
        } catch {
            throw RelyingPartyError(error, in: .callback)
        }
        try await checkName(notification.requestID, known, secret, transaction)
        let response: TokenResponse
        do throws(RelyingPartyFailure) {
            response = try notification.tokens()
        } catch {
            let refused: RelyingPartyError
            if case .providerError(let code) = error {
                refused = profile.errors.error(code, nil, .authorization, .callback)
            } else {
                refused = RelyingPartyError(error, in: .callback)
            }
            throw directory.refused(refused, transaction)
        }
        do throws(RelyingPartyError) {
            let provider = try await directory.provider(transaction.provider)
            guard sameBytes(provider.issuer, transaction.issuer) else {
                throw RelyingPartyError(.issuerMismatch, in: .callback)
            }
            return try await user(response, transaction, code: nil, at: provider)
        } catch {
            throw error.usedUp
        }
    }

    private static func bearer(_ authorization: String?) -> String? {
        guard let bytes = authorization?.utf8, bytes.count > 7,
            bytes.prefix(7).map({ $0 | 0x20 }).elementsEqual("bearer ".utf8)
        else { return nil }
        return String(bytes.dropFirst(7))
    }

    /// Found by the token itself, of which the store has no more than a hash; compared once more in constant time.
    private func notified(_ secret: String) async throws(RelyingPartyError) -> LoginTransaction {
        let found: [UInt8]?
        do throws(StoreError) { found = try await store.take(StoreKey(kind: Self.asyncKind, value: secret)) } catch {
            throw RelyingPartyError(error)
        }
        do throws(RelyingPartyFailure) {
            let hash = try Secret.hash(secret)
            guard let transaction = found.flatMap({ LoginTransaction(json: $0) }),
                constantTimeEquals(hash.utf8.span, transaction.bindingHash.utf8.span),
                sameBytes(transaction.profile, profile.name), sameBytes(transaction.clientID, client.id),
                (-profile.idToken.leeway...Double(ServerInitiatedRequest.longestLifetime))
                    .contains(clock.seconds - transaction.created)
            else { throw .stateMismatch }
            return transaction
        } catch {
            throw RelyingPartyError(error, in: .callback)
        }
    }

}

/// A body that a carrier posted, of the login that its token belongs to.
private struct Notification {
    let requestID: String
    private let response: HTTPResponse
    private let answer: CarrierJSON

    init(_ body: [UInt8], _ contentType: String, _ transaction: LoginTransaction) throws(RelyingPartyFailure) {
        response = HTTPResponse(status: 200, headers: [HTTPField("Content-Type", contentType)], body: body)
        guard response.isJSON else { throw .contentTypeMismatch }
        guard let answer = CarrierJSON(body) else { throw .malformed }
        guard let state = answer.string("state"), constantTimeEquals(state.utf8.span, transaction.state.utf8.span)
        else {
            throw .stateMismatch
        }
        guard let requestID = answer.string("auth_req_id"), !requestID.isEmpty else {
            throw .invalidParameter("auth_req_id")
        }
        self.requestID = requestID
        self.answer = answer
    }

    func tokens() throws(RelyingPartyFailure) -> TokenResponse {
        if answer.contains("error") {
            guard let code = answer.string("error").flatMap({ ProviderErrorCode($0) }) else {
                throw .invalidParameter("error")
            }
            throw .providerError(code)
        }
        return try TokenResponse(response, requiresIDToken: true)
    }
}
