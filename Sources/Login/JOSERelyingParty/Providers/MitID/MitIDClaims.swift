internal import JOSEBytes
internal import JOSECrypto
internal import JOSETokens

/// The broker's claims, which come in more than one form.
enum MitIDClaims {
    /// A text or a list of texts.
    static func authenticators(_ claims: Claims) throws(RelyingPartyError.Reason) -> [MitIDAuthenticator] {
        guard claims.contains("amr") else { return [] }
        guard let names = claims.strings("amr") else { throw .claimType("amr") }
        return names.map { MitIDAuthenticator($0) }
    }

    static func actions(_ claims: Claims) throws(RelyingPartyError.Reason) -> [String] {
        guard claims.contains("transaction_actions") else { return [] }
        guard let actions = claims.strings("transaction_actions") else {
            throw .claimType("transaction_actions")
        }
        return actions
    }

    /// A number, or a text of digits; nil where it is absent.
    static func seconds(_ name: ClaimName, _ claims: Claims) throws(RelyingPartyError.Reason) -> Double? {
        guard claims.contains(name.description) else { return nil }
        if let number = claims.number(name.description), (0...0x1p53).contains(number) { return number }
        guard let text = claims.string(name.description), let number = digits(text) else {
            throw .claimType(name)
        }
        return Double(number)
    }

    /// A level, by the broker's word for it in a request, against what was asked for: what is no level of the framework is below every level,
    /// and so is none at all (threat R20).
    static func require(_ wanted: String?, _ name: ClaimName, _ claims: Claims) throws(RelyingPartyError.Reason) {
        guard let wanted = wanted.flatMap({ NSISLevel(parameter: $0) }) else { return }
        guard let level = claims.string(name.description).flatMap({ NSISLevel(uri: $0) }), level >= wanted else {
            throw .acrTooLow
        }
    }

    /// Of the text itself, and not of its base64.
    static func textHash(of text: [UInt8]) throws(RelyingPartyError.Reason) -> String {
        do throws(CryptoError) {
            let hash = try Hash.sha256.digest(text.span)
            return Base64.encode(hash.span)
        } catch {
            throw .internalFault
        }
    }
}
