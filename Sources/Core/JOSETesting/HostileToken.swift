internal import JOSE
public import JOSETokens

/// A token that must be rejected: a valid token into which one fault was introduced.
public struct HostileToken: Sendable, CustomStringConvertible {
    /// A description of the fault.
    public let name: String
    /// The row of the threat table in `Tests/Security/THREATS.md` that the token tests, such as `T01`.
    public let threat: String
    /// The compact serialization.
    public let text: String
    /// The reason with which the issuer's own verifier rejects the token.
    package let refusal: Refusal

    /// Returns whether an error has the reason for which a verifier with the issuer's settings rejects the token. If several
    /// claims failed, the first determines the reason.
    ///
    /// - Parameter error: The error of the verifier under test.
    public func isRejected(rightlyBy error: TokenError) -> Bool { Refusal(error) == refusal }

    /// A description with the threat and the fault.
    public var description: String { "\(threat): \(name)" }
}

extension TestIssuer {
    /// Returns a catalogue of tokens that attack verifiers of this issuer's tokens. Each token has one fault. A system
    /// under test that accepts one of them has a vulnerability. If the policy is the caller's, it may reject a token
    /// for another reason, which is then the token's, and tokens that its settings accept are left out, such as one of
    /// any issuer under `anyIssuerUnchecked`. A profile's replay store is not used.
    ///
    /// - Throws: The error with which the policy rejects a token without a fault, such as `claim(.missing)` for a claim
    ///   that the issuer was not given: each token would be rejected for that reason. `jose` errors if a token cannot
    ///   be made.
    public func hostileTokens() throws(TokenError) -> [HostileToken] {
        let (tokens, faultless): ([HostileToken], String)
        do throws(JOSEError) {
            (tokens, faultless) = (try catalogue(), try forged())
        } catch {
            throw .jose(error, layer: form == .encrypted ? .encryption : .signature)
        }
        guard hasOwnPolicy else { return tokens }
        let verifier = try unmarkedVerifier()
        _ = try verifier.verify(faultless)
        return tokens.compactMap { token in
            do throws(TokenError) {
                _ = try verifier.verify(token.text)
                // A token that no setting accepts stays in the catalogue, whatever this library makes of it.
                return token.refusal.dependsOnSettings ? nil : token
            } catch {
                return HostileToken(
                    name: token.name, threat: token.threat, text: token.text, refusal: Refusal(error))
            }
        }
    }

    private func catalogue() throws(JOSEError) -> [HostileToken] {
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

extension Refusal {
    /// Whether a policy may accept what is rejected for this reason by default.
    fileprivate var dependsOnSettings: Bool {
        switch self {
        case .headerInvalid, .typeMismatch, .criticalUnsupported, .tooLarge, .tooExpensive, .expired, .notYetValid,
            .issuedInFuture, .claimMissing, .claimInvalid, .issuerMismatch, .audienceMismatch:
            true
        default: false
        }
    }
}

/// The catalogue of hostile tokens of one issuer.
struct HostileCatalogue {
    let issuer: TestIssuer
    private(set) var tokens: [HostileToken] = []

    init(_ issuer: TestIssuer) { self.issuer = issuer }

    mutating func add(_ threat: String, _ name: String, _ text: String, _ refusal: Refusal) {
        tokens.append(HostileToken(name: name, threat: threat, text: text, refusal: refusal))
    }

    /// Adds a token with the given text in place of the signature layer, encrypted if the form requires it.
    mutating func addInner(_ threat: String, _ name: String, _ jws: String, _ refusal: Refusal) throws(JOSEError) {
        add(threat, name, try issuer.outer(jws), refusal)
    }

    /// Adds a token with the given header of the signature layer and a valid signature.
    mutating func addHeader(_ threat: String, _ name: String, _ header: String, _ refusal: Refusal) throws(JOSEError) {
        add(threat, name, try issuer.forged(signatureHeader: header), refusal)
    }

    /// Adds a token with the given claims and valid layers.
    mutating func addClaims(_ threat: String, _ name: String, _ claims: String, _ refusal: Refusal) throws(JOSEError) {
        add(threat, name, try issuer.forged(claims: claims), refusal)
    }

    /// Returns the signing input and the signature of a valid token.
    func goodParts() throws(JOSEError) -> (input: String, signature: [UInt8]) {
        let input = Forge.input(header: issuer.signatureHeader(), payload: issuer.claims())
        return (input, try Forge.signature(of: Array(input.utf8), with: issuer.signingKey, issuer.signature))
    }
}
