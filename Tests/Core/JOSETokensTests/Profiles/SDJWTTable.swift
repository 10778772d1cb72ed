import JOSE
import JOSETokens
import TestSupport

/// An issuer, a holder, and a verifier of SD-JWTs.
struct SDJWTTable {
    static let claims: ClaimsBuilder = [
        "iss": "https://id.example", "exp": 1_700_000_600, "sub": "u", "name": "Ann",
        "address": ["street": "Main \"1\"", "city": "Any"], "tongues": ["en", "nl", "de"],
        "proofs": [["kind": "passport", "number": 7], ["kind": "bill", "number": 8.5]],
    ]
    let fixture: ProfileFixture
    let holder: PrivateKey
    let verifier: SDJWTVerifier

    init(_ change: (inout ClaimPolicy) -> Void = { _ in }) throws {
        fixture = try ProfileFixture()
        holder = try PrivateKey.generate(.ed25519, keyID: "h")
        var signature = SignaturePolicy(algorithms: [.es256])
        signature.type = .exactly("example+sd-jwt")
        var claims = ClaimPolicy(issuer: .exactly(ProfileFixture.issuer), audience: .anyAudienceUnchecked)
        claims.clock = .fixed(ProfileFixture.now)
        change(&claims)
        verifier = try SDJWTVerifier(signature, claims: claims, verificationKeys: fixture.keys)
    }

    func issue(
        _ hidden: [ClaimPath], decoys: Int = 0, hash: HashAlgorithm = .sha256, bound: Bool = false
    ) throws -> SDJWT {
        try SDJWTIssuer(key: fixture.key, algorithm: .es256, type: "example+sd-jwt", hash: hash, decoys: decoys)
            .issue(Self.claims, hiding: hidden, holder: bound ? holder.publicKey : nil)
    }

    /// A token of any payload and disclosures, the payload's `#0`, `#1` standing for their digests.
    func verify(_ payload: String, _ disclosures: [String]) throws -> JSON {
        let texts = disclosures.map { base64URL(Array($0.utf8)) }
        return try verify(payload, texts: texts)
    }

    func verify(_ payload: String, texts: [String]) throws -> JSON {
        var payload =
            #"{"iss":"https://id.example","exp":1700000600"# + (payload.isEmpty ? "" : ",") + payload + "}"
        for (index, text) in texts.enumerated() {
            payload = payload.replacing("#\(index)", with: try Self.digest(text))
        }
        let jwt = try fixture.sign(payload, type: "example+sd-jwt")
        return try JSON(verifier.verify(jwt + "~" + texts.map { $0 + "~" }.joined()).claims.payload)
    }

    /// Another's SHA-256: of the thumbprint would be ours, so that of `ath` in a proof is taken.
    static func digest(_ text: String) throws -> String {
        let prover = try DPoPProver(key: PrivateKey.generate(.p256), algorithm: .es256, clock: .fixed(0))
        let proof = try prover.proof(method: "GET", url: "https://x.example", accessToken: text)
        return try JSON(part(1, of: proof))["ath"]?.string ?? ""
    }
}
