internal import CJOSEOpenSSL
internal import CJOSEStore
public import JOSE
internal import JOSEBytes
internal import JOSECrypto

/// What is asked for the passphrase of a file or the PIN of a token, when there is something to open; nil: there is none.
public typealias PassphraseSource = () -> [UInt8]?

extension JWK {
    /// The one key at a URI, which goes to OpenSSL's OSSL_STORE as it is. `file:` reads PEM and DER in all forms that OpenSSL
    /// knows, encrypted ones with `passphrase`; of several keys it is refused. Other schemes, `pkcs11:` among them, work where a
    /// provider for them is installed and configured (`openssl.cnf`), else `keyInvalid(.noStore)` names the scheme.
    ///
    /// Of a key pair the private key is taken. RSA and EC keys of a provider may stay where they are: `isExportable` is then
    /// false, and OpenSSL calls the provider for each signature and decryption, which blocks the thread. All other keys become
    /// ordinary ones, and Ed25519 and X25519 are libsodium's from then on, so that one that stays in its device is refused.
    ///
    /// Reads files, and does whatever a provider does. Not for URIs of strangers.
    public init(uri: String, passphrase: PassphraseSource? = nil) throws(JOSEError) {
        guard let scheme = uri.scheme, !uri.utf8.contains(0) else { throw .malformed(ParseFailure(.key, .uri)) }
        var source: PassphraseSource? = passphrase
        var handle: OpaquePointer?
        var fault = cjose_status.ok
        let status = unsafe withUnsafeMutablePointer(to: &source) { context in
            unsafe cjose_store_load(uri, scheme, answer, context, &handle, &fault)
        }
        switch status {
        case .ok: break
        case .absent: throw .keyInvalid(.absent)
        case .several: throw .keyInvalid(.several)
        case .no_store: throw .keyInvalid(.noStore(scheme: scheme))
        case .needs_passphrase: throw .keyInvalid(.passphrase)
        case .key: throw JOSEError(importing: fault)
        case .backend: throw .backend
        }
        guard let handle = unsafe handle else { throw .backend }
        let parsed: KeyFile.Parsed
        do throws(CryptoError) { parsed = unsafe try KeyFile.Parsed(owning: handle) } catch {
            throw JOSEError(importing: error)
        }
        try self.init(parsed)
    }
}

extension PrivateKey {
    /// As `JWK(uri:)`; a public key is refused.
    public init(uri: String, passphrase: PassphraseSource? = nil) throws(JOSEError) {
        guard case .privateKey(let key) = try JWK(uri: uri, passphrase: passphrase) else {
            throw .keyInvalid(.wrongHalf)
        }
        self = key
    }
}

extension PublicKey {
    /// As `JWK(uri:)`; a private key is refused.
    public init(uri: String, passphrase: PassphraseSource? = nil) throws(JOSEError) {
        guard case .publicKey(let key) = try JWK(uri: uri, passphrase: passphrase) else {
            throw .keyInvalid(.wrongHalf)
        }
        self = key
    }
}

extension JOSEError {
    fileprivate init(importing status: cjose_status) {
        switch status {
        case .key_too_small: self = .keyUnsuitable(.tooSmall)
        case .unsupported: self = .keyInvalid(.unsupportedKind)
        case .needs_passphrase: self = .keyInvalid(.passphrase)
        case .backend, .ok: self = .backend
        case .invalid, .key_invalid: self = .keyInvalid(.numbers)
        }
    }
}

extension String {
    /// Before the first colon (RFC 3986, 3.1).
    package var scheme: String? {
        guard let colon = utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let scheme = utf8[..<colon]
        guard let first = scheme.first, first.isLetter,
            scheme.allSatisfy({ $0.isLetter || (0x30...0x39).contains($0) || [0x2B, 0x2D, 0x2E].contains($0) })
        else { return nil }
        return String(decoding: scheme, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var isLetter: Bool { (0x61...0x7A).contains(self | 0x20) }
}

/// Called by C, with the source of the call that runs.
private func answer(_ context: UnsafeMutableRawPointer?, _ out: UnsafeMutableRawPointer, _ capacity: Int32) -> Int32 {
    guard let context = unsafe context,
        var word = unsafe context.assumingMemoryBound(to: PassphraseSource?.self).pointee?()
    else { return -1 }
    defer { unsafe word.withUnsafeMutableBytes { unsafe wipe($0) } }
    guard word.count <= Int(capacity) else { return -1 }
    unsafe word.withUnsafeBytes {
        unsafe UnsafeMutableRawBufferPointer(start: out, count: word.count).copyMemory(from: $0)
    }
    return Int32(word.count)
}
