internal import JOSEBytes

/// One thing that DigiD would not take of a service's key set.
@nonexhaustive public enum DigiDKeySetFinding: Equatable, Sendable {
    /// More than 10 240 bytes.
    case tooLarge(Int)
    /// Not JSON, or no `keys`.
    case malformed
    /// The key at this place, from 0, is not RSA.
    case notRSA(at: Int)
    /// It has no `use`, or neither `sig` nor `enc`.
    case noUse(at: Int)
    /// It has members of a private key.
    case isPrivate(at: Int)
    /// It is one more to encrypt to: DigiD takes the first.
    case secondEncryptionKey(at: Int)
    /// No key to encrypt to.
    case noEncryptionKey
    /// No key that signs.
    case noSignatureKey
}

/// What DigiD makes of a service's key set. Any key that is listed verifies a request, whatever its `kid`: one that is retired is taken out at
/// once, and no finding can say so.
public enum DigiDKeySetValidator {
    /// Everything that is wrong with the document; none where DigiD takes it.
    public static func check(_ json: [UInt8]) -> [DigiDKeySetFinding] {
        guard json.count <= 10_240 else { return [.tooLarge(json.count)] }
        let span = json.span
        guard let object = try? JSONObject(parsing: span), let keys = object.first("keys", in: span)?.array(in: span)
        else { return [.malformed] }
        var findings: [DigiDKeySetFinding] = []
        var (encrypts, signs) = (0, 0)
        for (place, value) in keys.enumerated() {
            guard let key = value.object(in: span) else { return findings + [.malformed] }
            if key.first("kty", in: span)?.equals("RSA", in: span) != true { findings.append(.notRSA(at: place)) }
            if key.first("d", in: span) != nil || key.first("p", in: span) != nil {
                findings.append(.isPrivate(at: place))
            }
            let use = key.first("use", in: span)
            if use?.equals("enc", in: span) == true {
                encrypts += 1
                if encrypts > 1 { findings.append(.secondEncryptionKey(at: place)) }
            } else if use?.equals("sig", in: span) == true {
                signs += 1
            } else {
                findings.append(.noUse(at: place))
            }
        }
        if encrypts == 0 { findings.append(.noEncryptionKey) }
        if signs == 0 { findings.append(.noSignatureKey) }
        return findings
    }
}
