import JOSECrypto
import TestSupport

@testable import JOSE

/// Verifiers of tokens with `x5c`, the certificates for them, and a clock that a test moves.
struct PathCacheParts {
    let certificates: RevocationFixture
    let clock: MovableClock

    init() throws {
        certificates = try RevocationFixture.made.get()
        clock = MovableClock(certificates.now)
    }
}

/// A suite about the cached paths of `x5c`.
protocol PathCacheFixture {
    var parts: PathCacheParts { get }
}

extension PathCacheFixture {
    typealias Issued = CertificateMaker.Issued
    var fixture: RevocationFixture { parts.certificates }
    var clock: MovableClock { parts.clock }

    func signer(
        _ leaf: Issued, _ algorithm: SignatureAlgorithm = .es256, chain: CertificateChain? = nil, keyID: String? = nil
    ) throws -> JWSSigner {
        var header = HeaderParameters(keyID: keyID)
        header.set(certificates: try chain ?? fixture.chain(leaf), members: .x5c)
        return try JWSSigner(key: leaf.privateKey, algorithm: algorithm, header: header)
    }

    func verifier(
        _ revocation: CertificateRevocation? = nil, lifetime: Duration? = nil, roots: [Issued]? = nil
    ) throws -> JWSVerifier {
        var trust = try CertificateTrust(
            roots: (roots ?? [fixture.root]).map { try Certificate(pem: $0.pem) }, clock: clock.wallClock,
            revocation: revocation)
        if let lifetime { trust.pathCacheLifetime = lifetime }
        return try JWSVerifier(
            keys: KeySet.empty, policy: SignaturePolicy(algorithms: [.es256, .rs256, .ps256]), trust: trust)
    }

    func refusal(_ verifier: JWSVerifier, _ token: String) -> JOSEError? {
        do throws(JOSEError) {
            _ = try verifier.verify(token)
            return nil
        } catch { return error }
    }

    /// Returns a token with the given header, signed by the key or with a signature of zeros.
    func token(_ header: String, by key: PrivateKey? = nil) throws -> String {
        let input = base64URL(header.utf8) + "." + base64URL("hello".utf8)
        guard let key, case .asymmetric(let material) = key.material else {
            return input + "." + base64URL([UInt8](repeating: 0, count: 64))
        }
        return input + "." + base64URL(try material.sign(.es256, input.utf8.span))
    }
}
