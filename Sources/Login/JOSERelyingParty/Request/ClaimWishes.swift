internal import JOSEKeySets

/// What the parameter `claims` says that the ID token is then compared with.
struct ClaimWishes: Sendable {
    /// Of an essential `acr` the values of which it must be one (OpenID Connect Core, 5.5.1.1); none: any, but one.
    let levels: [String]?
    /// The `sub` that alone may come (5.5.1), of `claims` or of the request.
    let subject: String?

    init(_ request: LoginRequest) throws(RelyingPartyError.Reason) {
        let levels = request.claims?.wish(inIDToken: "acr").flatMap { $0.isEssential ? $0.wanted : nil }
        guard (levels ?? []).allSatisfy({ !$0.isEmpty && !$0.utf8.contains { $0 <= 0x20 } }) else {
            throw .invalidParameter("claims")
        }
        self.levels = levels
        let places = [request.claims?.wish(inIDToken: "sub"), request.claims?.wish(inUserInfo: "sub")]
        let subjects = places.flatMap { $0?.wanted ?? [] } + (request.expectedSubject.map { [$0] } ?? [])
        subject = subjects.first
        // Nobody is two users at once.
        guard subjects.allSatisfy({ sameBytes($0, subjects[0]) && !$0.isEmpty }) else {
            throw .invalidParameter("claims")
        }
    }
}
