internal import JOSESupport

/// The checks that need no key operation, for a caller that has work to do before a token is verified or decrypted,
/// such as hashing it for a cache. They throw nothing: a token that does not pass them is rejected by the steps of
/// the verification or the decryption, for the same reasons.
private enum Prechecks {
    /// Bytes of a token up to which hashing it costs no more than reading its header.
    static let shortToken = 4_096
}

extension JWSVerifier {
    /// Returns whether a compact JWS passes the checks that need no signature operation: its size and the number of its
    /// parts. Of a token of more than `Prechecks.shortToken` bytes, whose hash takes longer than reading its header,
    /// also the header, its algorithm and whether there is a key for it. A header that is known from a valid token is
    /// not read again.
    package func passesPrechecks(_ jws: Span<UInt8>) -> Bool {
        guard let parts = try? CompactParts(jws, count: 3, limits: shared.policy.limits),
            (try? shared.policy.limits.check(encodedPayload: parts.range(1).count)) != nil,
            (try? shared.policy.limits.check(encodedSignature: parts.range(2).count)) != nil
        else { return false }
        guard jws.count > Prechecks.shortToken else { return true }
        let segment = jws.extracting(parts.range(0))
        let prepared = keys.prepared
        if let prepared, prepared.headers.find(segment) != nil { return true }
        guard let (header, algorithm) = try? readHeader(segment) else { return false }
        // With a certificate, the key is the header's own. Without keys yet, `verify` asks for them.
        guard !isCertified(header), let prepared else { return true }
        return (try? prepared.keys.candidates(header, algorithm)) != nil
    }
}

extension JWEDecrypter {
    /// Returns whether a compact JWE passes the checks that need no key: its size and the number of its parts. Of a
    /// token of more than `Prechecks.shortToken` bytes, also the header and its algorithms, unless the header is known
    /// from a token that was decrypted.
    package func passesPrechecks(_ jwe: Span<UInt8>) -> Bool {
        guard let parts = try? CompactParts(jwe, count: 5, limits: shared.policy.limits),
            (try? ParsedJWE.ciphertextCount(jwe.extracting(parts.range(3)), shared.policy.limits)) != nil
        else { return false }
        let segment = jwe.extracting(parts.range(0))
        guard jwe.count > Prechecks.shortToken, keys.headers.find(segment) == nil else { return true }
        guard let header = try? JOSEHeader(segment: segment, limits: shared.policy.limits) else { return false }
        return (try? allowed(header, protected: header)) != nil
    }
}
