internal import JOSE
internal import JOSEBytes
internal import JOSEKeySets

extension RelyingParty {
    private static var discoveryPath: String { "/user_discovery_sessions" }

    /// Begins to search for the user, with the profile ``ProviderProfile/itsmeBackChannel``.
    ///
    /// - Returns: The search, with the first QR code.
    /// - Throws: `configurationError` with another profile, and the errors of the request.
    public func beginItsmeUserDiscovery() async throws(RelyingPartyError) -> ItsmeUserDiscovery {
        guard profile.backChannel?.beginning == .discoveredUser else {
            throw RelyingPartyError(.configurationError, in: .request)
        }
        let provider = try await directory.provider(nil)
        let began = clock.now
        let response = try await discover(Self.discoveryPath, at: provider)
        guard response.status == 200 else { throw refusal(response, .pushedRequest, .pushedRequest) }
        do throws(RelyingPartyError.Reason) {
            let answer = try Self.discoveryAnswer(response)
            let id = try answer.required("user_discovery_session_id")
            guard Itsme.isSessionID(id) else { throw .invalidParameter("user_discovery_session_id") }
            guard try Itsme.foundUser(answer) == nil else { throw .invalidParameter("status") }
            let interval = max(.seconds(1), try answer.duration("interval") ?? .seconds(5))
            return ItsmeUserDiscovery(
                image: try Itsme.image(answer), expires: began + Itsme.discoveryLimit, nextPoll: clock.now + interval,
                sessionID: id, interval: interval)
        } catch {
            throw RelyingPartyError(error, in: .pushedRequest)
        }
    }

    /// Asks itsme whether the user has scanned the QR code.
    ///
    /// - Parameter discovery: The search. Its image and the time of its next poll are updated.
    /// - Returns: The user; nil while nobody has scanned the code. Before ``ItsmeUserDiscovery/nextPoll`` the result is nil, and no
    ///   request is sent.
    /// - Throws: `expired` if the search has expired, `replayed` if it is over, and the error of the request. After an error with the
    ///   remedy `retry`, the same search may be polled again.
    public func poll(_ discovery: inout ItsmeUserDiscovery) async throws(RelyingPartyError) -> ItsmeDiscoveredUser? {
        guard !discovery.isOver else { throw RelyingPartyError(.replayed, in: .pushedRequest) }
        guard clock.now < discovery.expires else {
            discovery.isOver = true
            throw RelyingPartyError(.expired, in: .pushedRequest)
        }
        guard clock.now >= discovery.nextPoll else { return nil }
        let provider = try await directory.provider(nil)
        let response: TransportResponse
        do throws(RelyingPartyError) {
            response = try await discover(Self.discoveryPath + "/" + discovery.sessionID, at: provider)
        } catch {
            discovery.nextPoll = clock.now + discovery.interval
            throw error
        }
        if response.status == 429 { discovery.interval += .seconds(5) }
        discovery.nextPoll = clock.now + discovery.interval
        switch response.status {
        case 200: break
        case 429: return nil
        case 400:
            discovery.isOver = true
            throw RelyingPartyError(.expired, in: .pushedRequest)
        case 500...: throw RelyingPartyError(.unexpectedStatus(response.status), in: .pushedRequest)
        default:
            discovery.isOver = true
            throw refusal(response, .pushedRequest, .pushedRequest).usedUp
        }
        do throws(RelyingPartyError.Reason) {
            let answer = try Self.discoveryAnswer(response)
            if let user = try Itsme.foundUser(answer) {
                discovery.isOver = true
                return user
            }
            discovery.image = try Itsme.image(answer)
            return nil
        } catch {
            discovery.isOver = true
            throw RelyingPartyError(error, in: .pushedRequest)
        }
    }

    private func discover(_ path: String, at provider: Provider) async throws(RelyingPartyError) -> TransportResponse {
        // The audience of the assertion is that of the next step, as itsme's documents have it.
        var rules = profile.client
        rules.assertionAudience = .issuerPath(Itsme.authenticationPath)
        return try await post(
            [("client_id", client.id)], to: provider.issuer + path, of: provider, step: .pushedRequest, rules: rules)
    }

    private static func discoveryAnswer(_ response: TransportResponse) throws(RelyingPartyError.Reason) -> JSONAnswer {
        guard response.isJSON else { throw .contentTypeMismatch }
        return try JSONAnswer(response.body)
    }
}

extension Itsme {
    /// The time after which itsme no longer finds the user.
    static let discoveryLimit = Duration.seconds(600)

    static func isSessionID(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "_-".utf8.contains(byte)
                }
            }
    }

    /// Returns the user of an answer; nil if nobody has been found yet.
    static func foundUser(_ answer: JSONAnswer) throws(RelyingPartyError.Reason) -> ItsmeDiscoveredUser? {
        switch try answer.required("status") {
        case "PENDING_USER_DISCOVERY": return nil
        case "USER_DISCOVERED":
            let token = try answer.required("user_identifier_token")
            guard token.utf8.count <= 8_192 else { throw .invalidParameter("user_identifier_token") }
            return ItsmeDiscoveredUser(token: token)
        default: throw .invalidParameter("status")
        }
    }

    /// Returns the image of the QR code, which the documents show as a member of the answer and as one of `user_discovery_token`.
    static func image(_ answer: JSONAnswer) throws(RelyingPartyError.Reason) -> [UInt8] {
        let nested = answer.value("user_discovery_token")?.object(in: answer.bytes.span)?
            .first { $0.name(in: answer.bytes.span) == "qr_code" }?.value.string(in: answer.bytes.span)
        guard let text = nested ?? answer.string("qr_code") else { throw .missingParameter("qr_code") }
        guard let image = Base64.decode(Array(text.utf8)), !image.isEmpty else { throw .invalidParameter("qr_code") }
        return image
    }
}
