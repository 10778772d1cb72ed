import Foundation
import JOSE
import JOSETokens
import TestSupport
import Testing

@Suite("Tokens with certificates") struct CertifiedTokenTests {
    @Test("a token verifier with trusted roots uses the keys of x5c, and checks their path at its own clock's time")
    func tokens() throws {
        let maker = try CertificateMaker()
        let root = try maker.issue("Root", extensions: CertificateMaker.Extensions.root, days: 3650)
        let leaf = try maker.issue("leaf", by: root, extensions: CertificateMaker.Extensions.leaf, days: 30)
        let chain = try CertificateChain(pem: leaf.pem)
        let start = chain.leaf.notBefore
        let day = Duration.seconds(86_400)
        func policy(_ now: NumericDate) -> TokenPolicy {
            var claims = ClaimPolicy(issuer: "https://i.test", audience: "me")
            claims.clock = .fixed(now)
            claims.requiresExpiration = false
            return .signed(SignaturePolicy(algorithms: [.es256]), claims: claims)
        }
        var header = HeaderParameters()
        header.set(certificates: chain, members: [.x5c, .x5tS256])
        let issuer = try JWSSigner(key: PrivateKey(pem: leaf.keyPEM), algorithm: .es256, header: header)
        let token = try issuer.sign(#"{"iss":"https://i.test","aud":"me"}"#)
        let trust = try CertificateTrust(roots: [Certificate(pem: root.pem)])
        func verify(_ now: NumericDate, _ trust: CertificateTrust?) throws(TokenError) -> VerifiedToken {
            try TokenVerifier(policy(now), trust: trust).verify(token)
        }
        #expect(try verify(start + day, trust).key?.certificates == chain)
        let expired = TokenError.jose(.certificateInvalid(.expired), layer: .signature)
        #expect(throws: expired) { try verify(start + day * 31, trust) }
        #expect(throws: TokenError.jose(.keyNotFound, layer: .signature)) { try verify(start + day, nil) }
        // A time of its own comes before the policy's clock.
        var then = trust
        then.clock = .fixed(start + day)
        _ = try verify(start + day * 31, then)

        let explanation = try TokenVerifier(policy(start + day * 31), trust: trust).explain(token)
        let failed = explanation.lines.first { $0.outcome == .failed }
        #expect(failed?.check == "a key that fits kid, alg, use and size" && failed?.remedy == "renew the certificate")
        #expect(failed?.failure == "the certificate is not trusted: it or a certificate of its path has expired")
    }
}
