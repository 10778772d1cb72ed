internal import JOSEBytes
internal import JOSEKeySets

/// The values that the parameter `claims` requires, and with which the ID token is compared.
struct ExpectedClaims: Sendable {
    /// The accepted values of `acr`, if the claim is essential (OpenID Connect Core, 5.5.1.1). An empty list accepts
    /// any value, but requires the claim.
    let levels: [String]?
    /// The required `sub` (OpenID Connect Core, 5.5.1), of `claims` or of the request.
    let subject: String?

    init(_ request: LoginRequest) throws(RelyingPartyError.Reason) {
        let levels = request.claims?.requirement(inIDToken: "acr").flatMap { $0.isEssential ? $0.wanted : nil }
        guard (levels ?? []).allSatisfy({ !$0.isEmpty && !$0.utf8.contains { $0 <= 0x20 } }) else {
            throw .invalidParameter("claims")
        }
        self.levels = levels
        let places = [request.claims?.requirement(inIDToken: "sub"), request.claims?.requirement(inUserInfo: "sub")]
        let subjects = places.flatMap { $0?.wanted ?? [] } + (request.expectedSubject.map { [$0] } ?? [])
        subject = subjects.first
        // One login cannot be of two users.
        guard subjects.allSatisfy({ bytesEqual($0, subjects[0]) && !$0.isEmpty }) else {
            throw .invalidParameter("claims")
        }
    }
}
