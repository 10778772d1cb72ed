public import JOSE
internal import JOSESupport

extension SDJWT {
    /// Returns a presentation with some of the disclosures (RFC 9901, 7.2).
    ///
    /// A disclosure inside another is presented together with the outer one, without which it cannot be verified. An
    /// existing key binding is removed, because it signs a presentation with other disclosures.
    ///
    /// - Parameter isShown: A function that returns whether to present a disclosure.
    /// - Throws: `disclosure` or `jose` errors for an SD-JWT whose payload is malformed.
    public func presenting(_ isShown: (Disclosure) -> Bool) throws(TokenError) -> SDJWT {
        let hash = try HashAlgorithm.read(unverifiedClaims())
        var parents: [[UInt8]: Int] = [:]
        for (index, disclosure) in disclosures.enumerated() {
            for digest in Self.digests(in: disclosure.value, of: disclosure.bytes) { parents[digest] = index }
        }
        var shown = Set(disclosures.indices.filter { isShown(disclosures[$0]) })
        for index in shown {
            var child = index
            while let parent = parents[try disclosures[child].digest(hash)], shown.insert(parent).inserted {
                child = parent
            }
        }
        return SDJWT(jwt: jwt, disclosures: shown.sorted().map { disclosures[$0] }, limits: limits, other: other)
    }

    /// Returns the presentation with a key binding JWT (RFC 9901, 4.3).
    ///
    /// - Parameters:
    ///   - key: The holder's private key, whose public key is in the issuer's `cnf`.
    ///   - algorithm: The signature algorithm.
    ///   - audience: The verifier, `aud`.
    ///   - nonce: The nonce that the verifier provided for this presentation.
    ///   - clock: The clock for `iat`.
    /// - Throws: `jose` errors if signing fails, `policyInvalid` for an invalid time of the clock, and
    ///   `disclosure` errors for an SD-JWT whose payload is malformed.
    public func bound(
        by key: PrivateKey, algorithm: SignatureAlgorithm, audience: String, nonce: String, clock: WallClock = .system
    ) throws(TokenError) -> SDJWT {
        let payload = try bindingClaims(audience: audience, nonce: nonce, clock)
        var key = key
        key.keyID = nil
        let header = HeaderParameters(type: "kb+jwt")
        let signer = try inLayer(.keyBinding, JWSSigner(key: key, algorithm: algorithm, header: header))
        return bound(by: try inLayer(.keyBinding, signer.signBytes(payload.span)))
    }

    /// Returns the presentation with a key binding JWT, signed by a key outside the process, as the method that takes a
    /// private key does.
    ///
    /// - Parameters:
    ///   - externalKey: The holder's key outside the process, whose public key is in the issuer's `cnf`.
    ///   - algorithm: The signature algorithm.
    ///   - audience: The verifier, `aud`.
    ///   - nonce: The nonce that the verifier provided for this presentation.
    ///   - clock: The clock for `iat`.
    ///   - limit: The longest time to wait for the key.
    /// - Throws: The errors of that method; a `jose` error with `externalKey` if the key failed or did not answer in
    ///   time; `cancelled` if the task was cancelled.
    public func bound(
        by externalKey: any ExternalSigner, algorithm: SignatureAlgorithm, audience: String, nonce: String,
        clock: WallClock = .system, timeout limit: Duration
    ) async throws(TokenError) -> SDJWT {
        let end = ContinuousClock.now + limit
        let payload = try bindingClaims(audience: audience, nonce: nonce, clock)
        let header = HeaderParameters(type: "kb+jwt")
        let signer = try inLayer(
            .keyBinding, JWSSigner(externalKey: externalKey, algorithm: algorithm, header: header, keyID: nil))
        return bound(by: try await signer.token(payload, layer: .keyBinding, until: end))
    }

    /// Returns the JSON text of the claims of a key binding JWT for this presentation.
    private func bindingClaims(audience: String, nonce: String, _ clock: WallClock) throws(TokenError) -> [UInt8] {
        let hash = try HashAlgorithm.read(unverifiedClaims())
        let now = try clock.checkedNow().secondsSince1970
        let digest = String(decoding: try hash.digest(unbound.span), as: UTF8.self)
        let claims: ClaimsBuilder = [
            "iat": .integer(Int64(now.rounded(.down))), "aud": .string(audience), "nonce": .string(nonce),
            "sd_hash": .string(digest),
        ]
        return claims.json()
    }

    /// Returns the presentation with a signed key binding JWT.
    private func bound(by binding: [UInt8]) -> SDJWT {
        SDJWT(jwt: jwt, disclosures: disclosures, limits: limits, other: other, binding: binding)
    }

    /// Returns the issuer's claims without verifying them, for the holder's use of its own token.
    private func unverifiedClaims() throws(TokenError) -> Claims {
        var dots = InlineArray<5, Int>(repeating: 0)
        let bytes = unbound
        let jwt = bytes.span.extracting(jwtRange)
        guard findDots(in: jwt, &dots) == 2 else { throw .disclosure(.form) }
        guard let payload = Base64URL.decode(jwt.extracting((dots[0] + 1)..<dots[1])) else { throw .disclosure(.form) }
        return try Claims(payload: payload, limits: limits, layer: .signature)
    }

    /// Returns every digest in a value, including those of decoys.
    private static func digests(in value: JSONValue, of bytes: [UInt8]) -> [[UInt8]] {
        if let values = value.array(in: bytes.span) { return values.flatMap { digests(in: $0, of: bytes) } }
        guard let members = value.object(in: bytes.span) else { return [] }
        return members.flatMap { member -> [[UInt8]] in
            if member.nameEquals("...", in: bytes.span) {
                return member.value.stringBytes(in: bytes.span).map { [$0] } ?? []
            }
            if member.nameEquals("_sd", in: bytes.span) {
                let list = member.value.array(in: bytes.span) ?? []
                return list.compactMap { $0.stringBytes(in: bytes.span) }
            }
            return digests(in: member.value, of: bytes)
        }
    }
}
