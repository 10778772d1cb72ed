internal import JOSECrypto
package import JOSESupport

extension JWEDecrypter {
    /// Decrypts a compact JWE and waits, if necessary, for a slot of the policy's limiter and for keys outside the
    /// process. No thread is blocked.
    ///
    /// - Parameters:
    ///   - jwe: The compact serialization.
    ///   - limit: The longest time to wait, for a slot and external keys together.
    ///   - client: The authenticated peer or its address, as the service knows it and not as the client claims. Each
    ///     has a line of its own in the limiter's queue; nil if it is not known.
    /// - Throws: `JOSEError`, which is `cancelled` if the task was cancelled while it waited. If several keys fit and one
    ///   of them decrypts the token, failures of the others are ignored. If none does, `externalKey` takes precedence
    ///   over `decryptionFailed`.
    public func decrypt(
        _ jwe: some ByteSource, timeout limit: Duration, client: String? = nil
    ) async throws(JOSEError) -> DecryptedJWE {
        let share = LimiterShare(client: client?.hashValue)
        var plaintext = SecretBytes(capacity: 0)
        let header = try await decrypt(
            jwe.array, into: &plaintext, until: ContinuousClock.now + limit, share: share
        ).header
        return DecryptedJWE(header: header, plaintext: plaintext.copy())
    }

    /// Decrypts a JWE in the flattened or general JSON serialization, and waits as `decrypt(_:timeout:client:)` does. Of
    /// several recipients, the first for which a key succeeds is used (RFC 7516, 7.2).
    ///
    /// - Throws: `JOSEError`, which is `cancelled` if the task was cancelled while it waited. A failure of an external
    ///   key is thrown only if the token cannot be decrypted for any recipient.
    public func decrypt(
        json: some ByteSource, timeout limit: Duration, client: String? = nil
    ) async throws(JOSEError) -> DecryptedJSONJWE {
        let wait = DecryptionWait(
            end: ContinuousClock.now + limit, share: LimiterShare(client: client?.hashValue))
        let json = json.array
        if let all = shared.allKeys { return try await decrypt(json: json, with: all, wait) }
        return try await decrypt(json: json, with: keys, wait)
    }

    /// Decrypts a compact JWE into memory that is wiped, and returns its header, and the key if it is one of a source,
    /// which counts uses. `end` bounds the waits for a slot, which the limiter bounds too, and for external keys;
    /// `share` is that of the limiter's queue.
    package func decrypt(
        _ jwe: [UInt8], into plaintext: inout SecretBytes, until end: ContinuousClock.Instant?, share: LimiterShare
    ) async throws(JOSEError) -> (header: JOSEHeader, sourceKey: JWK?) {
        let wait = DecryptionWait(end: end, share: share)
        if let all = shared.allKeys { return try await decrypt(jwe, into: &plaintext, with: all, wait) }
        return try await decrypt(jwe, into: &plaintext, with: keys, wait)
    }
}

/// The bounds of one call that waits.
private struct DecryptionWait {
    let end: ContinuousClock.Instant?
    let share: LimiterShare
}

/// The steps of `JWEDecrypter`, which differ in the wait at the limiter and in the calls of external keys.
extension JWEDecrypter {
    private func decrypt<Key: DecryptingKey>(
        _ jwe: [UInt8], into plaintext: inout SecretBytes, with ready: ReadyKeys<Key>, _ wait: DecryptionWait
    ) async throws(JOSEError) -> (header: JOSEHeader, sourceKey: JWK?) {
        let parsed = try read(jwe.span, into: &plaintext)
        let aad = Array(jwe[..<parsed.headerCount])
        var token = TokenKeys(ready)
        var rounds = policy.limits.maxPBKDF2Iterations
        let key = try await decrypt(parsed, aad: aad, with: ready, wait, &token, &rounds, &plaintext)
        remember(aad.span, parsed)
        return (parsed.header, ready.isFixed ? nil : key.access.local?.jwk)
    }

