import JOSE
import JOSETokens

@testable import JOSERelyingParty

/// The broker's reader of encrypted request objects. With `readsSamples` it also accepts the deviations of the broker's
/// published samples: a JSON string in place of an object, times as strings, `kid: null`, and an encryption algorithm
/// by its XML Encryption URI.
struct MitIDRequestReader: Sendable {
    /// The URI of RSA-OAEP with SHA-1 in XML Encryption.
    static let alias: StaticString = "http://www.w3.org/2001/04/xmlenc#rsa-oaep"

    let clientKeys, ownKeys: KeySet
    let clientID, authority: String
    let clock: WallClock
    let readsSamples: Bool

    /// The rules for the claims of a request object (RFC 9101, 4).
    private static let rules: [ClaimRule] = [
        .issuer(isRequired: true), .audience(isRequired: true, trusted: nil), .expiration(isRequired: true), .notBefore,
        .issuedAt(isRequired: false), .required("client_id"),
    ]

    /// Decrypts a request object, verifies the signed request object within it, and returns its claims.
    func read(_ text: String) throws(RelyingPartyError.Reason) -> Claims {
        var outer = EncryptionPolicy(
            keyManagement: [.rsaOAEP256, .rsaOAEP384, .rsaOAEP512],
            contentEncryption: [.a128cbcHS256, .a256gcm, .a128gcm, .a256cbcHS512])
        if readsSamples {
            outer.keyManagement.append(.rsaOAEP)
            outer.alias = (Self.alias, .rsaOAEP)
        }
        let claims: Claims
        do throws(TokenError) {
            let layers = try LayersVerifier(
                .nested(outer: outer, inner: SignaturePolicy(algorithms: [.rs256])),
                contentType: readsSamples ? .absentOr("JWT") : .exactly("JWT"), verificationKeys: clientKeys,
                decryptionKeys: ownKeys)
            claims = try layers.verify(text.utf8.span).claims
        } catch {
            throw RelyingPartyError.Reason(error, isNested: true)
        }
        if readsSamples { return claims }
        let evaluation = ClaimEvaluation(
            claims, under: ClaimPolicy(issuer: clientID, audience: authority), algorithm: nil,
            now: clock.now.secondsSince1970)
        do throws(ClaimFault) {
            for rule in Self.rules { try evaluation.check(rule) }
        } catch {
            throw RelyingPartyError.Reason(error)
        }
        return claims
    }
}
