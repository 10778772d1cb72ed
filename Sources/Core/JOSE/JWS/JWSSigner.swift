internal import JOSECrypto
internal import JOSESupport

/// A signer of compact JWS with one key, one algorithm and one header (RFC 7515, 5.1).
///
/// With a key outside the process, for instance in an HSM or a key management service, use the methods with a
/// `timeout`. Create one instance and share it between tasks.
public struct JWSSigner: Sendable {
    enum Engine: Sendable {
        case asymmetric(AsymmetricKey, SignatureScheme)
        case ed25519(Ed25519PrivateKey)
        case mac(MACKey)
        case external(CheckedSigner)
    }
    let engine: Engine
    let header: EncodedHeader
    /// The `alg` of every token.
    package let algorithm: SignatureAlgorithm

    /// Creates a signer.
    ///
    /// - Parameters:
    ///   - key: The private key, or the symmetric key for HMAC.
    ///   - algorithm: The `alg` of every token.
    ///   - header: The other members of the protected header.
    /// - Throws: `keyUnsuitable` if the key does not fit the algorithm; `headerInvalid` or `malformed` if a verifier
    ///   would reject the header.
    public init(
        key: some SigningKey, algorithm: SignatureAlgorithm, header: HeaderParameters = HeaderParameters()
    ) throws(JOSEError) {
        let key = key.asJWK
        if case .publicKey = key { throw .keyUnsuitable(.publicKey) }
        if let reason = KeySelection.unsuitability(of: key, for: algorithm, .sign) { throw .keyUnsuitable(reason) }
        engine = try Engine(key, algorithm.core.traits.engine)
        self.algorithm = algorithm
        self.header = try EncodedHeader(header, algorithm, key.publicKey, keyID: key.keyID)
    }

    /// Creates a signer with a key outside the process. The methods without a `timeout` throw
    /// `externalKey(.awaitRequired)`.
    ///
    /// - Parameters:
    ///   - externalKey: The key outside the process.
    ///   - algorithm: The `alg` of every token.
    ///   - header: The other members of the protected header.
    /// - Throws: `keyUnsuitable` if the key does not fit the algorithm; `headerInvalid` or `malformed` if a verifier
    ///   would reject the header.
    public init(
        externalKey: any ExternalSigner, algorithm: SignatureAlgorithm, header: HeaderParameters = HeaderParameters()
    ) throws(JOSEError) {
        try self.init(
            externalKey: externalKey, algorithm: algorithm, header: header, keyID: externalKey.publicKey.keyID)
    }

    /// Creates a signer with a key outside the process whose headers have the given `kid`, or none.
    package init(
        externalKey: any ExternalSigner, algorithm: SignatureAlgorithm, header: HeaderParameters, keyID: String?
    ) throws(JOSEError) {
        engine = .external(try CheckedSigner(externalKey, algorithm))
        self.algorithm = algorithm
        self.header = try EncodedHeader(header, algorithm, externalKey.publicKey, keyID: keyID)
    }

    /// Signs a payload and returns the compact serialization as ASCII bytes.
    ///
    /// If the header has `payloadIsUnencoded`, the token contains the payload without base64url encoding, and a payload
    /// with a dot or with bytes other than printable ASCII is rejected as `malformed` (RFC 7797, 5.2).
    @inlinable public func signBytes(_ payload: borrowing some BorrowedBytes) throws(JOSEError) -> [UInt8] {
        try payload.withBytes { payload throws(JOSEError) in try signBytes(payload) }
    }

    @usableFromInline package func signBytes(_ payload: Span<UInt8>) throws(JOSEError) -> [UInt8] {
        var token = try SigningInput.compact(header, payload: payload)
        SigningInput.finish(&token, try signature(token.span))
        return token
    }

    /// Makes the signature. Every signature of a key in the process is made here.
    func signature(_ input: Span<UInt8>) throws(JOSEError) -> [UInt8] {
        do throws(CryptoError) {
            switch engine {
            case .asymmetric(let key, let scheme): return try key.sign(scheme, input)
            case .ed25519(let key): return try key.sign(input)
            case .mac(let key): return try key.sign(input)
            case .external: break
            }
        } catch {
            throw .backend
        }
        throw .externalKey(.awaitRequired)
    }

    /// Signs a payload and returns the compact serialization.
    @inlinable public func sign(_ payload: borrowing some BorrowedBytes) throws(JOSEError) -> String {
        String(decoding: try signBytes(payload), as: UTF8.self)
    }
}

extension JWSSigner.Engine {
    fileprivate init(_ key: JWK, _ wanted: SignatureTraits.Engine) throws(JOSEError) {
        switch key {
        case .privateKey(let key):
            switch (key.material, wanted) {
            case (.asymmetric(let key), .scheme(let scheme)): self = .asymmetric(key, scheme)
            case (.ed25519(let key), .ed25519), (.ed25519(let key), .edDSA): self = .ed25519(key)
            case (.asymmetric(let key), .edDSA): self = .asymmetric(key, .ed448)
            default: throw .keyUnsuitable(.kind)
            }
        case .symmetricKey(let key):
            guard case .mac(let hash) = wanted else { throw .keyUnsuitable(.kind) }
            self = .mac(try key.macKey(hash))
        case .publicKey: throw .keyUnsuitable(.publicKey)
        }
    }
}
