import JOSE
import Testing

/// Tokens and keys both ways with three implementations in other languages: every pair of `alg` and `enc` that both have.
@Suite("Other implementations") struct PeerTests {
    static let present = [Peer.jwcrypto, .joserfc, .jose].filter { $0.missing == nil }

    @Test("jwcrypto lacks only what is listed", .enabled(if: Peer.jwcrypto.missing == nil, Peer.jwcrypto.why))
    func jwcrypto() async throws { try await lacks(.jwcrypto) }
    @Test("joserfc lacks only what is listed", .enabled(if: Peer.joserfc.missing == nil, Peer.joserfc.why))
    func joserfc() async throws { try await lacks(.joserfc) }
    @Test("jose lacks only what is listed", .enabled(if: Peer.jose.missing == nil, Peer.jose.why))
    func jose() async throws { try await lacks(.jose) }

    private func lacks(_ peer: Peer) async throws {
        let support = try await peer.support()
        let contents = Set(support.encryptions.map(\.content)).count
        print(
            """
            \(peer.name): \(support.signatures.count) pairs of signature and key, \(support.encryptions.count) of \
            key management, content and key, \(support.decryptions.count) to decrypt alone; \
            lacks \(support.lacks.sorted().joined(separator: ", "))
            """)
        #expect(try support.lacks.subtracting(PeerSupport.known(peer)).isEmpty)
        #expect(contents == 6)
    }

    @Test("other implementations verify our signatures, and we theirs", arguments: present)
    func signatures(_ peer: Peer) async throws { try await PeerExchange(peer).signatures() }

    @Test("peers verify our detached and unencoded payloads, and we theirs (RFC 7797)", arguments: present)
    func detached(_ peer: Peer) async throws { try await PeerExchange(peer).detached() }

    @Test("other implementations verify our JSON signatures, and we theirs (RFC 7515, 7.2)", arguments: present)
    func jsonSignatures(_ peer: Peer) async throws { try await PeerExchange(peer).jsonSignatures() }

    @Test("other implementations decrypt our tokens, and we theirs", arguments: present)
    func encryptions(_ peer: Peer) async throws { try await PeerExchange(peer).encryptions() }

    @Test("RSA1_5 tokens of other implementations are decrypted if it is explicitly allowed", arguments: present)
    func brokenEncryptions(_ peer: Peer) async throws { try await PeerExchange(peer).brokenEncryptions() }

    @Test("other implementations decrypt our JSON tokens, and we theirs (RFC 7516, 7.2)", arguments: present)
    func jsonEncryptions(_ peer: Peer) async throws { try await PeerExchange(peer).jsonEncryptions() }

    @Test(
        "other implementations inflate what we compressed, and we what they did (RFC 7516, 4.1.3)",
        .enabled(if: EncryptionPolicy.compressionIsBuilt),
        arguments: present)
    func compressed(_ peer: Peer) async throws { try await PeerExchange(peer).compressed() }

    @Test("other implementations read our JWKs, and we theirs (RFC 7638)", arguments: present)
    func keys(_ peer: Peer) async throws { try await PeerExchange(peer).keys() }

    @Test("other implementations read our PEM, and we theirs", arguments: present)
    func pem(_ peer: Peer) async throws { try await PeerExchange(peer).pem() }

    @Test("other implementations accept our nested tokens, and we theirs", arguments: present)
    func nested(_ peer: Peer) async throws { try await PeerExchange(peer).nested() }
}
