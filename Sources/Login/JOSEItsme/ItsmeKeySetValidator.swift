internal import JOSE
public import JOSEKeySets
public import JOSERelyingParty
internal import JOSESupport

extension KeySetFinding {
    /// The largest document that itsme reads, in bytes.
    static let itsmeLimit = 512 * 1024

    /// Returns the problems of a service's JWK Set for itsme. The certificate of the URL must be one with organization
    /// validation (OV) or extended validation (EV), which this check cannot detect.
    ///
    /// - Parameters:
    ///   - response: The response that contains the set, with its header fields.
    ///   - url: The URL of the set, as it is registered with itsme.
    ///   - responseTime: The time that the response took; nil if it is not known.
    ///   - needsEncryptionKey: Whether itsme encrypts to the service, as in all profiles with nested tokens.
    ///   - isProduction: Whether the set is that of the production environment. Elsewhere a publicly known key is only
    ///     a warning.
    /// - Returns: The findings; empty if the set has no problem.
    public static func findings(
        forItsmeIn response: TransportResponse, from url: String, responseTime: Duration? = nil,
        needsEncryptionKey: Bool = true, isProduction: Bool = true
    ) -> [KeySetFinding] {
        var findings: [KeySetFinding] = []
        func found(_ problem: Problem, isError: Bool = true) {
            findings.append(KeySetFinding(problem, isError: isError))
        }
        if WebURL(url)?.scheme != .https { found(.notHTTPS) }
        if let responseTime, responseTime > .seconds(1) { found(.slowResponse(responseTime), isError: false) }
        let control = CacheControl(response.headers("Cache-Control"))
        if control.isAlreadyStale || control.maxAge ?? 0 < 1_800 { found(.shortCaching, isError: false) }
        guard response.body.count <= itsmeLimit else {
            found(.tooLarge(response.body.count, limit: itsmeLimit))
            return findings
        }
        guard let keys = publishedKeys(response.body) else {
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
            if key.isPubliclyKnown { found(.publiclyKnownKey(at: index), isError: isProduction) }
            if let keyID = key.keyID, !keyID.isEmpty {
                if !keyIDs.insert(keyID).inserted { found(.repeatedKeyID(at: index)) }
            } else {
                found(.noKeyID(at: index))
            }
        }
        return findings
    }

    private static func publishedKeys(_ json: [UInt8]) -> [PublishedKey]? {
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
