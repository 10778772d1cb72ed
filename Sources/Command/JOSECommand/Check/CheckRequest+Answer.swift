import JOSE
import JOSESupport
import JOSETokens

extension CheckRequest {
    func answer() -> CheckAnswer.Result {
        do throws(TokenError) {
            return .valid(try payload())
        } catch {
            // The policy comes from the request, so an invalid one makes the request malformed.
            if case .policyInvalid = error { return .failed(.malformed) }
            return isUnbuilt(error) ? .unsupported : .failed(Fault(error))
        }
    }

    private func payload() throws(TokenError) -> [UInt8] {
        switch try plan.verifier.get() {
        case .jws(let verifier):
            return try inLayer(.signature, verifiedPayload(verifier))
        case .jwe(let decrypter):
            return try inLayer(
                .encryption,
                options.serializationIsJSON
                    ? decrypter.decrypt(json: token).plaintext : decrypter.decrypt(token).plaintext)
        case .jwt(let verifier): return try verifier.verify(token).claims.payload
        case .none: return try inLayer(.signature, thumbprint())
        }
    }

    private func verifiedPayload(_ verifier: JWSVerifier) throws(JOSEError) -> [UInt8] {
        switch (options.serializationIsJSON, options.detachedPayload) {
        case (false, nil): return try verifier.verify(token).payload
        case (false, let payload?): return try verifier.verify(token, detachedPayload: payload).payload
        case (true, nil): return try verifier.verify(json: token).payload
        case (true, let payload?): return try verifier.verify(json: token, detachedPayload: payload).payload
        }
    }

    /// Returns the thumbprint of the key, or that of the first key of a set. Throws the first key's error if no key of
    /// a set is usable.
    private func thumbprint() throws(JOSEError) -> [UInt8] {
        guard token.count <= options.limits.tokenBytes else { throw .limitExceeded(.tokenBytes) }
        guard options.kindIsSet else { return try JWK(parsing: token, limits: options.limits).thumbprint() }
        let set = try KeySet(parsing: token, limits: options.limits)
        if let first = set.keys.first { return try first.thumbprint() }
        if let reason = set.unusable.first?.reason { throw reason }
        return []
    }
}

extension CheckRequest {
    /// Whether the error means that the loaded OpenSSL is too old for the caller's own key, or that the command was
    /// built without a trait.
    private func isUnbuilt(_ error: TokenError) -> Bool {
        switch error {
        case .jose(.keyInvalid(.unsupportedKind), _):
            return operation == .jwkParse ? tokenIsUnbuiltKey : keys.hasUnbuilt
        case .jose(.headerInvalid(.compressionNotBuilt), _): return true
        default: return false
        }
    }

    private var tokenIsUnbuiltKey: Bool {
        guard let key = try? JSONObject(parsing: token.span) else { return false }
        let keys = options.kindIsSet ? CheckKeys.lists(key.members, in: token.span) : [key.members]
        return keys.contains { CheckKeys.isUnbuilt($0, in: token.span) }
    }
}
