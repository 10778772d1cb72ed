internal import JOSESupport

extension JWSSigner {
    /// Signs a payload, given as bytes, and returns the compact serialization as ASCII bytes. A key outside the process
    /// is awaited; a key in the process signs at once.
    ///
    /// - Parameters:
    ///   - payload: The payload.
    ///   - limit: The longest time to wait for the key.
    /// - Throws: `JOSEError`, which is `externalKey(.timedOut)` if the key did not answer in time, and `cancelled` if the
    ///   task was cancelled.
    public func signBytes(_ payload: [UInt8], timeout limit: Duration) async throws(JOSEError) -> [UInt8] {
        try await signBytes(payload, until: ContinuousClock.now + limit)
    }

    /// Signs a payload, given as bytes, as `signBytes(_:timeout:)` does, and returns the compact serialization.
    public func sign(_ payload: [UInt8], timeout limit: Duration) async throws(JOSEError) -> String {
        String(decoding: try await signBytes(payload, timeout: limit), as: UTF8.self)
    }

    /// Signs the UTF-8 bytes of a string as `signBytes(_:timeout:)` does, and returns the compact serialization.
    public func sign(_ payload: String, timeout limit: Duration) async throws(JOSEError) -> String {
        try await sign(Array(payload.utf8), timeout: limit)
    }

    /// Signs a detached payload and returns the compact serialization, whose payload part is empty (RFC 7515, appendix
    /// F). A key outside the process is awaited as `signBytes(_:timeout:)` does.
    public func sign(detached payload: [UInt8], timeout limit: Duration) async throws(JOSEError) -> String {
        let input = SigningInput.bytes(
            header: header.segment.span, payload: payload.span, isUnencoded: payloadIsUnencoded)
        return Self.detached(header, try await signature(input, until: ContinuousClock.now + limit))
    }

    /// Signs a payload as `signBytes(_:timeout:)` does; without an end, a key outside the process has no time limit.
    package func signBytes(
        _ payload: [UInt8], until end: ContinuousClock.Instant?
    ) async throws(JOSEError) -> [UInt8] {
        var token = try SigningInput.compact(header, payload: payload.span)
        SigningInput.finish(&token, try await signature(token, until: end))
        return token
    }

    /// Makes the signature, and awaits a key outside the process.
    func signature(_ input: [UInt8], until end: ContinuousClock.Instant?) async throws(JOSEError) -> [UInt8] {
        guard case .external(let signer) = engine else { return try signature(input.span) }
        return try await signer.signature(input, until: end)
    }
}
