import BearerService
import InMemoryLogging
import InMemoryTracing
import JOSEKeySets
import JOSETokens
import Logging
import MetricsTestKit
import Testing
import Tracing

/// A transport to a server that has keys, or that cannot be reached.
private struct StubTransport: HTTPTransport {
    let jwks: [UInt8]?

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        guard let jwks else { throw .connectFailed }
        return TransportResponse(
            status: 200, headers: [TransportHeaderField("Content-Type", "application/jwk-set+json")], body: jwks)
    }
}

@Suite("AccessTokens", .serialized) struct AccessTokenTests {
    private let logs = InMemoryLogHandler()
    private let tokens: AccessTokens
    private let issuer: TokenIssuer
    private let signingKey: PrivateKey

    init() throws {
        Backends.start()
        signingKey = try PrivateKey.generate(.p256, keyID: "issuer-1")
        let logger = Logger(label: "test") { [logs] _ in logs }
        tokens = try AccessTokens(
            keys: KeySet(signingKey.publicKey), decryptionKey: PrivateKey.generate(.p256, keyID: "service-1"),
            observer: TokenObserver(logger: logger))
        let profile = AccessTokenProfile(
            issuer: "https://id.example.com", resource: "https://api.example.com", algorithms: [.es256])
        issuer = try TokenIssuer(profile.policy, signingKey: signingKey, lifetime: .seconds(60))
    }

    private func token(_ scope: String) throws -> String {
        try issuer.issue(["sub": "248289761001", "client_id": "shop", "jti": "1", "scope": "\(scope)"])
    }

    private func counted(_ result: String) -> Int64 { Backends.count("tokens_verified_total", "result", result) }

    @Test("an accepted token is counted, and its span is a child of that of the request") func accepted() async throws {
        let before = counted("accepted")
        let token = try token("orders:read")
        let request = try await withSpan("request") { span in
            _ = try await tokens.verify(["Bearer \(token)"])
            return span.context
        }
        #expect(counted("accepted") == before + 1)
        let spans = Backends.tracer.finishedSpans.filter { $0.traceID == request.inMemorySpanContext?.traceID }
        let span = try #require(spans.first { $0.operationName == "verify token" })
        #expect(span.parentSpanID == request.inMemorySpanContext?.spanID)
        #expect(span.attributes["token.issuer"]?.toSpanAttribute() == "https://id.example.com")
        #expect(try !Backends.metrics.expectTimer("token_verification_seconds").values.isEmpty)
        #expect(logs.entries.isEmpty)
    }

    @Test("a rejected token is counted and logged by its code, and its text is not in the log") func rejected()
        async throws
    {
        let before = counted("signature_invalid")
        let good = try token("orders:read")
        _ = try await tokens.verify(["Bearer \(good)"])
        let parts = good.split(separator: ".")
        let other = try token("profile").split(separator: ".")
        let forged = "\(parts[0]).\(other[1]).\(parts[2])"
        await #expect(throws: BearerRejection.rejected("signature_invalid")) {
            _ = try await tokens.verify(["Bearer \(forged)"])
        }
        #expect(counted("signature_invalid") == before + 1)
        let lines = logs.entries.map { "\($0.message) \($0.metadata)" }
        #expect(lines.count == 1 && lines[0].contains("signature_invalid") && lines[0].contains("token rejected"))
        #expect(!lines[0].contains(parts[0]) && !lines[0].contains(other[1]))
    }

    @Test("header fields get the answers of RFC 6750, section 3")
    func fields() async throws {
        let good = try token("orders:read")
        // The name of a scheme has no case, and blanks around the value and several spaces are no fault (RFC 9110, 5.5 and 11.4).
        for field in ["bearer \(good)", "Bearer  \(good)", "Bearer \(good) ", " BEARER   \(good)\t"] {
            #expect(try await tokens.verify([field]).claims.subject == "248289761001")
        }
        for (fields, rejection) in [
            ([], BearerRejection.noToken), (["Basic eDp5"], .noToken), ([""], .noToken), (["Bearer"], .malformed),
            (["Bearer "], .malformed), (["Bearer \(good) x"], .malformed), (["Bearer \(good), Basic eDp5"], .malformed),
            (["Bearer\t\(good)"], .noToken), (["Bearer \(good)", "Bearer \(good)"], .malformed),
        ] {
            await #expect(throws: rejection) { _ = try await tokens.verify(fields) }
        }
        #expect(BearerRejection.noToken.status == 401 && BearerRejection.malformed.status == 400)
        #expect(BearerRejection.noToken.fields.map(\.value).first == #"Bearer realm="orders""#)
    }

    @Test("a token lacks a scope unless one of its words is exactly the scope (RFC 6749, 3.3)") func scopes()
        async throws
    {
        func verified(_ scope: String) async throws -> VerifiedToken {
            try await tokens.verify(["Bearer \(token(scope))"])
        }
        try await verified("profile orders:read").require(scope: "orders:read")
        let list: ClaimsBuilder = ["sub": "1", "client_id": "shop", "jti": "1", "scope": ["profile", "orders:read"]]
        try await tokens.verify(["Bearer \(issuer.issue(list))"]).require(scope: "orders:read")
        for scope in ["profile", "orders:reader", "ORDERS:READ", "orders"] {
            let token = try await verified(scope)
            #expect(throws: BearerRejection.scope("orders:read")) { try token.require(scope: "orders:read") }
        }
        #expect(BearerRejection.scope("orders:read").status == 403)
    }

    @Test(
        "a token whose key cannot be fetched is neither accepted nor logged as rejected: status 503 without a challenge (RFC 9110, 15.6.4)"
    )
    func unavailable() async throws {
        let logger = Logger(label: "test") { [logs] _ in logs }
        func verify(_ transport: StubTransport) async throws -> VerifiedToken {
            let keys = try RemoteKeySet(url: "https://id.example.com/jwks.json", transport: transport)
            let tokens = try AccessTokens(
                keys: keys, decryptionKey: PrivateKey.generate(.p256), observer: TokenObserver(logger: logger))
            return try await tokens.verify(["Bearer \(token("orders:read"))"])
        }
        let jwks = Array(KeySet(signingKey.publicKey).jwks().utf8)
        #expect(try await verify(StubTransport(jwks: jwks)).claims.subject == "248289761001")
        #expect(logs.entries.isEmpty)
        await #expect(throws: BearerRejection.unavailable) { _ = try await verify(StubTransport(jwks: nil)) }
        let lines = logs.entries.map { "\($0.message) \($0.metadata)" }
        #expect(lines.count == 1 && lines[0].contains("token not verified") && lines[0].contains("keys_unavailable"))
        #expect(BearerRejection.unavailable.status == 503)
        #expect(BearerRejection.unavailable.fields.map(\.name) == ["Retry-After"])
    }
}
