internal import JOSE
internal import JOSESupport

/// The header and the claims of DPoP proofs (RFC 9449, 4.2), for provers with keys inside and outside the process.
enum UnsignedDPoPProof {
    /// Returns the header parameters of every proof under a key.
    ///
    /// - Parameter key: The public key, without `kid` and other optional parameters.
    static func header(_ key: PublicKey) -> HeaderParameters {
        var header = HeaderParameters(type: TokenKind.dpopProof.rawValue)
        header.set("jwk", json: key.jwkBytes)
        return header
    }

    /// Returns the JSON text of the claims of the proof for one request.
    static func claims(
        method: String, url: String, accessToken: String?, nonce: String?, clock: WallClock
    ) throws(TokenError) -> [UInt8] {
        // Each method is a token (RFC 9110, 9.1).
        guard method.isHTTPToken else { throw .claim(.invalid("htm")) }
        guard let uri = RequestURI(url) else { throw .claim(.invalid("htu")) }
        let now = try clock.checkedNow().secondsSince1970
        let identifier = try inLayer(.signature, freshIdentifier())
        var claims: ClaimsBuilder = [
            "jti": .string(identifier), "htm": .string(method), "htu": .string(uri.text),
            "iat": .integer(Int64(now.rounded(.down))),
        ]
        if let accessToken { claims["ath"] = .base64URL(try inLayer(.signature, sha256(accessToken.utf8.span))) }
        if let nonce { claims["nonce"] = .string(nonce) }
        return claims.json()
    }
}
