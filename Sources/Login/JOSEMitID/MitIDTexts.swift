internal import JOSERelyingParty
internal import JOSESupport
internal import JOSETokens

/// A reader of claims that are strings, whatever they stand for.
struct MitIDTexts {
    /// The claims in the order in which they are searched.
    let sources: [Claims]

    init(_ sources: Claims...) { self.sources = sources }
    init(sources: [Claims]) { self.sources = sources }

    /// Returns whether a claim is present and not null.
    func contains(_ name: ClaimName) -> Bool { source(of: name) != nil }

    /// Returns the first claims that contain the name with a value that is not null.
    func source(of name: ClaimName) -> Claims? { sources.first { $0.hasValue(name.description) } }

    func text(_ name: ClaimName) throws(RelyingPartyError.Reason) -> String? {
        guard let claims = source(of: name) else { return nil }
        guard let text = claims.string(name.description), !text.isEmpty else { throw .claimType(name) }
        return text
    }

    /// Returns a text; nil if it is absent, null or empty.
    func optional(_ name: ClaimName) throws(RelyingPartyError.Reason) -> String? {
        guard let claims = source(of: name) else { return nil }
        guard let text = claims.string(name.description) else { throw .claimType(name) }
        return text.isEmpty ? nil : text
    }

    /// Returns the truth value of a text; nil if it is absent, null or empty.
    func optionalBool(_ name: ClaimName) throws(RelyingPartyError.Reason) -> Bool? {
        guard let text = try optional(name) else { return nil }
        guard let value = MitIDClaims.bool(text) else { throw .claimType(name) }
        return value
    }

    /// Returns a text or a list of texts; nil if it is absent or null.
    func list(_ name: ClaimName) throws(RelyingPartyError.Reason) -> [String]? {
        guard let claims = source(of: name) else { return nil }
        guard let texts = claims.strings(name.description) else { throw .claimType(name) }
        return texts
    }

    func bool(_ name: ClaimName) throws(RelyingPartyError.Reason) -> Bool? {
        guard let text = try text(name) else { return nil }
        guard let value = MitIDClaims.bool(text) else { throw .claimType(name) }
        return value
    }

    func integer(_ name: ClaimName) throws(RelyingPartyError.Reason) -> Int64? {
        guard let text = try text(name) else { return nil }
        guard let number = digits(text) else { throw .claimType(name) }
        return number
    }

    func cpr(_ name: ClaimName) throws(RelyingPartyError.Reason) -> CPRNumber? {
        guard let text = try text(name) else { return nil }
        guard let number = CPRNumber(text) else { throw .claimType(name) }
        return number
    }

    func date(_ name: ClaimName) throws(RelyingPartyError.Reason) -> String? {
        guard let text = try text(name) else { return nil }
        let bytes = Array(text.utf8)
        let isDate =
            bytes.count == 10
            && bytes.indices.allSatisfy {
                $0 == 4 || $0 == 7 ? bytes[$0] == UInt8(ascii: "-") : (0x30...0x39).contains(bytes[$0])
            }
        guard isDate else { throw .claimType(name) }
        return text
    }
}
