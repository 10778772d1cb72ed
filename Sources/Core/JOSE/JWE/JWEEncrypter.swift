internal import JOSECrypto
internal import JOSESupport

/// An encrypter of compact JWE for one recipient, with one pair of algorithms and one header (RFC 7516, 5.1).
///
/// Create one instance and share it between tasks.
public struct JWEEncrypter: Sendable {
    fileprivate enum Engine: Sendable {
        case oaep(AsymmetricKey, Hash)
        case agreement(AsymmetricKey)
        case x25519(X25519PublicKey)
        case wrap(WrapKey)
        case gcmWrap(GCMWrapKey)
        case password(SecretKey)
        case direct(SecretKey)
    }
    private let engine: Engine
    private let kind: KeyKind
    let parameters: HeaderParameters
    let keyID: String?
    /// The whole header, where no part of it changes from token to token.
    private let fixedHeader: EncodedHeader?
    /// A header like that of the tokens, except for the values that are generated for each.
    package let sampleHeader: JOSEHeader
    let sampleMembers: WrapMembers
    /// The `alg` of every token.
    package let keyManagement: KeyManagementAlgorithm
    /// The `enc` of every token.
    package let contentEncryption: ContentEncryption

    /// Creates an encrypter.
    ///
    /// - Parameters:
    ///   - key: The recipient's public key, of a private key its public key, or the key or password that is shared with
    ///     the recipient: a symmetric key, for AES key wrap, AES-GCM key wrap and `dir`, or for PBES2.
    ///   - keyManagement: The `alg` of every token.
    ///   - contentEncryption: The `enc` of every token.
    ///   - header: The other members of the protected header.
    /// - Throws: `keyUnsuitable` if the key does not fit the algorithm; `headerInvalid` or `malformed` if a decrypter
    ///   would reject the header.
    public init(
        key: some JWKConvertible, keyManagement: KeyManagementAlgorithm, contentEncryption: ContentEncryption,
        header: HeaderParameters = HeaderParameters()
    ) throws(JOSEError) {
        let publicKey = key.asJWK.publicKey
        let key = publicKey.map { .publicKey($0) } ?? key.asJWK
        if let reason = KeySelection.unsuitability(
            of: key, for: keyManagement, .encrypt, encryption: contentEncryption)
        {
            throw .keyUnsuitable(reason)
        }
        try header.certificates?.check(publicKey)
        engine = try Engine(key, keyManagement.core.traits.engine)
        kind = key.kind
        keyID = key.keyID
        self.keyManagement = keyManagement
        self.contentEncryption = contentEncryption
        parameters = header
        let traits = keyManagement.core.traits
        var agrees = false
        if case .agreement = traits.engine { agrees = true }
        guard agrees || (header.agreementPartyU == nil && header.agreementPartyV == nil) else {
            throw .headerInvalid(.agreementInfo)
        }
        var derives = false
        if case .password = traits.engine { derives = true }
        // RFC 7518, 4.8.1.2.
        guard header.passwordIterations.map({ derives && 1_000...Int(Int32.max) ~= $0 }) ?? true else {
            throw .headerInvalid(.password)
        }
        guard !header.compresses || Deflate.isBuilt else { throw .headerInvalid(.compressionNotBuilt) }
        // An invalid header is rejected here, not with the first token.
        sampleMembers = WrapMembers(sampleOf: traits, kind, iterations: header.iterations)
        let members = sampleMembers
        let sample = try EncodedHeader(
            json: header.write(
                algorithm: traits.name, contentEncryption: contentEncryption.core.registeredName, keyID: keyID
            ) { members.write(&$0) })
        sampleHeader = sample.header
        if case .none = sampleMembers { fixedHeader = sample } else { fixedHeader = nil }
    }

    /// Returns the header's JSON text, without `enc` if that is in another header.
    func headerText(_ members: WrapMembers, withContent: Bool = true) throws(JOSEError) -> [UInt8] {
        try parameters.write(
            algorithm: keyManagement.core.traits.name,
            contentEncryption: withContent ? contentEncryption.core.registeredName : nil, keyID: keyID
        ) { members.write(&$0) }
    }

