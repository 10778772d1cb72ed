internal import JOSEKeySets
internal import JOSESupport

/// The values that the parameter `claims` requires, and with which the ID token is compared.
struct ExpectedClaims: Sendable {
    /// The accepted values of `acr`, if the claim is essential (OpenID Connect Core, 5.5.1.1). An empty list accepts
    /// any value, but requires the claim.
    let levels: [String]?
    /// The required `sub` (OpenID Connect Core, 5.5.1), of `claims` or of the request.
    let subject: String?

    init(_ request: LoginRequest) throws(RelyingPartyError.Reason) {
        var levels: [String]?
        if let level = request.claims?.requirement(inIDToken: "acr"), level.isEssential { levels = try level.wanted() }
        guard (levels ?? []).allSatisfy({ !$0.isEmpty && !$0.utf8.contains { $0 <= 0x20 } }) else {
            throw .invalidParameter("claims")
        }
        self.levels = levels
        let requirements = [
            request.claims?.requirement(inIDToken: "sub"), request.claims?.requirement(inUserInfo: "sub"),
        ]
        var subjects: [String] = []
        for requirement in requirements { subjects += try requirement?.wanted() ?? [] }
        if let subject = request.expectedSubject { subjects.append(subject) }
        subject = subjects.first
        // One login cannot be of two users.
        guard subjects.allSatisfy({ bytesEqual($0, subjects[0]) && !$0.isEmpty }) else {
            throw .invalidParameter("claims")
        }
    }
}
