public import JOSE
internal import JOSEBytes

/// Makes DPoP proofs with a client's key (RFC 9449, 4.2). Made once, shared freely.
public struct DPoPProver: Sendable {
    private let signer: JWSSigner
    /// What tokens that are to be used with this key are bound to.
    public let key: PublicKey
    /// Where `iat` comes from.
    public let clock: TokenClock

    /// The key's public half, without its name and bindings, goes into each proof.
    public init(key: PrivateKey, algorithm: SignatureAlgorithm, clock: TokenClock = .system) throws(TokenError) {
        var key = key
        key.keyID = nil
        self.key = key.publicKey.bare
        self.clock = clock
        var header = HeaderParameters(type: "dpop+jwt")
        header.set("jwk", json: self.key.jwkBytes)
        do throws(JOSEError) {
            signer = try JWSSigner(key: key, algorithm: algorithm, header: header)
        } catch {
            throw .jose(error, layer: .signature)
        }
    }

    /// A proof for one request. `url` may have a query, which is left out of it. `accessToken` where the request brings
    /// one, `nonce` where the server last gave one (RFC 9449, 8).
    public func proof(
        method: String, url: String, accessToken: String? = nil, nonce: String? = nil
    ) throws(TokenError) -> String {
        guard !method.isEmpty else { throw .claim(.invalid("htm")) }
        guard let uri = RequestURI(url) else { throw .claim(.invalid("htu")) }
        let now = clock.now
        guard abs(now) <= NumericDate.bound else { throw .policyInvalid(.time) }
        do throws(JOSEError) {
            let identifier = try freshIdentifier()
            var claims: ClaimsBuilder = [
                "jti": .string(identifier), "htm": .string(method), "htu": .string(uri.text),
                "iat": .integer(Int64(now.rounded(.down))),
            ]
            if let accessToken { claims["ath"] = .base64URL(try sha256(accessToken.utf8.span)) }
            if let nonce { claims["nonce"] = .string(nonce) }
            return try signer.sign(claims.json())
        } catch {
            throw .jose(error, layer: .signature)
        }
    }
}
