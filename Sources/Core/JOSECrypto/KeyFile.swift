internal import CJOSEOpenSSL

package enum PublicMaterial: Sendable {
    case asymmetric(AsymmetricKey)
    case ed25519(Ed25519PublicKey)
    case x25519(X25519PublicKey)
}

package enum PrivateMaterial: Sendable {
    case asymmetric(AsymmetricKey)
    case ed25519(Ed25519PrivateKey)
    case x25519(X25519PrivateKey)
}

/// Keys in PEM and DER files.
package enum KeyFile {
    package enum Parsed: Sendable {
        case publicKey(PublicMaterial)
        case privateKey(PrivateMaterial)
    }

    package enum Form: UInt8, Sendable {
        case spki, pkcs8, pkcs1Public, pkcs1Private, sec1

        var shim: cjose_key_form {
            switch self {
            case .spki: .spki
            case .pkcs8: .pkcs8
            case .pkcs1Public: .pkcs1_public
            case .pkcs1Private: .pkcs1_private
            case .sec1: .sec1
            }
        }
    }

    /// Imports the key in one PEM block, whose content must be of the kind that its label names.
    package static func importPEM(_ pem: Span<UInt8>, passphrase: Span<UInt8>? = nil) throws(CryptoError) -> Parsed {
        try parse(pem, passphrase, isPEM: true)
    }

    /// Imports one key in DER: a SubjectPublicKeyInfo, or a key in PKCS #1, SEC 1 or PKCS #8. PKCS #8 may be encrypted
    /// with PBES2, which requires the passphrase.
    package static func importDER(_ der: Span<UInt8>, passphrase: Span<UInt8>? = nil) throws(CryptoError) -> Parsed {
        try parse(der, passphrase, isPEM: false)
    }

    private static func parse(
        _ input: Span<UInt8>, _ passphrase: Span<UInt8>?, isPEM: Bool
    ) throws(CryptoError) -> Parsed {
        let handle = try unsafe newHandle { made in
            guard let passphrase else { return unsafe read(input, cjose_bytes(at: nil, count: 0), isPEM, &made) }
            // An empty passphrase is a passphrase; only a null pointer stands for none.
            return unsafe passphrase.withUnsafeBytes { word in
                let none: [1 of UInt8] = [0]
                return unsafe none.span.withUnsafeBytes { none in
                    let bytes = unsafe cjose_bytes(at: word.baseAddress ?? none.baseAddress, count: word.count)
                    return unsafe read(input, bytes, isPEM, &made)
                }
            }
        }
        return try unsafe Parsed(owning: handle)
    }

    private static func read(
        _ input: Span<UInt8>, _ passphrase: cjose_bytes, _ isPEM: Bool, _ made: inout OpaquePointer?
    ) -> cjose_status {
        unsafe input.withUnsafeBytes { input in
            let bytes = unsafe cjose_bytes(at: input.baseAddress, count: input.count)
            return unsafe isPEM
                ? cjose_key_pem_import(bytes, passphrase, &made) : cjose_key_der_import(bytes, passphrase, &made)
        }
    }

    /// Creates a key of libsodium from the 32 bytes of the handle, and frees the handle.
    fileprivate static func octetPair(_ handle: OpaquePointer) throws(CryptoError) -> Parsed {
        defer { unsafe cjose_key_free(handle) }
        let isEdwards = unsafe cjose_key_kind_of(handle) == .ed25519
        guard unsafe cjose_key_is_private(handle) else {
            let raw = unsafe try written(32) { out, count in
                unsafe cjose_key_part_get(handle, .raw_public, out, count, &count)
            }
            return .publicKey(isEdwards ? .ed25519(try .init(raw.span)) : .x25519(try .init(raw.span)))
        }
        var status = cjose_status.backend
        let secret = unsafe try GuardedBytes(
            count: 32,
            always: { out in
                var count = 32
                unsafe status = cjose_key_part_get(handle, .raw_private, out, count, &count)
            })
        try check(status)
        return try secret.withBytes { bytes throws(CryptoError) in
            .privateKey(isEdwards ? .ed25519(try .init(seed: bytes)) : .x25519(try .init(scalar: bytes)))
        }
    }

    /// Returns a key as PEM or DER.
    ///
    /// - Throws: `keyInvalid` for a form that the key does not have.
    package static func export(_ key: Parsed, _ form: Form, pem: Bool) throws(CryptoError) -> [UInt8] {
        switch key {
        case .publicKey(.asymmetric(let key)), .privateKey(.asymmetric(let key)):
            return try unsafe export(key.handle, form, pem)
        case .publicKey(.ed25519(let key)): return try export(.ed25519, key.raw.span, false, form, pem)
        case .publicKey(.x25519(let key)): return try export(.x25519, key.raw.span, false, form, pem)
        case .privateKey(.ed25519(let key)):
            return try key.withSeed { seed throws(CryptoError) in try export(.ed25519, seed, true, form, pem) }
        case .privateKey(.x25519(let key)):
            return try key.withScalar { scalar throws(CryptoError) in try export(.x25519, scalar, true, form, pem) }
        }
    }

    private static func export(
        _ kind: cjose_key_kind, _ raw: Span<UInt8>, _ isPrivate: Bool, _ form: Form, _ pem: Bool
    ) throws(CryptoError) -> [UInt8] {
        let handle = try unsafe newHandle { made in
            unsafe raw.withUnsafeBytes {
                unsafe cjose_key_raw_new(kind, cjose_bytes(at: $0.baseAddress, count: $0.count), isPrivate, &made)
            }
        }
        defer { unsafe cjose_key_free(handle) }
        return try unsafe export(handle, form, pem)
    }

    private static func export(_ handle: OpaquePointer, _ form: Form, _ pem: Bool) throws(CryptoError) -> [UInt8] {
        try unsafe allocated { unsafe cjose_key_export(handle, form.shim, pem, &$0, &$1) } ?? []
    }
}

extension KeyFile.Parsed {
    /// Creates a parsed key from `handle` and takes it over, also where it throws.
    package init(owning handle: OpaquePointer) throws(CryptoError) {
        switch unsafe cjose_key_kind_of(handle) {
        case .ed25519, .x25519: self = try unsafe KeyFile.octetPair(handle)
        default:
            guard let key = unsafe AsymmetricKey(owning: handle) else { throw .unsupported }
            self = key.isPrivate ? .privateKey(.asymmetric(key)) : .publicKey(.asymmetric(key))
        }
    }
}
