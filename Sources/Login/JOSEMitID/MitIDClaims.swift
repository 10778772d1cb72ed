internal import JOSECrypto
internal import JOSERelyingParty
internal import JOSESupport
internal import JOSETokens

/// Readers of those claims of the broker that have more than one form.
enum MitIDClaims {
    /// Returns the values of `amr`, which is a string or an array of strings, without the prefix of the provider.
    ///
    /// - Parameters:
    ///   - claims: The claims of a token.
    ///   - provider: The provider that answered; nil if it is not known.
    static func authenticators(
        _ claims: Claims, of provider: MitIDProvider?
    ) throws(RelyingPartyError.Reason) -> [MitIDAuthenticator] {
        guard claims.hasValue("amr") else { return [] }
        guard let names = claims.strings("amr") else { throw .claimType("amr") }
        let prefix = provider?.rules.authenticatorPrefix ?? ""
        return names.map { name in
            let suffix = name.utf8.starts(with: prefix.utf8) ? name.utf8.dropFirst(prefix.utf8.count) : name.utf8[...]
            return MitIDAuthenticator(String(decoding: suffix, as: UTF8.self))
        }
    }

    /// Returns the provider that answered (`idp`); nil if the claim is absent or names none of the table.
    static func provider(_ claims: Claims) -> MitIDProvider? {
        claims.string("idp").flatMap { MitIDProvider(word: $0) }
    }

    /// Returns the truth value of a text, as the broker writes it; nil for any other text.
    static func bool(_ text: String) -> Bool? {
        if bytesEqual(text, "true") { return true }
        return bytesEqual(text, "false") ? false : nil
    }

    /// Returns a claim that is a Boolean or the text of one; nil if it is absent.
    static func bool(_ name: ClaimName, _ claims: Claims) throws(RelyingPartyError.Reason) -> Bool? {
        guard claims.hasValue(name.description) else { return nil }
        if let value = claims.bool(name.description) { return value }
        guard let value = claims.string(name.description).flatMap({ bool($0) }) else { throw .claimType(name) }
        return value
    }

    /// Returns the values of `transaction_actions`, which is a string or an array of strings.
    static func actions(_ claims: Claims) throws(RelyingPartyError.Reason) -> [String] {
        guard claims.hasValue("transaction_actions") else { return [] }
        guard let actions = claims.strings("transaction_actions") else {
            throw .claimType("transaction_actions")
        }
        return actions
    }

    /// Returns a time in seconds since 1970, which is a number or a string of digits; nil if it is absent.
    static func seconds(_ name: ClaimName, _ claims: Claims) throws(RelyingPartyError.Reason) -> Double? {
        guard claims.hasValue(name.description) else { return nil }
        if let number = claims.number(name.description), (0...0x1p53).contains(number) { return number }
        guard let text = claims.string(name.description), let number = digits(text) else {
            throw .claimType(name)
        }
        return Double(number)
    }

    /// Checks that a level is at least the requested one. A text that is not a level of the framework, and an absent
    /// claim, are below every level (threat R20).
    ///
    /// - Parameter wanted: The requested level, as `idp_params` spells it; nil if none was requested.
    static func require(_ wanted: String?, _ name: ClaimName, _ claims: Claims) throws(RelyingPartyError.Reason) {
        guard let wanted = wanted.flatMap({ NSISLevel(parameter: $0) }) else { return }
        guard let level = claims.string(name.description).flatMap({ NSISLevel(uri: $0) }), level >= wanted else {
            throw .acrTooLow
        }
    }

    /// Returns the SHA-256 digest, in base64, of a text itself, not of its base64.
    static func textHash(of text: [UInt8]) throws(RelyingPartyError.Reason) -> String {
        do throws(CryptoError) {
            let hash = try Hash.sha256.digest(text.span)
            return Base64.encode(hash.span)
        } catch {
            throw .internalFault
        }
    }
}
