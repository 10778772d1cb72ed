internal import JOSESupport

/// Calls `body` with the bytes of a sequence. They are not copied where the sequence stores them contiguously, as
/// `Data` and the UTF-8 view of a string do; a copy is wiped.
private func withSpan<Value>(
    of bytes: some Sequence<UInt8>, _ body: (Span<UInt8>) throws(JOSEError) -> Value
) throws(JOSEError) -> Value {
    let stored: Result<Value, JOSEError>? = bytes.withContiguousStorageIfAvailable { buffer in
        let result: Result<Value, JOSEError>
        do throws(JOSEError) { result = .success(try body(unsafe buffer.span)) } catch { result = .failure(error) }
        return result
    }
    if let stored { return try stored.get() }
    var copy = Array(bytes)
    defer { wipe(&copy) }
    return try body(copy.span)
}

extension JWK {
    /// Reads a JWK, given as bytes such as `Data`. It does what `init(parsing:checks:limits:)` does with a span.
    public init(
        parsing text: some Sequence<UInt8>, checks: KeyChecks = [], limits: ParsingLimits = .standard
    ) throws(JOSEError) {
        self = try withSpan(of: text) { text throws(JOSEError) in
            try JWK(parsing: text, checks: checks, limits: limits)
        }
    }

    /// Reads a public or private key from a PEM text, given as bytes such as `Data`. It does what
    /// `init(pem:passphrase:checks:)` does with a span.
    public init(
        pem text: some Sequence<UInt8>, passphrase: [UInt8]? = nil, checks: KeyChecks = []
    ) throws(JOSEError) {
        self = try withSpan(of: text) { text throws(JOSEError) in
            try JWK(pem: text, passphrase: passphrase, checks: checks)
        }
    }

    /// Reads a public or private key from a PEM text, given as a string, whose memory cannot be wiped. It does what
    /// `init(pem:passphrase:checks:)` does with a span.
    public init(pem text: String, passphrase: [UInt8]? = nil, checks: KeyChecks = []) throws(JOSEError) {
        try self.init(pem: text.utf8.span, passphrase: passphrase, checks: checks)
    }

    /// Reads a public or private key from DER, given as bytes such as `Data`. It does what
    /// `init(der:passphrase:checks:)` does with a span.
    public init(
        der bytes: some Sequence<UInt8>, passphrase: [UInt8]? = nil, checks: KeyChecks = []
    ) throws(JOSEError) {
        self = try withSpan(of: bytes) { bytes throws(JOSEError) in
            try JWK(der: bytes, passphrase: passphrase, checks: checks)
        }
    }
}

extension KeySet {
    /// Reads a JWK Set, given as bytes such as `Data`. It does what `init(parsing:as:checks:limits:)` does with a span.
    public init(
        parsing text: some Sequence<UInt8>, as contents: Contents = .any, checks: KeyChecks = [],
        limits: ParsingLimits = .standard
    ) throws(JOSEError) {
        self = try withSpan(of: text) { text throws(JOSEError) in
            try KeySet(parsing: text, as: contents, checks: checks, limits: limits)
        }
    }
}

extension PublicKey {
    /// Reads a public key from a JWK, given as bytes such as `Data`. It does what `init(jwk:limits:)` does with a span.
    public init(jwk text: some Sequence<UInt8>, limits: ParsingLimits = .standard) throws(JOSEError) {
        self = try withSpan(of: text) { text throws(JOSEError) in try PublicKey(jwk: text, limits: limits) }
    }
    /// Reads a public key from a PEM text, given as bytes such as `Data`. It does what `init(pem:)` does with a span.
    public init(pem text: some Sequence<UInt8>) throws(JOSEError) {
        self = try withSpan(of: text) { text throws(JOSEError) in try PublicKey(pem: text) }
    }
    /// Reads a public key from DER, given as bytes such as `Data`. It does what `init(der:)` does with a span.
    public init(der bytes: some Sequence<UInt8>) throws(JOSEError) {
        self = try withSpan(of: bytes) { bytes throws(JOSEError) in try PublicKey(der: bytes) }
    }
}

extension PrivateKey {
    /// Reads a private key from a JWK, given as bytes such as `Data`. It does what `init(jwk:limits:)` does with a
    /// span.
    public init(jwk text: some Sequence<UInt8>, limits: ParsingLimits = .standard) throws(JOSEError) {
        self = try withSpan(of: text) { text throws(JOSEError) in try PrivateKey(jwk: text, limits: limits) }
    }
    /// Reads a private key from a PEM text, given as bytes such as `Data`. It does what `init(pem:passphrase:)` does
    /// with a span.
    public init(pem text: some Sequence<UInt8>, passphrase: [UInt8]? = nil) throws(JOSEError) {
        self = try withSpan(of: text) { text throws(JOSEError) in try PrivateKey(pem: text, passphrase: passphrase) }
    }
    /// Reads a private key from DER, given as bytes such as `Data`. It does what `init(der:passphrase:)` does with a
    /// span.
    public init(der bytes: some Sequence<UInt8>, passphrase: [UInt8]? = nil) throws(JOSEError) {
        self = try withSpan(of: bytes) { bytes throws(JOSEError) in try PrivateKey(der: bytes, passphrase: passphrase) }
    }
}

extension SecretKey {
    /// Creates a symmetric key from bytes such as `Data`. It does what `init(bytes:)` does with a span.
    public init(bytes: some Sequence<UInt8>) throws(JOSEError) {
        self = try withSpan(of: bytes) { bytes throws(JOSEError) in try SecretKey(bytes: bytes) }
    }
    /// Reads a symmetric key from a JWK, given as bytes such as `Data`. It does what `init(jwk:limits:)` does with a
    /// span.
    public init(jwk text: some Sequence<UInt8>, limits: ParsingLimits = .standard) throws(JOSEError) {
        self = try withSpan(of: text) { text throws(JOSEError) in try SecretKey(jwk: text, limits: limits) }
    }
}

extension Certificate {
    /// Reads a certificate from DER, given as bytes such as `Data`. It does what `init(der:limits:)` does with a span.
    public init(der bytes: some Sequence<UInt8>, limits: ParsingLimits = .standard) throws(JOSEError) {
        self = try withSpan(of: bytes) { bytes throws(JOSEError) in try Certificate(der: bytes, limits: limits) }
    }
    /// Reads a certificate from a PEM text, given as bytes such as `Data`. It does what `init(pem:limits:)` does with a
    /// span.
    public init(pem text: some Sequence<UInt8>, limits: ParsingLimits = .standard) throws(JOSEError) {
        self = try withSpan(of: text) { text throws(JOSEError) in try Certificate(pem: text, limits: limits) }
    }
}

extension CertificateChain {
    /// Reads a chain from a PEM text, given as bytes such as `Data`. It does what `init(pem:limits:)` does with a span.
    public init(pem text: some Sequence<UInt8>, limits: ParsingLimits = .standard) throws(JOSEError) {
        self = try withSpan(of: text) { text throws(JOSEError) in try CertificateChain(pem: text, limits: limits) }
    }
}