    /// Encrypts a plaintext and returns the compact serialization as ASCII bytes. Each call generates a new
    /// initialization vector and, except with `dir`, a new content encryption key.
    @inlinable public func encryptBytes(_ plaintext: borrowing some BorrowedBytes) throws(JOSEError) -> [UInt8] {
        try plaintext.withBytes { plaintext throws(JOSEError) in try encryptBytes(plaintext) }
    }

    @usableFromInline package func encryptBytes(_ plaintext: Span<UInt8>) throws(JOSEError) -> [UInt8] {
        try Self.withContent(plaintext, compressed: parameters.compresses) { content throws(JOSEError) in
            try sealed(content)
        }
    }

    /// Calls `body` with the content to encrypt, which is compressed if required (RFC 7516, 5.1, step 11).
    static func withContent<R>(
        _ plaintext: Span<UInt8>, compressed: Bool, _ body: (Span<UInt8>) throws(JOSEError) -> R
    ) throws(JOSEError) -> R {
        guard compressed else { return try body(plaintext) }
        let stream: SecretBytes
        do throws(Deflate.Fault) {
            stream = try Deflate.deflate(plaintext)
        } catch {
            throw error == .tooLong ? .limitExceeded(.plaintextBytes) : .backend
        }
        return try stream.withBytes { stream throws(JOSEError) in try body(stream) }
    }

    private func sealed(_ plaintext: Span<UInt8>) throws(JOSEError) -> [UInt8] {
        let content = contentEncryption.core
        return try unsafe withSecretScratch(content.keyBytes) { cek throws(JOSEError) in
            do throws(CryptoError) {
                let (members, encryptedKey) = try unsafe wrapped(cek)
                let header = try header(with: members)
                let iv = try Random.bytes(content.ivBytes)
                let key = unsafe UnsafeRawBufferPointer(cek).bindMemory(to: UInt8.self).span
                let sealed = try content.seal(cek: key, iv: iv.span, aad: header.span, plaintext: plaintext)
                return Self.join(header, encryptedKey, iv, sealed.ciphertext, sealed.tag)
            } catch {
                throw .backend
            }
        }
    }

    /// Encrypts a plaintext and returns the compact serialization.
    @inlinable public func encrypt(_ plaintext: borrowing some BorrowedBytes) throws(JOSEError) -> String {
        String(decoding: try encryptBytes(plaintext), as: UTF8.self)
    }

    /// Fills `cek`, or wraps its value if `isGiven`. Returns the header's members and the encrypted key. An algorithm
    /// that wraps no key is the only one of its token, which `JSONEncrypter.init` ensures: `cek` is never given to it.
    func wrapped(
        _ cek: UnsafeMutableRawBufferPointer, isGiven: Bool = false
    ) throws(CryptoError) -> (WrapMembers, [UInt8]) {
        let key = unsafe UnsafeRawBufferPointer(cek).bindMemory(to: UInt8.self).span
        if !isGiven, !keyManagement.core.traits.encryptedKeyIsEmpty { try unsafe Random.fill(cek) }
        switch engine {
        case .oaep(let recipient, let hash): return (.none, try recipient.oaepEncrypt(hash, key))
        case .wrap(let wrap): return (.none, try wrap.wrap(key))
        case .gcmWrap(let wrap):
            // The IV has 96 bits and is generated for each key (RFC 7518, 4.7.1.1).
            let iv = try Random.bytes(12)
            let (encryptedKey, tag) = try wrap.wrap(key, iv: iv.span)
            return (.gcm(iv: iv, tag: tag), encryptedKey)
        case .password(let shared): return try derived(shared, key)
        case .direct(let shared):
            shared.material.withBytes { bytes in
                unsafe bytes.withUnsafeBytes { unsafe cek.copyMemory(from: $0) }
            }
            return (.none, [])
        case .agreement, .x25519: return try unsafe agreed(cek)
        }
    }

