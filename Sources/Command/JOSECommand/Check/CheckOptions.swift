import JOSE
import JOSESettings
import JOSESupport
import JOSETokens

/// The member `options` of a request. A member of a wrong type makes the request malformed; `null` counts as absent.
struct CheckOptions {
    var algorithms: [String]?
    var keyManagement: [String]?
    var contentEncryption: [String]?
    var critical: [String] = []
    var serializationIsJSON = false
    var detachedPayload: [UInt8]?
    var limits = ParsingLimits.standard
    var issuers: [String]?
    var audiences: [String]?
    var subject: String?
    var nonce: String?
    var authorizedParty: String?
    var now: NumericDate?
    var leeway = Duration.seconds(60)
    var required: [String] = []
    var maximumAge: Duration?
    var maximumAuthenticationAge: Duration?
    var levels: [String]?
    var trustedAudiences: [String]?
    var values: [ClaimName: [String]] = [:]
    var type: String?
    var contentType: String?
    var secret: SecretKey?
    var accessToken: String?
    var code: String?
    var kindIsSet = false

    /// The members that set limits, which have the names of options.
    static let limits = OptionNames.ofLimits.map { (name: $0.option.spec.name.replacing("-", with: "_"), set: $0.set) }

    init() {}

    init(_ members: [JSONMember], in bytes: Span<UInt8>, _ unknown: UnknownOptions) throws(CheckFailure) {
        for member in members where member.value.kind != .null {
            let value = member.value
            switch member.name(in: bytes) {
            case "algs": algorithms = try value.list(in: bytes)
            case "key_algs": keyManagement = try value.list(in: bytes)
            case "encs": contentEncryption = try value.list(in: bytes)
            case "crit": critical = try value.list(in: bytes)
            case "serialization": serializationIsJSON = try value.one(of: ["compact", "json"], in: bytes) == 1
            case "kind": kindIsSet = try value.one(of: ["jwk", "jwks"], in: bytes) == 1
            case "detached_payload_b64url":
                guard let payload = Base64URL.decode(try value.text(in: bytes).utf8.span) else { throw .malformed }
                detachedPayload = payload
            case "iss": issuers = try value.textOrList(in: bytes)
            case "aud": audiences = try value.textOrList(in: bytes)
            case "sub": subject = try value.text(in: bytes)
            case "nonce": nonce = try value.text(in: bytes)
            case "azp": authorizedParty = try value.text(in: bytes)
            case "now": now = NumericDate(secondsSince1970: try value.seconds(in: bytes))
            case "leeway": leeway = try value.duration(in: bytes)
            case "require": required = try value.list(in: bytes)
            case "max_age": maximumAge = try value.duration(in: bytes)
            case "max_auth_age": maximumAuthenticationAge = try value.duration(in: bytes)
            case "acr": levels = try value.textOrList(in: bytes)
            case "trusted_aud": trustedAudiences = try value.textOrList(in: bytes)
            case "claim":
                for (name, value) in try value.members(in: bytes) {
                    values[ClaimName(name)] = try value.textOrList(in: bytes)
                }
            case "typ": type = try value.text(in: bytes)
            case "cty": contentType = try value.text(in: bytes)
            case "secret": secret = try value.secret(in: bytes)
            case "access_token": accessToken = try value.text(in: bytes)
            case "code": code = try value.text(in: bytes)
            case let name:
                guard let limit = Self.limits.first(where: { $0.name == name }) else {
                    unknown.tell(name)
                    continue
                }
                limit.set(&limits, try value.count(in: bytes))
            }
        }
    }
}

extension CheckOptions {
    /// Returns the keys of the request, with the secret that is text among the options.
    func keys(beside set: KeySet) -> KeySet {
        guard let secret else { return set }
        return KeySet(set.keys + [.symmetricKey(secret)], unusable: set.unusable)
    }

    /// The signature policy of the request. Names of algorithms that are not built are left out.
    var signaturePolicy: SignaturePolicy {
        var policy = SignaturePolicy(
            algorithms: algorithms?.compactMap(SignatureAlgorithm.init(name:)) ?? SignatureAlgorithm.all)
        if let type { policy.type = .exactly(type) }
        policy.understoodCritical = critical
        policy.limits = limits
        return policy
    }

