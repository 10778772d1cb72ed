internal import JOSEBytes
internal import JOSECrypto
internal import JOSETokens

/// Readers of those claims of the broker that have more than one form.
enum MitIDClaims {
    /// Returns the values of `amr`, which is a string or an array of strings.
    static func authenticators(_ claims: Claims) throws(RelyingPartyError.Reason) -> [MitIDAuthenticator] {
        guard claims.contains("amr") else { return [] }
        guard let names = claims.strings("amr") else { throw .claimType("amr") }
        return names.map { MitIDAuthenticator($0) }
    }

    /// Returns the values of `transaction_actions`, which is a string or an array of strings.
    static func actions(_ claims: Claims) throws(RelyingPartyError.Reason) -> [String] {
        guard claims.contains("transaction_actions") else { return [] }
        guard let actions = claims.strings("transaction_actions") else {
            throw .claimType("transaction_actions")
        }
        return actions
    }

    /// Returns a time in seconds since 1970, which is a number or a string of digits; nil if it is absent.
    static func seconds(_ name: ClaimName, _ claims: Claims) throws(RelyingPartyError.Reason) -> Double? {
        guard claims.contains(name.description) else { return nil }
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
