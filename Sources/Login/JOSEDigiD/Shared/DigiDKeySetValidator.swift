internal import JOSE
public import JOSERelyingParty
internal import JOSESupport

extension KeySetFinding {
    /// Returns the properties of a service's JWK Set that DigiD does not accept.
    ///
    /// DigiD accepts a request if any key of the set verifies its signature, whatever the `kid` is. The service must
    /// therefore remove a retired key from the set at once, which this check cannot detect.
    ///
    /// - Parameter json: The JWK Set in JSON.
    /// - Returns: The findings; empty if DigiD accepts the set.
    public static func findings(forDigiDIn json: [UInt8]) -> [KeySetFinding] {
        digiDProblems(json).map { KeySetFinding($0) }
    }

    private static func digiDProblems(_ json: [UInt8]) -> [Problem] {
        guard json.count <= 10_240 else { return [.tooLarge(json.count, limit: 10_240)] }
        let span = json.span
        guard let object = try? JSONObject(parsing: span), let keys = object.first("keys", in: span)?.array(in: span)
        else { return [.malformed] }
        var findings: [Problem] = []
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
