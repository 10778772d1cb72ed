import Testing

@Suite("Peer jwcrypto", .enabled(if: Peer.jwcrypto.missing == nil, Comment(rawValue: Peer.jwcrypto.missing ?? "")))
struct PeerJwcryptoTests {
    let exchange = PeerExchange(peer: .jwcrypto, table: .jwcrypto)

    @Test("jwcrypto and we verify each other's signatures") func signatures() async throws {
        try await exchange.signatures()
    }
    @Test("jwcrypto and we decrypt each other's tokens") func encryptions() async throws {
        try await exchange.encryptions()
    }
    @Test("jwcrypto and we read each other's JWKs, RFC 7638") func keys() async throws { try await exchange.keys() }
    @Test("jwcrypto and we read each other's PEM") func pem() async throws { try await exchange.pem() }
    @Test("jwcrypto and we take each other's nested tokens") func nested() async throws { try await exchange.nested() }
}

@Suite("Peer joserfc", .enabled(if: Peer.joserfc.missing == nil, Comment(rawValue: Peer.joserfc.missing ?? "")))
struct PeerJoserfcTests {
    let exchange = PeerExchange(peer: .joserfc, table: .joserfc)

    @Test("joserfc and we verify each other's signatures") func signatures() async throws {
        try await exchange.signatures()
    }
    @Test("joserfc and we decrypt each other's tokens") func encryptions() async throws {
        try await exchange.encryptions()
    }
    @Test("joserfc and we read each other's JWKs, RFC 7638") func keys() async throws { try await exchange.keys() }
    @Test("joserfc and we read each other's PEM") func pem() async throws { try await exchange.pem() }
    @Test("joserfc and we take each other's nested tokens") func nested() async throws { try await exchange.nested() }
}

@Suite("Peer jose", .enabled(if: Peer.jose.missing == nil, Comment(rawValue: Peer.jose.missing ?? "")))
struct PeerJoseTests {
    let exchange = PeerExchange(peer: .jose, table: .jose)

    @Test("jose and we verify each other's signatures") func signatures() async throws {
        try await exchange.signatures()
    }
    @Test("jose and we decrypt each other's tokens") func encryptions() async throws {
        try await exchange.encryptions()
    }
    @Test("jose and we read each other's JWKs, RFC 7638") func keys() async throws { try await exchange.keys() }
    @Test("jose and we take each other's nested tokens") func nested() async throws { try await exchange.nested() }
}
