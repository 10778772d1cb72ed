internal import JOSEBytes
internal import JOSECrypto

/// The OtherInfo input of the Concat KDF (RFC 7518, 4.6.2).
enum AgreementInfo {
    /// Returns AlgorithmID || PartyUInfo || PartyVInfo || SuppPubInfo, for a key of `keyBytes`.
    static func bytes(algorithmID: StaticString, partyU: Span<UInt8>, partyV: Span<UInt8>, keyBytes: Int) -> [UInt8] {
        var info: [UInt8] = []
        info.reserveCapacity(16 + algorithmID.utf8CodeUnitCount + partyU.count + partyV.count)
        func appendCount(_ count: Int) {
            for shift in [24, 16, 8, 0] { info.append(UInt8(truncatingIfNeeded: count >> shift)) }
        }
        appendCount(algorithmID.utf8CodeUnitCount)
        unsafe info.append(
            contentsOf: UnsafeBufferPointer(start: algorithmID.utf8Start, count: algorithmID.utf8CodeUnitCount))
        for party in [0, 1] {
            let bytes = party == 0 ? partyU : partyV
            appendCount(bytes.count)
            for index in bytes.indices { info.append(bytes[index]) }
        }
        appendCount(keyBytes * 8)
        return info
    }

    /// Derives a key from `z` and fills `key`: the CEK itself under the name of `enc`, or the key that wraps it under
    /// the name of `alg`.
    static func derive(
        z: Span<UInt8>, _ traits: KeyManagementTraits, _ content: ContentCipher, wraps: Bool,
        partyU: Span<UInt8>, partyV: Span<UInt8>, into key: UnsafeMutableRawBufferPointer
    ) throws(CryptoError) {
        let info = bytes(
            algorithmID: wraps ? traits.name : content.registeredName, partyU: partyU, partyV: partyV,
            keyBytes: key.count)
        try unsafe ConcatKDF.derive(z: z, info: info.span, into: key)
    }
}
