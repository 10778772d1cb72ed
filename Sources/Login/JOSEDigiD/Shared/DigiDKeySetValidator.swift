internal import JOSE
internal import JOSERelyingParty
internal import JOSESupport

/// A property of a service's JWK Set that DigiD does not accept.
@nonexhaustive public enum DigiDKeySetFinding: Equatable, Sendable {
    /// The document is larger than 10 240 bytes. The associated value is its size in bytes.
    case tooLarge(Int)
    /// The document is not a JSON object with an array `keys` of objects.
    case malformed
    /// The key at this index, counted from 0, is not an RSA key.
    case notRSA(at: Int)
    /// The key at this index, counted from 0, has no `use`, or its `use` is neither `sig` nor `enc`.
    case noUse(at: Int)
    /// The key at this index, counted from 0, has members of a private or symmetric key.
    case isPrivate(at: Int)
    /// The key at this index, counted from 0, is an encryption key after the first one. DigiD uses the first only.
    case secondEncryptionKey(at: Int)
    /// The set has no encryption key.
    case noEncryptionKey
    /// The set has no signature key.
    case noSignatureKey
}

/// A check of a service's JWK Set against DigiD's requirements.
///
/// DigiD accepts a request if any key of the set verifies its signature, whatever the `kid` is. The service must
/// therefore remove a retired key from the set at once, which this check cannot detect.
public enum DigiDKeySetValidator {
    /// Returns the properties of a JWK Set that DigiD does not accept.
    ///
    /// - Parameter json: The JWK Set in JSON.
    /// - Returns: The findings; empty if DigiD accepts the set.
    public static func check(_ json: [UInt8]) -> [DigiDKeySetFinding] {
        guard json.count <= 10_240 else { return [.tooLarge(json.count)] }
        let span = json.span
        guard let object = try? JSONObject(parsing: span), let keys = object.first("keys", in: span)?.array(in: span)
        else { return [.malformed] }
        var findings: [DigiDKeySetFinding] = []
        var (encrypts, signs) = (0, 0)
        for (index, value) in keys.enumerated() {
            guard let key = value.object(in: span) else { return findings + [.malformed] }
            if key.first("kty", in: span)?.equals("RSA", in: span) != true { findings.append(.notRSA(at: index)) }
            if JWKMembers(members: key).havePrivatePart(in: span) { findings.append(.isPrivate(at: index)) }
            let use = key.first("use", in: span)
            if use?.equals("enc", in: span) == true {
                encrypts += 1
                if encrypts > 1 { findings.append(.secondEncryptionKey(at: index)) }
            } else if use?.equals("sig", in: span) == true {
                signs += 1
            } else {
                findings.append(.noUse(at: index))
            }
        }
        if encrypts == 0 { findings.append(.noEncryptionKey) }
        if signs == 0 { findings.append(.noSignatureKey) }
        return findings
    }
}