    /// Wraps the key with one that is derived from the password. A salt is never reused (RFC 7518, 4.8.1.1), so each
    /// token needs a derivation.
    private func derived(_ shared: SecretKey, _ cek: Span<UInt8>) throws(CryptoError) -> (WrapMembers, [UInt8]) {
        let salt = try Random.bytes(16)
        let encryptedKey = try shared.withDerivedKey(
            keyManagement.core.traits, salt: salt, iterations: parameters.iterations
        ) { kek throws(CryptoError) in
            try WrapKey.wrapOnce(kek: kek, cek: cek)
        }
        return (.password(salt: salt, iterations: parameters.iterations), encryptedKey)
    }

    /// Returns the encoded header of a token.
    private func header(with members: WrapMembers) throws(CryptoError) -> [UInt8] {
        if let fixedHeader { return fixedHeader.segment }
        do throws(JOSEError) {
            return try EncodedHeader(json: headerText(members)).segment
        } catch {
            throw .keyInvalid
        }
    }

    private func agreed(_ cek: UnsafeMutableRawBufferPointer) throws(CryptoError) -> (WrapMembers, [UInt8]) {
        let traits = keyManagement.core.traits
        guard case .agreement(let wrapBytes) = traits.engine else { throw .keyInvalid }
        return try unsafe withSecretScratch(kind.agreementBytes) { z throws(CryptoError) in
            let point: [UInt8]
            switch engine {
            case .agreement(let recipient): point = try unsafe recipient.agreeFresh(into: z)
            case .x25519(let recipient): point = try unsafe recipient.agreeFresh(into: z)
            case .oaep, .wrap, .gcmWrap, .password, .direct: throw .keyInvalid
            }
            let members = WrapMembers.agreement(point: point, kind)
            let agreed = unsafe UnsafeRawBufferPointer(z).bindMemory(to: UInt8.self).span
            let encryptedKey = try unsafe AgreementInfo.derive(
                z: agreed, traits, contentEncryption.core, wrapBytes: wrapBytes,
                partyU: parameters.agreementPartyU ?? [], partyV: parameters.agreementPartyV ?? [], into: cek
            ) { kek throws(CryptoError) in
                try WrapKey.wrapOnce(
                    kek: kek, cek: unsafe UnsafeRawBufferPointer(cek).bindMemory(to: UInt8.self).span)
            }
            return (members, encryptedKey ?? [])
        }
    }

    private static func join(
        _ header: [UInt8], _ encryptedKey: [UInt8], _ iv: [UInt8], _ ciphertext: [UInt8], _ tag: [UInt8]
    ) -> [UInt8] {
        var token: [UInt8] = []
        var size = header.count + 4
        for part in [encryptedKey, iv, ciphertext, tag] { size += Base64URL.encodedCount(part.count) }
        token.reserveCapacity(size)
        token.append(contentsOf: header)
        for part in [encryptedKey, iv, ciphertext, tag] {
            token.append(UInt8(ascii: "."))
            Base64URL.append(part.span, to: &token)
        }
        return token
    }
}

extension JWEEncrypter.Engine {
    fileprivate init(_ key: JWK, _ wanted: KeyManagementTraits.Engine) throws(JOSEError) {
        switch key {
        case .publicKey(let key):
            switch (key.material, wanted) {
            case (.asymmetric(let key), .oaep(let hash)): self = .oaep(key, hash)
            case (.asymmetric(let key), .agreement): self = .agreement(key)
            case (.x25519(let key), .agreement): self = .x25519(key)
            default: throw .keyUnsuitable(.kind)
            }
        case .symmetricKey(let key):
            switch wanted {
            case .wrap: self = .wrap(try key.wrapKey())
            case .gcmWrap: self = .gcmWrap(try key.gcmWrapKey())
            case .password: self = .password(key)
            case .direct: self = .direct(key)
            case .oaep, .rsa15, .agreement: throw .keyUnsuitable(.kind)
            }
        case .privateKey: throw .keyUnsuitable(.kind)
        }
    }
}
