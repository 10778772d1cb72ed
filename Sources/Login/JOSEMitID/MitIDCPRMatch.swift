public import JOSE
internal import JOSEKeySets
public import JOSERelyingParty
internal import JOSESupport

/// The values that a service keeps after a login with MitID to compare the user's civil registration number with a
/// number that the user enters later. They are secret, and of use for 15 minutes after the login.
public struct MitIDCPRTicket: Sendable {
    /// The access token of the login, as the broker issued it.
    public let accessToken: String
    /// The issuer of the login, to which alone the access token is sent.
    public let issuer: String
    /// The time at which the ID token of the login was issued.
    public let issuedAt: NumericDate

    /// The time after a login in which numbers are compared: 15 minutes.
    package static let lifetime = Duration.seconds(900)
    /// The number of comparisons of a login.
    package static let tries = 3

    /// Creates a ticket from values that the service stored.
    ///
    /// - Parameters:
    ///   - accessToken: The access token of the login.
    ///   - issuer: The issuer of the login.
    ///   - issuedAt: The time at which the ID token of the login was issued.
    public init(accessToken: String, issuer: String, issuedAt: NumericDate) {
        (self.accessToken, self.issuer, self.issuedAt) = (accessToken, issuer, issuedAt)
    }
}

extension LoggedInUser {
    /// The ticket with which `RelyingParty.matchMitIDCPR(_:_:)` compares civil registration numbers with that of the
    /// user; nil unless the user logged in with MitID.
    public var mitIDCPRTicket: MitIDCPRTicket? {
        guard mitIDProvider == .mitID else { return nil }
        return MitIDCPRTicket(
            accessToken: tokens.accessToken, issuer: issuer,
            issuedAt: idToken.claims.issuedAt ?? NumericDate(secondsSince1970: transaction.created))
    }
}

extension RelyingParty {
    /// Returns whether a number is the civil registration number of a user who has logged in with MitID.
    ///
    /// The broker compares at most three numbers for each login, within 15 minutes. They are counted in the login store
    /// before a number is sent, so that concurrent calls in several processes cannot exceed them. A call that fails
    /// after the count has used a try.
    ///
    /// - Parameters:
    ///   - number: The number that the user entered: ten digits, with or without a hyphen before the last four. There
    ///     is no check digit: since 2007, valid numbers fail the check by modulus 11.
    ///   - ticket: The ticket of the login (`LoggedInUser.mitIDCPRTicket`).
    /// - Returns: True if the number is that of the user, and false if it is not.
    /// - Throws: `invalidParameter` for a text that is no number, `providerError` with the code `cpr_match_exceeded`
    ///   after three tries, `expired` after 15 minutes or if the broker rejects the access token, `issuerMismatch` for
    ///   a ticket of another issuer, `configurationError` if the profile is not one of MitID, and the errors of the
    ///   store and of the response.
    public func matchMitIDCPR(_ number: String, _ ticket: MitIDCPRTicket) async throws(RelyingPartyError) -> Bool {
        guard MitID.names.contains(profile.name) else { throw RelyingPartyError(.configurationError, in: .request) }
        guard let cpr = CPRNumber(number) else { throw RelyingPartyError(.invalidParameter("cpr"), in: .request) }
        guard bytesEqual(ticket.issuer, location.issuer) else { throw RelyingPartyError(.issuerMismatch, in: .request) }
        // Written so, a time that is not a number has expired too.
        guard clock.now < ticket.issuedAt + MitIDCPRTicket.lifetime else {
            throw RelyingPartyError(.expired, in: .request)
        }
        try await countTry(ticket)
        var request = TransportRequest(url: location.issuer + "/api/v1/mitid/matchCpr")
        request.method = .post
        request.headers = [
            TransportHeaderField("Authorization", "Bearer " + ticket.accessToken),
            TransportHeaderField("Content-Type", "application/json"),
            TransportHeaderField("Accept", "application/json"),
        ]
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("cpr", cpr.digits)
        writer.endObject()
        request.body = writer.bytes
        let response = try await send(request, .userInfo, until: nil)
        do throws(RelyingPartyError.Reason) { return try Self.isMatch(response) } catch {
            throw RelyingPartyError(error, in: .userInfo, action: error == MitID.exceeded ? .tellUser : nil)
        }
    }

    /// Counts a try in the store. Of all concurrent calls, each counts one that no other counted.
    private func countTry(_ ticket: MitIDCPRTicket) async throws(RelyingPartyError) {
        do throws(StoreError) {
            for number in 1...MitIDCPRTicket.tries {
                let key = try StoreKey(
                    kind: "cpr match \(number)", issuer: ticket.issuer, value: ticket.accessToken)
                // A mark outlives the ticket, whose time began before.
                if try await store.insert([], for: key, lifetime: MitIDCPRTicket.lifetime + .seconds(300)) { return }
            }
        } catch {
            throw RelyingPartyError(error)
        }
        throw RelyingPartyError(MitID.exceeded, in: .request, action: .tellUser)
    }

    /// Reads the response. The status of an error message is not documented, so that the body decides.
    private static func isMatch(_ response: TransportResponse) throws(RelyingPartyError.Reason) -> Bool {
        guard response.status != 401 else { throw .expired }
        guard response.isJSON else {
            throw response.status == 200 ? .contentTypeMismatch : .unexpectedStatus(response.status)
        }
        let answer = try JSONAnswer(response.body)
        if let message = answer.string("errorMessage") { throw MitID.reason(ofMessage: message) }
        guard response.status == 200 else { throw .unexpectedStatus(response.status) }
        let name: ParameterName = "cprNumberMatch"
        guard let value = answer.value(name.description) else { throw .missingParameter(name) }
        guard let isMatch = value.bool() ?? value.string(in: answer.bytes.span).flatMap({ MitIDClaims.bool($0) }) else {
            throw .invalidParameter(name)
        }
        return isMatch
    }
}

extension MitID {
    /// The reason after three tries.
    static let exceeded = RelyingPartyError.Reason.of("cpr_match_exceeded")

    /// Returns the reason of a message of the broker, which has no code. The text itself is not passed on.
    static func reason(ofMessage message: String) -> RelyingPartyError.Reason {
        if message.utf8.starts(with: "Cpr Match exceeded".utf8) { return exceeded }
        return .of("cpr_match_rejected")
    }
}

extension RelyingPartyError.Reason {
    /// Returns a reason with a code of this library, because the broker describes the error by a text without a code.
    fileprivate static func of(_ code: String) -> Self {
        ProviderErrorCode(code).map { .providerError($0) } ?? .malformed
    }
}

extension MitIDCPRTicket: Redacted {}
