internal import JOSEKeySets
internal import JOSESupport
internal import JOSETokens
internal import Synchronization

/// The broker's endpoint that compares civil registration numbers.
extension Provider {
    static let matchPath = "/api/v1/mitid/matchCpr"
    private static let longestNumber = 10

    /// Compares a number with that of the user of an access token, three times at most.
    func matchCPR(_ request: WebRequest) -> TransportResponse {
        guard request.method == "POST" else { return .methodNotAllowed("POST") }
        let field = AuthorizationField(request.header("Authorization") ?? "")
        let now = now
        guard field.scheme == "bearer", let token = field.token.map({ String(decoding: $0, as: UTF8.self) }),
            let grant = state.withLock({ $0.accessTokens.value(token, now: now) })
        else {
            return TransportResponse(status: 401, headers: [TransportHeaderField("WWW-Authenticate", "Bearer")])
        }
        let text = request.body
        guard request.header("Content-Type") == "application/json", let object = try? JSONObject(parsing: text.span),
            let number = object.first("cpr", in: text.span)?.string(in: text.span),
            number.utf8.count == Self.longestNumber
        else { return .json(["errorMessage": "Missing Cpr parameter"]) }
        let count = state.withLock { state in
            let count = (state.cprTries.take(token, now: now) ?? 0) + 1
            state.cprTries.insert(count, under: token, now: now)
            return count
        }
        guard count <= 3 else {
            return .json(["errorMessage": "Cpr Match exceeded. Only 3 tries is allowed within a session."])
        }
        return .json(["cprNumberMatch": .bool(bytesEqual(number, grant.person.danishNumber))])
    }
}
