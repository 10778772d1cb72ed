internal import JOSECrypto
internal import JOSESupport

/// A signer of a detached payload of any size in constant memory. Call `update` for each piece of the payload, then
/// `finish`.
///
/// It supports the HS, RS, PS and ES algorithms. Use it from one task at a time.
public struct SigningStream: ~Copyable {
    private let signer: JWSSigner
    private let digest: DigestStream
    private var feed: PayloadFeed

    fileprivate init(_ signer: JWSSigner, _ digest: DigestStream) {
        self.signer = signer
        self.digest = digest
        feed = PayloadFeed(isUnencoded: signer.payloadIsUnencoded)
    }

    /// Adds the next piece of the payload, of any length.
    public mutating func update(_ bytes: borrowing some BorrowedBytes) throws(JOSEError) {
        try calling(bytes.withBytes { bytes throws(CryptoError) in try feed.add(bytes, to: [digest]) })
    }

    /// Signs the payload and returns the compact serialization, whose payload part is empty, as
    /// `JWSSigner.sign(detached:)` does for the whole payload.
    public consuming func finish() throws(JOSEError) -> String {
        do throws(CryptoError) {
            try feed.finish([digest])
            let digest = try digest.finish()
            return JWSSigner.detached(signer.header, try signer.signature(ofDigest: digest.span))
        } catch {
            throw .backend
        }
    }
}

extension JWSSigner {
    /// Returns a stream that signs a detached payload in pieces.
    ///
    /// - Throws: `algorithmNotAllowed(.streamedSignature)` for algorithms that sign the whole message rather than its
    ///   hash, such as `EdDSA`; `externalKey(.awaitRequired)` for a key outside the process, which signs whole messages
    ///   with `sign(detached:timeout:)`.
    public func stream() throws(JOSEError) -> SigningStream {
        if case .external = engine { throw .externalKey(.awaitRequired) }
        let digest: DigestStream
        do throws(CryptoError) {
            switch engine {
            case .asymmetric(_, let scheme): digest = try DigestStream(scheme)
            case .mac(let key): digest = try DigestStream(key)
            case .ed25519, .external: throw .unsupported
            }
            var input = header.segment
            input.append(UInt8(ascii: "."))
            try digest.add(input.span)
        } catch {
            throw error == .unsupported ? .algorithmNotAllowed(.streamedSignature) : .backend
        }
        return SigningStream(self, digest)
    }

    fileprivate func signature(ofDigest digest: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        switch engine {
        case .asymmetric(let key, let scheme): try key.sign(scheme, digest: digest)
        // The code is the signature.
        case .mac: digest.copy()
        case .ed25519, .external: throw .unsupported
        }
    }
}
