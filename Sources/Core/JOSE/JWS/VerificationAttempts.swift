internal import JOSEBytes

/// The progress of a verification through the keys that a header selects: the first key that verifies the signature
/// ends it, and where none does, the error of the last one is thrown.
struct VerificationAttempts: Sendable {
    /// The index of the key to try.
    private(set) var place = 0
    /// The error of the key before.
    private(set) var failure = JOSEError.signatureInvalid

    /// Goes on with the next key.
    mutating func fail(_ error: JOSEError) {
        failure = error
        place += 1
    }

    /// Returns the index of the first of `count` keys for which `verify` succeeds.
    @inline(__always)
    static func first(
        of count: Int, _ verify: (_ place: Int) throws(JOSEError) -> Void
    ) throws(JOSEError) -> Int {
        var attempts = VerificationAttempts()
        while attempts.place < count {
            do throws(JOSEError) {
                try verify(attempts.place)
                return attempts.place
            } catch {
                attempts.fail(error)
            }
        }
        throw attempts.failure
    }

    /// Verifies a signature with the first of `count` keys that succeeds, and reports the outcome to the source of the
    /// keys. Returns the index of the key.
    ///
    /// - Parameters:
    ///   - snapshot: The snapshot that the keys are from; nil for a key that is the token's own.
    ///   - header: The header that selects the keys.
    ///   - key: Returns the key with an index.
    @inline(__always)
    static func verify(
        _ algorithm: SignatureAlgorithm, _ input: Span<UInt8>, signature: Span<UInt8>, count: Int,
        of snapshot: KeySnapshot<VerificationKey>?, header: @autoclosure () -> JOSEHeader,
        key: (_ place: Int) -> VerificationKey
    ) throws(JOSEError) -> Int {
        try first(of: count, from: snapshot, header: header(), key: key) { place throws(JOSEError) in
            try key(place).verify(algorithm.core, input, signature: signature)
        }
    }

    /// Returns the index of the first of `count` keys for which `verify` succeeds, and reports the outcome to the source
    /// of the keys. The other parameters are those of `verify`.
    @inline(__always)
    static func first(
        of count: Int, from snapshot: KeySnapshot<VerificationKey>?, header: @autoclosure () -> JOSEHeader,
        key: (_ place: Int) -> VerificationKey, _ verify: (_ place: Int) throws(JOSEError) -> Void
    ) throws(JOSEError) -> Int {
        let place: Int
        do throws(JOSEError) { place = try first(of: count, verify) } catch {
            throw snapshot?.missed(header(), error) ?? error
        }
        snapshot?.reportUse(of: key(place).jwk)
        return place
    }
}
