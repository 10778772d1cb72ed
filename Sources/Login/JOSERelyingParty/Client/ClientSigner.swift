internal import JOSE
internal import JOSETokens

/// The key with which a client signs assertions and request objects, in the process or outside it.
package enum ClientSigner: Sendable {
    case local(JWK)
    case external(any ExternalSigner)

    /// The key in the process, or the public key of the external one.
    var key: JWK {
        switch self {
        case .local(let key): key
        case .external(let signer): .publicKey(signer.publicKey)
        }
    }

    /// Returns the algorithms of a list that the key fits, in the same order.
    ///
    /// - Throws: `keyUnsuitable` if it fits none.
    func algorithms(among list: [SignatureAlgorithm]) throws(RelyingPartyError.Reason) -> [SignatureAlgorithm] {
        let fitting = list.filter { algorithm in
            switch self {
            case .local(let key): KeySelection.unsuitability(of: key, for: algorithm, .sign) == nil
            case .external: KeySelection.unsuitability(of: key, for: algorithm, .verify) == nil
            }
        }
        guard !fitting.isEmpty else { throw .keyUnsuitable }
        return fitting
    }

    /// Signs a payload with the first algorithm of a list that the key fits, and returns the compact serialization. A key
    /// outside the process has no time limit.
    package func sign(
        _ payload: [UInt8], among list: [SignatureAlgorithm]
    ) async throws(RelyingPartyError.Reason) -> String {
        let header = HeaderParameters(type: "JWT")
        guard let algorithm = try algorithms(among: list).first else { throw .keyUnsuitable }
        do throws(JOSEError) {
            let signer: JWSSigner
            switch self {
            case .local(.privateKey(let key)):
                signer = try JWSSigner(key: key, algorithm: algorithm, header: header)
            case .local: throw .keyUnsuitable(.kind)
            case .external(let key):
                signer = try JWSSigner(externalKey: key, algorithm: algorithm, header: header)
            }
            return String(decoding: try await signer.signBytes(payload, until: nil), as: UTF8.self)
        } catch {
            throw RelyingPartyError.Reason(error)
        }
    }

    /// Issues a signed token. `end` bounds the wait for a key outside the process.
    func issue(
        _ claims: ClaimsBuilder, under policy: TokenPolicy, lifetime: Duration, options: TokenOptions = TokenOptions(),
        until end: ContinuousClock.Instant?
    ) async throws(RelyingPartyError.Reason) -> String {
        do throws(TokenError) {
            let issuer =
                switch self {
                case .local(let key): try TokenIssuer(policy, signingKey: key, lifetime: lifetime)
                case .external(let key): try TokenIssuer(policy, externalKey: key, lifetime: lifetime)
                }
            return try await issuer.issue(claims, options: options, until: end)
        } catch {
            throw RelyingPartyError.Reason(error, isNested: false)
        }
    }
}

extension RelyingPartyClient {
    /// Returns the current signer. A key without `kid` is rejected.
    package func signer() throws(RelyingPartyError.Reason) -> ClientSigner {
        let signer: ClientSigner?
        do throws(JOSEError) { signer = try credentials.signer() } catch { throw RelyingPartyError.Reason(error) }
        guard let signer, let keyID = signer.key.keyID, !keyID.isEmpty else { throw .configurationError }
        try credentials.rejected.reject(signer.key)
        return signer
    }
}
