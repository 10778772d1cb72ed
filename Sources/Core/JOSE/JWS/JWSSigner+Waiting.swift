internal import JOSESupport

extension JWSSigner {
    /// Signs a payload and returns the compact serialization as ASCII bytes. A key outside the process is awaited; a key
    /// in the process signs at once.
    ///
    /// - Parameters:
    ///   - payload: The payload.
    ///   - limit: The longest time to wait for the key.
    /// - Throws: `JOSEError`, which is `externalKey(.timedOut)` if the key did not answer in time, and `cancelled` if the
    ///   task was cancelled.
    public func signBytes(_ payload: some ByteSource, timeout limit: Duration) async throws(JOSEError) -> [UInt8] {
        try await signBytes(payload, until: ContinuousClock.now + limit)
    }

    /// Signs a payload as `signBytes(_:timeout:)` does, and returns the compact serialization.
    public func sign(_ payload: some ByteSource, timeout limit: Duration) async throws(JOSEError) -> String {
        String(decoding: try await signBytes(payload, timeout: limit), as: UTF8.self)
    }

    /// Signs a detached payload and returns the compact serialization, whose payload part is empty (RFC 7515, appendix
    /// F). A key outside the process is awaited as by `signBytes(_:timeout:)`.
    public func sign(detached payload: some ByteSource, timeout limit: Duration) async throws(JOSEError) -> String {
        let end = ContinuousClock.now + limit
        return Self.detached(header, try await signature(detachedInput(payload), until: end))
    }

    /// Signs a payload as `signBytes(_:timeout:)` does; without an end, a key outside the process has no time limit.
    package func signBytes(
        _ payload: some ByteSource, until end: ContinuousClock.Instant?
    ) async throws(JOSEError) -> [UInt8] {
        var token = try payload.withBytes { payload throws(JOSEError) in
            try SigningInput.compact(header, payload: payload)
        }
        SigningInput.finish(&token, try await signature(token, until: end))
        return token
    }

    /// Makes the signature, and awaits a key outside the process.
    func signature(_ input: [UInt8], until end: ContinuousClock.Instant?) async throws(JOSEError) -> [UInt8] {
        guard case .external(let signer) = engine else { return try signature(input.span) }
        return try await signer.signature(input, until: end)
    }
}
