internal import CJOSEOpenSSL
internal import CJOSEStore
public import JOSE
internal import JOSECrypto
internal import JOSESupport

/// A function that returns the passphrase of a file or the PIN of a PKCS #11 token, or nil if there is none. It is
/// called only if a passphrase or PIN is needed.
public typealias PassphraseSource = () -> [UInt8]?

extension JWK {
    /// Reads the one key at a URI, which is passed to OpenSSL's OSSL_STORE unchanged.
    ///
    /// The scheme `file:` reads PEM and DER in all forms that OpenSSL knows, encrypted ones with `passphrase`, from a
    /// regular file: anything else in its place, such as a FIFO or a folder, is not read. Other schemes, `pkcs11:`
    /// among them, work where a provider for them is installed and configured (`openssl.cnf`).
    ///
    /// If there is a key pair at the URI, the private key is used. RSA and EC keys may stay in the device of a
    /// provider: `isExportable` is then false, and OpenSSL calls the provider for each signature and decryption, which
    /// blocks the thread. All other keys are read into memory, so that one of them that cannot leave its device is
    /// rejected.
    ///
    /// Reading a key opens files and calls OpenSSL providers: never pass a URI from an untrusted source.
    ///
    /// - Parameters:
    ///   - uri: The URI of the key.
    ///   - passphrase: The function that returns the passphrase or PIN. It is called only if one is needed.
    /// - Throws: `keyInvalid` if no provider has the scheme, or if the URI has no key or several keys;
    ///   `keyInvalid(.passphrase)` if the passphrase is missing or wrong; `malformed` for a URI without a scheme.
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
        try self.init(unsafe importing(KeyFile.Parsed(owning: handle)))
    }
}

extension PrivateKey {
    /// Reads the one private key at a URI, which is passed to OpenSSL's OSSL_STORE unchanged. See the initializer of
    /// `JWK` for the schemes, the passphrase, and keys that stay in a device.
    ///
    /// - Throws: `keyInvalid` for a public key, and the errors of the initializer of `JWK`.
    public init(uri: String, passphrase: PassphraseSource? = nil) throws(JOSEError) {
        try self.init(of: JWK(uri: uri, passphrase: passphrase))
    }
}

extension PublicKey {
    /// Reads the one public key at a URI, which is passed to OpenSSL's OSSL_STORE unchanged. See the initializer of
    /// `JWK` for the schemes, the passphrase, and keys that stay in a device.
    ///
    /// - Throws: `keyInvalid` for a private key, and the errors of the initializer of `JWK`.
    public init(uri: String, passphrase: PassphraseSource? = nil) throws(JOSEError) {
        try self.init(of: JWK(uri: uri, passphrase: passphrase))
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
    /// The scheme of a URI: the text before the first colon (RFC 3986, 3.1); nil for text without one.
    package var scheme: String? {
        guard let colon = utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let scheme = utf8[..<colon]
        guard scheme.first?.isASCIILetter == true,
            scheme.allSatisfy({ $0.isASCIIAlphanumeric || "+-.".utf8.contains($0) })
        else { return nil }
        return String(decoding: scheme, as: UTF8.self)
    }
}

/// Writes the passphrase for C. `context` points to the source of the running call.
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
