internal import JOSESupport
internal import JOSETokens

extension LoginContext {
    /// Checks the ID token of a login that the back end began, after the rules of the profile: no `nonce`, an `iat`
    /// that is not before the request, and the claims of OpenID Connect CIBA Core, 10.3.1, where they are present. It
    /// does nothing for any other login.
    func checkBackChannel(_ rules: BackChannelRules?) throws(RelyingPartyError.Reason) {
        guard let acknowledgement = transaction.backChannel else { return }
        if rules?.acceptsNonce != true, claims.contains("nonce") { throw .claimUnexpected("nonce") }
        guard try requiredTime("iat") >= transaction.created - leewaySeconds else { throw .tooOld }
        let requestID: ClaimName = "urn:openid:params:jwt:claim:auth_req_id"
        if let value = try string(requestID) {
            guard constantTimeEquals(value.utf8.span, acknowledgement.requestID.utf8.span) else {
                throw .claimUnexpected(requestID)
            }
        }
        if let value = try string("urn:openid:params:jwt:claim:rt_hash") {
            guard let refreshToken = response?.refreshToken,
                let hash = try? token?.algorithm?.tokenHash(of: refreshToken),
                constantTimeEquals(value.utf8.span, hash.utf8.span)
            else { throw .hashMismatch }
        }
    }
}
