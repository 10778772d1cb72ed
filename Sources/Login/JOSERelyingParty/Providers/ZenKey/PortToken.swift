internal import JOSEBytes
internal import JOSECrypto

/// What a carrier vouches for: who its user was there, before the number was taken to another carrier.
struct PortToken: Sendable {
    /// The largest accepted age by `iat`: 180 days.
    static let lifetime = Duration.seconds(180 * 86_400)
    /// Of one token.
    static let byteLimit = 8_192

    /// What the account is found by.
    let old: AccountReference
    /// SHA-256 of the token's signing input, by which a used one is known: the last letters of a signature's base64url are no part of
    /// who it is.
    let hash: [UInt8]
    /// The time for which the token would still be accepted.
    let remaining: Duration
}

extension PortToken {
    /// Which `typ` a port token may have: `port_token+jwt`, `JWT` or none. The guide has none.
    static func accepts(type: String?) -> Bool {
        guard let type = type?.lowercased() else { return true }
        let short = type.hasPrefix("application/") ? String(type.dropFirst(12)) : type
        return short == "port_token+jwt" || short == "jwt"
    }

    static func hash(_ token: String) throws(RelyingPartyError) -> [UInt8] {
        let end = token.utf8.lastIndex(of: UInt8(ascii: ".")) ?? token.utf8.endIndex
        let input = Array(token.utf8[..<end])
        do throws(CryptoError) { return try Hash.sha256.digest(input.span) } catch {
            throw RelyingPartyError(.storeUnavailable, in: .portToken)
        }
    }
}
