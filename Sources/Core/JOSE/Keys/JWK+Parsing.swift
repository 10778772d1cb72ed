internal import JOSECrypto
internal import JOSESupport

extension JWK {
    /// Reads one JWK (RFC 7517, 4). Members that RFC 7517 and RFC 7518 do not define are ignored, and so are members
    /// that are null, and values of `x5t` and `x5t#S256` that cannot be thumbprints; all others must be valid, canonical
    /// and consistent.
    ///
    /// - Parameters:
    ///   - text: One JWK as JSON. The memory of a string cannot be wiped.
    ///   - checks: Further checks of the key.
    ///   - limits: The limits on JSON and certificates.
    /// - Throws: `malformed`, `keyInvalid`, `keyUnsuitable` or `limitExceeded`; `keyInvalid` if the
    ///   text is a JWK Set, for which `KeySet` is the type.
    @inlinable public init(
        parsing text: borrowing some BorrowedBytes, checks: KeyChecks = [], limits: ParsingLimits = .standard
    ) throws(JOSEError) {
        self = try text.withBytes { text throws(JOSEError) in try JWK(parsing: text, checks: checks, limits: limits) }
    }

    @usableFromInline init(parsing text: Span<UInt8>, checks: KeyChecks, limits: ParsingLimits) throws(JOSEError) {
        try self.init(JWKMembers(ofKey: text, limits: limits), in: text, limits: limits)
        try pass(checks)
    }

    init(_ members: JWKMembers, in text: Span<UInt8>, limits: ParsingLimits) throws(JOSEError) {
        guard let kty = try members.string("kty", in: text) else { throw .member("kty", .missing) }
        var binding = try KeyBinding.read(members, in: text)
        let certificates = try KeyCertificates.read(members, in: text, limits: limits)
        binding.certificates = certificates
        if bytesEqual(kty, "RSA") {
            if let key = try Self.certified(members, in: text, binding) {
                self = key
                return
            }
            self = try Self.rsa(members, in: text, binding)
        } else if bytesEqual(kty, "EC") {
            self = try Self.ec(members, in: text, binding)
        } else if bytesEqual(kty, "OKP") {
            self = try Self.octetPair(members, in: text, binding)
        } else if bytesEqual(kty, "AKP") {
            self = try Self.algorithmKeyPair(members, in: text, binding)
        } else if bytesEqual(kty, "oct") {
            self = .symmetricKey(try SecretKey(members.guarded("k", in: text), binding))
        } else {
            throw .member("kty", KeyMemberFault(unsupported: kty, among: ["RSA", "EC", "OKP", "AKP", "oct"]))
        }
        if let certificates, !certificates.certifies(publicKey) { throw .member("x5c", .otherKey) }
    }
}

extension KeyMemberFault {
    /// Creates the fault of a value that is not one of the supported ones: it is one of them in another letter case, or
    /// another value.
    init(unsupported value: String, among supported: [String]) {
        let wanted = value.utf8.map(\.asciiLowercased)
        if let registered = supported.first(where: { $0.utf8.map(\.asciiLowercased) == wanted }) {
            self = .letterCase(registered)
        } else {
            self = .unsupported
        }
    }
}

extension JWKMembers {
    /// Reads the members of a text that must be one strict JSON object and not a JWK Set.
    fileprivate init(ofKey text: Span<UInt8>, limits: ParsingLimits) throws(JOSEError) {
        do throws(JSONFault) {
            members = try JSONObject(parsing: text, limits: limits.json).members
        } catch {
            throw JOSEError(error, in: .key, of: text)
        }
        guard !has("keys", in: text) else { throw .keyInvalid(.keySet) }
    }
}

extension KeyBinding {
    /// The largest number of values in `key_ops`; RFC 7517, 4.3 registers eight.
    private static let maximumOperations = 32

    /// Reads the members that bind a key (RFC 7517, 4.2 to 4.5).
    static func read(_ members: JWKMembers, in text: Span<UInt8>) throws(JOSEError) -> KeyBinding {
        var binding = KeyBinding()
        binding.keyID = try members.string("kid", in: text)
        binding.algorithm = try members.string("alg", in: text)
        binding.use = try members.string("use", in: text).map(KeyUse.init)
        binding.issuer = members.value("issuer", in: text)?.string(in: text)
        guard let list = members.value("key_ops", in: text) else { return binding }
        guard let values = list.array(in: text) else {
            throw .member("key_ops", KeyMemberFault(list, required: .array))
        }
        // Each unregistered name is compared with those before it: the bound keeps a list of nothing but names cheap.
        guard values.count <= maximumOperations else { throw .keyInvalid(.tooManyOperations) }
        var operations = KeyOperations()
        for value in values {
            guard let name = value.string(in: text) else {
                throw .member("key_ops", .elementType(found: KeyMemberFault.ValueType(value.kind)))
            }
            if let known = KeyOperations.named.first(where: { bytesEqual($0.name, name) })?.operation {
                guard operations.insert(known).inserted else { throw .keyInvalid(.inconsistentUse) }
            } else {
                guard !binding.otherOperations.contains(where: { bytesEqual($0, name) }) else {
                    throw .keyInvalid(.inconsistentUse)
                }
                binding.otherOperations.append(name)
                operations.insert(.other)
            }
        }
        if let use = binding.use, !operations.agrees(with: use) { throw .keyInvalid(.inconsistentUse) }
        binding.operations = operations
        return binding
    }
}

extension PublicKey {
    /// Reads a public JWK, for instance one from the header of a token.
    ///
    /// - Parameters:
    ///   - text: One JWK as JSON (RFC 7517, 4).
    ///   - limits: The limits on JSON and certificates.
    /// - Throws: `keyInvalid` for a JWK with a member of a private or symmetric key, before any of
    ///   its values is decoded; otherwise the errors of `JWK(parsing:)`.
    @inlinable public init(
        jwk text: borrowing some BorrowedBytes, limits: ParsingLimits = .standard
    ) throws(JOSEError) {
        self = try text.withBytes { text throws(JOSEError) in try PublicKey(jwk: text, limits: limits) }
    }

    @usableFromInline init(jwk text: Span<UInt8>, limits: ParsingLimits) throws(JOSEError) {
        let members = try JWKMembers(ofKey: text, limits: limits)
        guard !members.havePrivatePart(in: text) else { throw .keyInvalid(.publicKeyRequired) }
        try self.init(of: JWK(members, in: text, limits: limits))
    }
}

extension PrivateKey {
    /// Reads a private JWK. Its public members must match the private ones. The memory of a string cannot be wiped.
    ///
    /// - Throws: `keyInvalid` for a public or symmetric key, and the errors of `JWK(parsing:)`.
    public init(jwk text: borrowing some BorrowedBytes, limits: ParsingLimits = .standard) throws(JOSEError) {
        try self.init(of: JWK(parsing: text, limits: limits))
    }
}

extension SecretKey {
    /// Reads a symmetric JWK (`kty` `oct`). The memory of a string cannot be wiped.
    ///
    /// - Throws: `keyInvalid` for another kind of key, and the errors of `JWK(parsing:)`.
    public init(jwk text: borrowing some BorrowedBytes, limits: ParsingLimits = .standard) throws(JOSEError) {
        try self.init(of: JWK(parsing: text, limits: limits))
    }
}
