public import JOSE

/// A token that must be refused, derived from one that is accepted, with one fault.
public struct HostileToken: Sendable, CustomStringConvertible {
    /// What is wrong with it.
    public let name: String
    /// The row of the threat table in SECURITY.md, such as `T01`.
    public let threat: String
    /// The compact serialization.
    public let text: String
    /// How the issuer's own verifier refuses it.
    public let refusal: Refusal

    public var description: String { "\(threat): \(name)" }
}

extension TestIssuer {
    /// The catalogue: every attack that can be made against tokens of this issuer's form. Each has one fault; a system under
    /// test that accepts any of them is wrong.
    public func hostileTokens() throws(JOSEError) -> [HostileToken] {
        var catalogue = HostileCatalogue(self)
        if form != .encrypted {
            try catalogue.addAlgorithms()
            try catalogue.addHeaders()
            try catalogue.addSignatures()
            try catalogue.addShapes()
        }
        if form != .signed { try catalogue.addEncryption() }
        if form == .nested { try catalogue.addInnerTokens() }
        try catalogue.addClaims()
        try catalogue.addJSON()
        return catalogue.tokens
    }
}

struct HostileCatalogue {
    let issuer: TestIssuer
    private(set) var tokens: [HostileToken] = []

    init(_ issuer: TestIssuer) { self.issuer = issuer }

    mutating func add(_ threat: String, _ name: String, _ text: String, _ refusal: Refusal) {
        tokens.append(HostileToken(name: name, threat: threat, text: text, refusal: refusal))
    }

    /// What stands in the place of the signature layer, wrapped as the form wants it.
    mutating func addInner(_ threat: String, _ name: String, _ jws: String, _ refusal: Refusal) throws(JOSEError) {
        add(threat, name, try issuer.outer(jws), refusal)
    }

    /// A header of the signature layer, truly signed.
    mutating func addHeader(_ threat: String, _ name: String, _ header: String, _ refusal: Refusal) throws(JOSEError) {
        add(threat, name, try issuer.forged(signatureHeader: header), refusal)
    }

    /// Claims behind layers that hold.
    mutating func addClaims(_ threat: String, _ name: String, _ claims: String, _ refusal: Refusal) throws(JOSEError) {
        add(threat, name, try issuer.forged(claims: claims), refusal)
    }

    /// A good token of the signature layer, in its three parts.
    func goodParts() throws(JOSEError) -> (input: String, signature: [UInt8]) {
        let input = Forge.input(header: issuer.signatureHeader(), payload: issuer.claims())
        return (input, try Forge.signature(of: Array(input.utf8), with: issuer.signingKey, issuer.signature))
    }
}
