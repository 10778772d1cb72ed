internal import CRaw
internal import JOSE
internal import JOSETokens

extension SignatureAlgorithm {
    /// The size of the curve or the hash in bits, from the algorithm's name.
    fileprivate var bits: Int { Int(name.dropFirst(2).prefix(3)) ?? 256 }

    fileprivate func speed(signing: Bool, bytes: Int) -> SpeedTest? {
        switch name.prefix(2) {
        case "HS": .hmac("sha\(bits)", bytes: bytes)
        case "RS" where bits == 256: signing ? .rsa2048Sign : .rsa2048Verify
        case "ES" where name != "ES256K":
            signing ? .ecdsaSign(bits: bits == 512 ? 521 : bits) : .ecdsaVerify(bits: bits == 512 ? 521 : bits)
        case "Ed" where name != "Ed448": signing ? .ed25519Sign : .ed25519Verify
        default: nil
        }
    }

    /// Returns the goal for an RSA signature: the given one with AVX-512 IFMA, for processors that begin two such
    /// operations of 512 bits in a cycle (Zen 4 begins one), and what libcrypto's own arithmetic permits otherwise.
    fileprivate func rsaGoal(_ vectorized: Double) -> Double {
        verificationImplementation == .vectorized ? vectorized : 1.05
    }

    fileprivate var verifyGoals: [Goal] {
        switch name {
        case "RS256": [.ratio(rsaGoal(2.5)), .allocations(6)]
        case "PS256": [.ratio(rsaGoal(2.4)), .allocations(6)]
        case "ES256", "EdDSA", "Ed25519": [.ratio(0.95), .allocations(6)]
        case "HS256": [.perSecond(600_000), .allocations(6)]
        default: [.allocations(6)]
        }
    }
}

/// A signed token, and both ways to verify it.
struct SignedCase {
    let token: [UInt8]
    let verifier: TokenVerifier
    let parts: TokenParts
    let algorithm: SignatureAlgorithm
    let fixture: SigningFixture

    init(
        _ fixtures: Fixtures, _ algorithm: SignatureAlgorithm, claims: [UInt8]? = nil, type: String? = "JWT"
    ) throws {
        try self.init(fixtures, algorithm, fixtures.signing(algorithm), claims: claims, type: type)
    }

    init(
        _ fixtures: Fixtures, _ algorithm: SignatureAlgorithm, _ fixture: SigningFixture, claims: [UInt8]? = nil,
        type: String? = "JWT"
    ) throws {
        self.fixture = fixture
        self.algorithm = algorithm
        token = Array(try fixture.signer(algorithm, type: type).sign(claims ?? fixtures.claims).utf8)
        parts = TokenParts(token)
        verifier = try TokenVerifier(
            .signed(SignaturePolicy(algorithms: [algorithm]), claims: fixtures.claimPolicy),
            verificationKeys: fixture.verificationKeys)
    }

    private var keyField: craw_field { fixture.isSymmetric ? .secret : .key }

    func rawVerify() -> Raw { rawVerify(then: []) }

    func rawVerify(then others: [Raw]) -> Raw { rawVerify(parts.signingInput, parts.decoded[2], then: others) }

    /// Returns the raw verification of a token with a detached payload.
    func rawVerify(detached token: [UInt8], _ payload: [UInt8], isUnencoded: Bool) -> Raw {
        let parts = TokenParts(token)
        let input = parts.text[0] + [UInt8(ascii: ".")] + (isUnencoded ? payload : TokenParts.encode(payload))
        return rawVerify(input, parts.decoded[2])
    }

    private func rawVerify(_ input: [UInt8], _ signature: [UInt8], then others: [Raw] = []) -> Raw {
        Raw(
            "verify", algorithm.name,
            [(keyField, fixture.publicField), (.input, input), (.signature, signature)], then: others)
    }

    func rawSign(detached token: [UInt8], _ payload: [UInt8]) -> Raw {
        let input = TokenParts(token).text[0] + [UInt8(ascii: ".")] + payload
        return Raw("sign", algorithm.name, [(keyField, fixture.secretField), (.input, input)])
    }

    func rawSign(then others: [Raw] = []) -> Raw {
        Raw("sign", algorithm.name, [(keyField, fixture.secretField), (.input, parts.signingInput)], then: others)
    }

    /// Returns the raw signature over bytes.
    func rawSign(_ input: [UInt8]) -> Raw {
        Raw("sign", algorithm.name, [(keyField, fixture.secretField), (.input, input)])
    }
}

extension Fixtures {
    func signatureRows() throws -> [Row] {
        let cases = try SignatureAlgorithm.all.filter(\.isAvailable).map { try SignedCase(self, $0) }
        return cases.map(verifyRow) + (try largeRows()) + (try cases.map(signRow))
    }

    /// Returns rows of RS256 with 3072 and 4096 bits.
    private func largeRows() throws -> [Row] {
        try zip(largeRSA, [("RS256 3072", 3.1), ("RS256 4096", 4)]).map { key, row in
            let signed = try SignedCase(self, .rs256, SigningFixture(key))
            return Row(
                "verify", row.0, verifying(signed.verifier, signed.token), raw: signed.rawVerify,
                goals: [.ratio(SignatureAlgorithm.rs256.rsaGoal(row.1)), .allocations(6)])
        }
    }

    private func verifyRow(_ signed: SignedCase) -> Row {
        let speed = signed.algorithm.speed(signing: false, bytes: signed.parts.signingInput.count)
        return Row(
            "verify", signed.algorithm.name, verifying(signed.verifier, signed.token), raw: signed.rawVerify,
            speed: speed, goals: signed.algorithm.verifyGoals)
    }

    private func signRow(_ signed: SignedCase) throws -> Row {
        let signer = try signed.fixture.signer(signed.algorithm)
        let payload = claims
        return Row(
            "sign", signed.algorithm.name,
            { count in
                var good = 0
                for _ in 0..<count {
                    if let token = try? signer.signBytes(payload.span), token.count > payload.count { good += 1 }
                }
                return good
            },
            raw: { signed.rawSign() },
            speed: signed.algorithm.speed(signing: true, bytes: signed.parts.signingInput.count))
    }
}

/// Returns the work of a whole verification, with claims and the system's clock.
func verifying(_ verifier: TokenVerifier, _ token: [UInt8]) -> Work {
    { count in
        let verifier = verifier
        let bytes = token.span
        var good = 0
        for _ in 0..<count {
            if let held = try? verifier.verify(bytes), held.claims.payload.count > 0 { good += 1 }
        }
        return good
    }
}