    private func decrypt<Key: DecryptingKey>(
        json: [UInt8], with ready: ReadyKeys<Key>, _ wait: DecryptionWait
    ) async throws(JOSEError) -> DecryptedJSONJWE {
        var reading = try JSONDecryption(json.span, self)
        var plaintext = try reading.plaintext()
        var token = TokenKeys(ready)
        var rounds = policy.limits.maxPBKDF2Iterations
        for index in reading.jwe.entries.indices {
            do throws(JOSEError) {
                let parsed = try reading.recipient(index, self)
                let key = try await decrypt(
                    parsed, aad: reading.jwe.authenticated, keepsCiphertext: !reading.isLast(index), with: ready, wait,
                    &token, &rounds, &plaintext)
                return reading.decrypted(plaintext.copy(), parsed, by: key.knownKey, index)
            } catch {
                try reading.fail(index, error)
            }
        }
        throw reading.failure
    }

    /// Decrypts with the first key that succeeds and returns it.
    private func decrypt<Key: DecryptingKey>(
        _ parsed: ParsedJWE, aad: [UInt8], keepsCiphertext: Bool = false, with ready: ReadyKeys<Key>,
        _ wait: DecryptionWait, _ token: inout TokenKeys<Key>, _ rounds: inout Int, _ plaintext: inout SecretBytes
    ) async throws(JOSEError) -> Key {
        var attempts = try selectKeys(parsed, from: ready, keepsCiphertext: keepsCiphertext, &token, &rounds)
        do throws(JOSEError) {
            let key = try await firstKey(for: parsed, aad: aad, wait, &attempts, &plaintext)
            if let local = key.access.local { attempts.snapshot.reportUse(of: local.jwk) }
            return key
        } catch {
            throw attempts.snapshot.missed(parsed.header, error)
        }
    }

    private func firstKey<Key: DecryptingKey>(
        for parsed: ParsedJWE, aad: [UInt8], _ wait: DecryptionWait, _ attempts: inout DecryptionAttempts<Key>,
        _ plaintext: inout SecretBytes
    ) async throws(JOSEError) -> Key {
        let limiter = parsed.limiter(of: policy)
        try await limiter?.enter(timeout: wait.end.map { $0 - ContinuousClock.now }, share: wait.share)
        defer { limiter?.leave() }
        while let key = attempts.next {
            let members = attempts.members
            do throws(JOSEError) {
                let answer = try await ExternalKeyAnswer.of(key, parsed, members, until: wait.end)
                let isDecrypted = try attempts.run(&plaintext) { plaintext throws(JOSEError) in
                    try decrypt(parsed, aad: aad.span, &plaintext, with: answer, members)
                }
                if isDecrypted { return key }
            } catch {
                try attempts.fail(error)
            }
        }
        throw attempts.failure
    }

    private func decrypt(
        _ parsed: ParsedJWE, aad: Span<UInt8>, _ plaintext: inout SecretBytes,
        with answer: borrowing ExternalKeyAnswer, _ members: WrapMembers
    ) throws(JOSEError) -> Bool {
        switch answer {
        case .local(let key): try decrypt(parsed, aad: aad, &plaintext, by: key, members)
        case .unwrapped(let secret):
            try unsafe decrypt(parsed, aad: aad, &plaintext) { cek throws(JOSEError) in
                switch secret {
                case .none: false
                case .some(let secret): secret.withBytes { unsafe fill(cek, with: $0) }
                }
            }
        case .agreed(let secret):
            try unsafe decrypt(parsed, aad: aad, &plaintext) { cek throws(JOSEError) in
                guard case .agreement(let wrapBytes) = parsed.algorithm.core.traits.engine else {
                    throw .keyUnsuitable(.kind)
                }
                return try secret.withBytes { z throws(JOSEError) in
                    try unsafe DecryptionKey.derive(
                        z: z, parsed.algorithm.core.traits, parsed.content.core, wrapBytes, parsed.header,
                        parsed.bytes.span.extracting(parsed.key), into: cek)
                }
            }
        }
    }
}
