import JOSE
import Testing

/// Tokens and keys both ways with three implementations in other languages: every pair of `alg` and `enc` that both have.
@Suite("Peers") struct PeerTests {
    static let present = [Peer.jwcrypto, .joserfc, .jose].filter { $0.missing == nil }

    @Test("jwcrypto lacks nothing but what is listed", .enabled(if: Peer.jwcrypto.missing == nil, Peer.jwcrypto.why))
    func jwcrypto() async throws { try await lacks(.jwcrypto) }
    @Test("joserfc lacks nothing but what is listed", .enabled(if: Peer.joserfc.missing == nil, Peer.joserfc.why))
    func joserfc() async throws { try await lacks(.joserfc) }
    @Test("jose lacks nothing but what is listed", .enabled(if: Peer.jose.missing == nil, Peer.jose.why))
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

    @Test("peers and we verify each other's signatures", arguments: present)
    func signatures(_ peer: Peer) async throws { try await PeerExchange(peer).signatures() }

    @Test("peers and we verify each other's detached and unencoded payloads, RFC 7797", arguments: present)
    func detached(_ peer: Peer) async throws { try await PeerExchange(peer).detached() }

    @Test("peers and we verify each other's signatures in JSON, RFC 7515, 7.2", arguments: present)
    func jsonSignatures(_ peer: Peer) async throws { try await PeerExchange(peer).jsonSignatures() }

    @Test("peers and we decrypt each other's tokens", arguments: present)
    func encryptions(_ peer: Peer) async throws { try await PeerExchange(peer).encryptions() }

    @Test("we decrypt the peers' RSA1_5 where it is allowed by name", arguments: present)
    func brokenEncryptions(_ peer: Peer) async throws { try await PeerExchange(peer).brokenEncryptions() }

    @Test("peers and we decrypt each other's tokens in JSON, RFC 7516, 7.2", arguments: present)
    func jsonEncryptions(_ peer: Peer) async throws { try await PeerExchange(peer).jsonEncryptions() }

    @Test(
        "peers and we inflate what the other compressed, RFC 7516, 4.1.3",
        .enabled(if: EncryptionPolicy.compressionIsBuilt),
        arguments: present)
    func compressed(_ peer: Peer) async throws { try await PeerExchange(peer).compressed() }

    @Test("peers and we read each other's JWKs, RFC 7638", arguments: present)
    func keys(_ peer: Peer) async throws { try await PeerExchange(peer).keys() }

    @Test("peers and we read each other's PEM", arguments: present)
    func pem(_ peer: Peer) async throws { try await PeerExchange(peer).pem() }

    @Test("peers and we accept each other's nested tokens", arguments: present)
    func nested(_ peer: Peer) async throws { try await PeerExchange(peer).nested() }
}
