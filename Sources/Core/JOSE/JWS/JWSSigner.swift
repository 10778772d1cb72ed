internal import JOSEBytes
internal import JOSECrypto

/// Makes compact JWS (RFC 7515, 5.1) with one key, one algorithm and one header. Made once, shared freely.
public struct JWSSigner: Sendable {
    enum Engine: Sendable {
        case asymmetric(AsymmetricKey, SignatureScheme)
        case ed25519(Ed25519PrivateKey)
        case mac(MACKey)
    }
    let engine: Engine
    let header: EncodedHeader
    /// `alg` of every token.
    public let algorithm: SignatureAlgorithm

    /// Throws `keyUnsuitable` where the key does not fit the algorithm, `headerInvalid` or `malformed` for a header that a
    /// verifier would refuse.
    public init(
        key: PrivateKey, algorithm: SignatureAlgorithm, header: HeaderParameters = HeaderParameters()
    ) throws(JOSEError) {
        if let reason = KeySelection.unsuitability(of: .privateKey(key), for: algorithm, .sign) {
            throw .keyUnsuitable(reason)
        }
        switch (key.material, algorithm.core.traits.engine) {
        case (.asymmetric(let key), .scheme(let scheme)): engine = .asymmetric(key, scheme)
        case (.ed25519(let key), .ed25519), (.ed25519(let key), .edDSA): engine = .ed25519(key)
        case (.asymmetric(let key), .edDSA): engine = .asymmetric(key, .ed448)
        default: throw .keyUnsuitable(.kind)
        }
        self.algorithm = algorithm
        self.header = try EncodedHeader(header, algorithm, key.publicKey, keyID: key.keyID)
    }

    /// With a shared key, for HMAC. Throws as `init` with a private key does.
    public init(
        key: SecretKey, algorithm: SignatureAlgorithm, header: HeaderParameters = HeaderParameters()
    ) throws(JOSEError) {
        if let reason = KeySelection.unsuitability(of: .symmetricKey(key), for: algorithm, .sign) {
            throw .keyUnsuitable(reason)
        }
        guard case .mac(let hash) = algorithm.core.traits.engine else { throw .keyUnsuitable(.kind) }
        engine = .mac(try key.macKey(hash))
        self.algorithm = algorithm
        self.header = try EncodedHeader(header, algorithm, nil, keyID: key.keyID)
    }

    /// The compact serialization, as ASCII bytes. With `payloadIsUnencoded` the payload stands in it as it is, and is
    /// refused, as `malformed`, where it has a dot or anything but printable ASCII (RFC 7797, 5.2).
    public func signBytes(_ payload: Span<UInt8>) throws(JOSEError) -> [UInt8] {
        var token = try SigningInput.compact(header, payload: payload)
        SigningInput.finish(&token, try signature(token.span))
        return token
    }

    /// The one call into cryptography for a signature that is made.
    func signature(_ input: Span<UInt8>) throws(JOSEError) -> [UInt8] {
        do throws(CryptoError) {
            switch engine {
            case .asymmetric(let key, let scheme): return try key.sign(scheme, input)
            case .ed25519(let key): return try key.sign(input)
            case .mac(let key): return try key.sign(input)
            }
        } catch {
            throw .backend
        }
    }

    /// The compact serialization.
    public func sign(_ payload: Span<UInt8>) throws(JOSEError) -> String {
        String(decoding: try signBytes(payload), as: UTF8.self)
    }

    /// The same of bytes in an array.
    public func sign(_ payload: [UInt8]) throws(JOSEError) -> String { try sign(payload.span) }
    /// The same of a text's UTF-8.
    public func sign(_ payload: String) throws(JOSEError) -> String { try sign(payload.utf8.span) }
}
