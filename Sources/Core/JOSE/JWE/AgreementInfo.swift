internal import JOSECrypto
internal import JOSESupport

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

    /// Derives a key from `z`: fills `cek` under the name of `enc`, or calls `wrapping` with the key of `wrapBytes`, if
    /// there is one, under the name of `alg`.
    ///
    /// - Returns: What `wrapping` returns; nil if `cek` was filled.
    static func derive<R>(
        z: Span<UInt8>, _ traits: KeyManagementTraits, _ content: ContentCipher, wrapBytes: Int?,
        partyU: [UInt8], partyV: [UInt8], into cek: UnsafeMutableRawBufferPointer,
        wrapping: (Span<UInt8>) throws(CryptoError) -> R
    ) throws(CryptoError) -> R? {
        let info = bytes(
            algorithmID: wrapBytes == nil ? content.registeredName : traits.name, partyU: partyU.span,
            partyV: partyV.span, keyBytes: wrapBytes ?? cek.count)
        guard let wrapBytes else {
            try unsafe ConcatKDF.derive(z: z, info: info.span, into: cek)
            return nil
        }
        return try unsafe withSecretScratch(wrapBytes) { kek throws(CryptoError) in
            try unsafe ConcatKDF.derive(z: z, info: info.span, into: kek)
            return try wrapping(unsafe UnsafeRawBufferPointer(kek).bindMemory(to: UInt8.self).span)
        }
    }
}