    /// The encryption policy of the request. It allows RSA1_5 if the request names it, and compression (`zip`) up to
    /// `max_plaintext_bytes`.
    func encryptionPolicy(isOuter: Bool) -> EncryptionPolicy {
        var policy = EncryptionPolicy(
            keyManagement: keyManagement?.compactMap(KeyManagementAlgorithm.init(registeredName:))
                ?? KeyManagementAlgorithm.recommended,
            contentEncryption: contentEncryption?.compactMap(ContentEncryption.init(name:)) ?? ContentEncryption.all)
        if !isOuter, let type { policy.type = .exactly(type) }
        if isOuter, let contentType { policy.contentType = .required(contentType) }
        policy.understoodCritical = critical
        policy.allowsCompression = true
        policy.limits = limits
        return policy
    }

    var claimPolicy: ClaimPolicy {
        var policy = ClaimPolicy(
            issuer: issuers.map { .oneOf($0) } ?? .anyIssuerUnchecked,
            audience: audiences.map { .oneOf($0) } ?? .anyAudienceUnchecked)
        if let now { policy.clock = .fixed(now) }
        policy.leeway = leeway
        policy.requiresExpiration = false
        policy.trustedAudiences = trustedAudiences
        policy.acceptedValues = values
        policy.required = required.map { ClaimName($0) }
        policy.subject = subject
        policy.nonce = nonce
        policy.authorizedParty = authorizedParty
        policy.maximumAge = maximumAge
        policy.maximumAuthenticationAge = maximumAuthenticationAge
        policy.acceptedACR = levels
        policy.accessToken = accessToken
        policy.code = code
        return policy
    }
}

/// One function for each type that a member of a request may have.
extension JSONValue {
    fileprivate func text(in bytes: Span<UInt8>) throws(CheckFailure) -> String {
        guard let text = string(in: bytes) else { throw .malformed }
        return text
    }

    fileprivate func list(in bytes: Span<UInt8>) throws(CheckFailure) -> [String] {
        guard let values = array(in: bytes) else { throw .malformed }
        return try values.map { (value) throws(CheckFailure) in try value.text(in: bytes) }
    }

    fileprivate func textOrList(in bytes: Span<UInt8>) throws(CheckFailure) -> [String] {
        kind == .string ? [try text(in: bytes)] : try list(in: bytes)
    }

    /// Returns the members of an object, whose names differ because the request is strict JSON.
    fileprivate func members(in bytes: Span<UInt8>) throws(CheckFailure) -> [(name: String, value: JSONValue)] {
        guard let members = object(in: bytes) else { throw .malformed }
        return members.map { ($0.name(in: bytes), $0.value) }
    }

    /// Returns the secret that a text stands for: its UTF-8 bytes.
    fileprivate func secret(in bytes: Span<UInt8>) throws(CheckFailure) -> SecretKey {
        guard var text = stringBytes(in: bytes) else { throw .malformed }
        defer { wipe(&text) }
        do throws(JOSEError) { return try SecretKey(bytes: text.span) } catch { throw .key(error) }
    }

    fileprivate func seconds(in bytes: Span<UInt8>) throws(CheckFailure) -> Double {
        guard let number = number(in: bytes) else { throw .malformed }
        return number
    }

    /// Returns the duration that a number of seconds stands for. The conversion would round a tiny negative number to
    /// zero and limit a huge one, so both are rejected before.
    fileprivate func duration(in bytes: Span<UInt8>) throws(CheckFailure) -> Duration {
        let seconds = try seconds(in: bytes)
        guard (0...0x1p53).contains(seconds) else { throw .malformed }
        return Duration(saturatingSeconds: seconds)
    }

    fileprivate func count(in bytes: Span<UInt8>) throws(CheckFailure) -> Int {
        guard let number = integer(in: bytes), number >= 0, number <= Int64(Int32.max) else { throw .malformed }
        return Int(number)
    }

    /// Returns the index of the text in `words`.
    fileprivate func one(of words: [String], in bytes: Span<UInt8>) throws(CheckFailure) -> Int {
        let text = try text(in: bytes)
        guard let index = words.firstIndex(of: text) else { throw .malformed }
        return index
    }
}
