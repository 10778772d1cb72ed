internal import JOSECrypto
internal import JOSERelyingParty
internal import JOSESupport
internal import JOSETokens

/// A verified port token, in which a carrier states the subject that its user had before the number moved to another
/// carrier.
struct PortToken: Sendable {
    /// The largest age of a token, by its `iat`: 180 days.
    static let lifetime = Duration.seconds(180 * 86_400)
    /// The largest number of bytes of a token.
    static let byteLimit = 8_192

    /// The reference by which the account is found.
    let old: AccountReference
    /// The SHA-256 digest of the token's signing input, by which a used token is recognized. The signature is not part
    /// of it: the last character of its base64url can differ in unused bits.
    let hash: [UInt8]
    /// The time for which the token would still be accepted.
    let remaining: Duration
}

extension PortToken {
    /// Returns whether a port token may have a `typ`: `port_token+jwt`, `JWT`, or none, as in ZenKey's guide.
    static func accepts(type: String?) -> Bool {
        guard let type = type?.lowercased() else { return true }
        let short = type.hasPrefix("application/") ? String(type.dropFirst(12)) : type
        return short == TokenKind.portToken.rawValue || short == "jwt"
    }

    /// Returns the SHA-256 digest of a token's signing input.
    static func hash(_ token: String) throws(RelyingPartyError) -> [UInt8] {
        let end = token.utf8.lastIndex(of: UInt8(ascii: ".")) ?? token.utf8.endIndex
        let input = Array(token.utf8[..<end])
        do throws(CryptoError) { return try Hash.sha256.digest(input.span) } catch {
            throw RelyingPartyError(.storeUnavailable, in: .portToken)
        }
    }
}
