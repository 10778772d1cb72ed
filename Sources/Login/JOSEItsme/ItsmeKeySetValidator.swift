internal import JOSE
public import JOSEKeySets
internal import JOSERelyingParty
internal import JOSESupport

/// A property of a service's JWK Set that itsme does not accept, or that makes logins slow or unsafe.
public struct ItsmeKeySetFinding: Equatable, Sendable {
    /// A property of a JWK Set or of the response that contains it.
    @nonexhaustive public enum Problem: Equatable, Sendable {
        /// The URL of the set is not https.
        case notHTTPS
        /// The document is larger than 512 KiB. The associated value is its size in bytes.
        case tooLarge(Int)
        /// The document is not a JSON object with an array `keys` of objects.
        case malformed
        /// The set has no RSA key whose `use` is `sig`.
        case noSignatureKey
        /// The set has no RSA key whose `use` is `enc`, to which itsme could encrypt.
        case noEncryptionKey
        /// The key at this index, counted from 0, has members of a private or symmetric key.
        case isPrivate(at: Int)
        /// The key at this index, counted from 0, is an RSA key of fewer than 2048 bits.
        case weakKey(at: Int)
        /// The key at this index, counted from 0, has no `kid`.
        case noKeyID(at: Int)
        /// The key at this index, counted from 0, has the `kid` of an earlier key.
        case repeatedKeyID(at: Int)
        /// The `alg` of the RSA key at this index, counted from 0, does not match its `use`.
        case algorithmMismatch(at: Int)
        /// The private half of the key at this index, counted from 0, is publicly known, as that of itsme's default
        /// keys is.
        case publiclyKnownKey(at: Int)
        /// The response took longer than a second.
        case slowResponse(Duration)
        /// `Cache-Control` allows itsme to cache the set for less than 30 minutes, or does not say for how long.
        case shortCaching
    }
    /// The consequence of a problem.
    public enum Severity: Equatable, Sendable {
        /// Logins fail or are not safe.
        case error
        /// Logins succeed, but may be slow or fail at times.
        case warning
    }
    /// The property that was found.
    public let problem: Problem
    /// The consequence of the problem.
    public let severity: Severity
}

/// A check of a service's JWK Set against itsme's requirements. The certificate of the URL must be one with
/// organization validation (OV) or extended validation (EV), which this check cannot detect.
public enum ItsmeKeySetValidator {
    /// The largest document that itsme reads, in bytes.
    static let limit = 512 * 1024

    /// Returns the problems of a JWK Set.
    ///
    /// - Parameters:
    ///   - response: The response that contains the set, with its header fields.
    ///   - url: The URL of the set, as it is registered with itsme.
    ///   - responseTime: The time that the response took; nil if it is not known.
    ///   - needsEncryptionKey: Whether itsme encrypts to the service, as in all profiles with nested tokens.
    ///   - isProduction: Whether the set is that of the production environment. Elsewhere a publicly known key is only
    ///     a warning.
    /// - Returns: The findings; empty if the set has no problem.
    public static func check(
        _ response: TransportResponse, from url: String, responseTime: Duration? = nil, needsEncryptionKey: Bool = true,
        isProduction: Bool = true
    ) -> [ItsmeKeySetFinding] {
        var findings: [ItsmeKeySetFinding] = []
        func found(_ problem: ItsmeKeySetFinding.Problem, _ severity: ItsmeKeySetFinding.Severity = .error) {
            findings.append(ItsmeKeySetFinding(problem: problem, severity: severity))
        }
        if WebURL(url)?.scheme != .https { found(.notHTTPS) }
        if let responseTime, responseTime > .seconds(1) { found(.slowResponse(responseTime), .warning) }
        let control = CacheControl(response.headers("Cache-Control"))
        if control.isAlreadyStale || control.maxAge ?? 0 < 1_800 { found(.shortCaching, .warning) }
        guard response.body.count <= limit else {
            found(.tooLarge(response.body.count))
            return findings
        }
        guard let keys = keys(response.body) else {
            found(.malformed)
            return findings
        }
        if !keys.contains(where: { $0.isRSA && $0.use == "sig" }) { found(.noSignatureKey) }
        if needsEncryptionKey, !keys.contains(where: { $0.isRSA && $0.use == "enc" }) { found(.noEncryptionKey) }
        var keyIDs: Set<[UInt8]> = []
        for (index, key) in keys.enumerated() {
            if key.isPrivate { found(.isPrivate(at: index)) }
            if key.isRSA, key.modulusBits < 2_048 { found(.weakKey(at: index)) }
            if !key.algorithmMatchesUse { found(.algorithmMismatch(at: index)) }
            if key.isPubliclyKnown { found(.publiclyKnownKey(at: index), isProduction ? .error : .warning) }
            if let keyID = key.keyID, !keyID.isEmpty {
                if !keyIDs.insert(keyID).inserted { found(.repeatedKeyID(at: index)) }
            } else {
                found(.noKeyID(at: index))
            }
        }
        return findings
    }

    private static func keys(_ json: [UInt8]) -> [PublishedKey]? {
        guard let object = try? JSONObject(parsing: json.span),
            let values = object.first("keys", in: json.span)?.array(in: json.span)
        else { return nil }
        var keys: [PublishedKey] = []
        for value in values {
            guard let members = value.object(in: json.span) else { return nil }
            keys.append(PublishedKey(members, in: json))
        }
        return keys
    }
}

/// The properties of a published JWK that itsme has requirements for.
private struct PublishedKey {
    let isRSA, isPrivate: Bool
    let use, algorithm: String?
    let keyID: [UInt8]?
    /// The size of the modulus; 0 if it is absent or malformed.
    let modulusBits: Int
    /// The members of the public half alone, so that a key with those of the private half is compared too.
    private let publicHalf: String

    init(_ members: [JSONMember], in bytes: [UInt8]) {
        func value(_ name: StaticString) -> JSONValue? { members.first(name, in: bytes.span) }
        isRSA = value("kty")?.equals("RSA", in: bytes.span) == true
        isPrivate = JWKMembers(members: members).havePrivatePart(in: bytes.span)
        use = value("use")?.string(in: bytes.span)
        algorithm = value("alg")?.string(in: bytes.span)
        keyID = value("kid")?.stringBytes(in: bytes.span)
        let modulus = value("n")?.stringBytes(in: bytes.span).flatMap { Base64URL.decode($0.span) } ?? []
        let significant = modulus.drop { $0 == 0 }
        modulusBits = significant.first.map { significant.count * 8 - $0.leadingZeroBitCount } ?? 0
        let names: [StaticString] = ["kty", "crv", "n", "e", "x", "y"]
        let half = names.compactMap { name in
            value(name).map { "\"\(name)\":" + String(decoding: $0.slice(in: bytes.span), as: UTF8.self) }
        }
        publicHalf = "{" + half.joined(separator: ",") + "}"
    }

    /// Whether `alg` is absent or an algorithm of the `use`. The names of the encryption algorithms with RSA keys begin
    /// with `RSA`.
    var algorithmMatchesUse: Bool {
        guard isRSA, let use, let algorithm else { return true }
        return algorithm.utf8.starts(with: "RSA".utf8) == (use == "enc")
    }

    var isPubliclyKnown: Bool {
        guard let key = try? PublicKey(jwk: publicHalf) else { return false }
        return (try? CompromisedKeys.all.contains(.publicKey(key))) ?? false
    }
}
