import JOSE
import JOSETokens
import Testing

@Suite("README samples") struct ReadmeSamples {
    @Test("the error states what failed") func errors() throws {
        let key = try SecretKey.generate(bits: 256)
        let policy = TokenPolicy.signed(
            SignaturePolicy(algorithms: [.hs256]), claims: ClaimPolicy(issuer: "https://a.example", audience: "b"))
        let verifier = try TokenVerifier(policy, verificationKeys: KeySet(key))
        let token = try TokenIssuer(policy, signingKey: .symmetricKey(key)).issue()
        var answer = ""
        // Sample: README, errors
        do throws(TokenError) {
            _ = try verifier.verify(token)
        } catch .claim(.expired) {
            answer = "log in again"
        } catch .jose(.keyNotFound, layer: .signature) {
            answer = "fetch the issuer's keys anew"
        } catch {
            answer = "refused: \(error)"  // safe to log: an error contains nothing of the token
        }
        // Sample: end
        #expect(answer.isEmpty)
    }
}
