import JOSE
import JOSETesting
import JOSETokens
import Synchronization
import Testing

@testable import JOSEDigiD
@testable import JOSEKeySets
@testable import JOSERelyingParty

/// A document whose members are `plain`, with `signed` as the payload of `signed_metadata` (RFC 8414, 2.1).
private struct SignedMetadata {
    static let issuer = DigiDOpenIDFixture.issuer
    static let served: [String: String] = [
        "issuer": issuer, "authorization_endpoint": issuer + "/authorization", "token_endpoint": issuer + "/token",
        "jwks_uri": issuer + "/keys",
    ].mapValues { "\"\($0)\"" }

    /// The values of the members as JSON texts.
    var plain: [String: String] = served
    var signed: [String: String] = served
    var key = TestKeys.provider
    var algorithm = SignatureAlgorithm.rs256
    /// A text that takes the place of the signed one.
    var text: String?
    var hasNone = false

    /// Returns the error of a login with these metadata.
    func failure() async throws -> RelyingPartyError.Reason? {
        var settings = DigiDOpenIDSettings(issuer: Self.issuer)
        settings.metadataKeys = KeySet(TestKeys.provider.publicKey)
        let fixture = try DigiDOpenIDFixture(settings)
        let json = try document()
        fixture.provider.script.answers[.discovery] = { _ in .json(json) }
        let error = try await refusal { try await fixture.login() }
        #expect(error == nil || error?.step == .discovery)
        return error?.reason
    }

    /// Returns the document, without the scripted provider's own members.
    func document() throws -> String {
        Self.json(plain.merging(hasNone ? [:] : ["signed_metadata": try jws()]) { $1 })
    }

    private func jws() throws -> String {
        if let text { return "\"\(text)\"" }
        return "\""
            + (try Forge.signed(
                header: "{\"alg\":\"\(algorithm.name)\"}", payload: Self.json(signed), with: .privateKey(key), algorithm
            ))
            + "\""
    }

    private static func json(_ members: [String: String]) -> String {
        "{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    }

    func with(_ change: (inout SignedMetadata) -> Void) -> SignedMetadata {
        var changed = self
        change(&changed)
        return changed
    }
}

@Suite("DigiD by OpenID Connect: signed metadata") struct DigiDMetadataTests {
    /// Returns two values of the type that the member has.
    private static func values(_ member: MetadataMember) -> (one: String, other: String) {
        let truths: Set<MetadataMember> = [
            .authorizationResponseIssParameter, .requiresPushedAuthorizationRequests, .requestParameter,
            .requestURIParameter, .claimsParameter, .backchannelLogout, .backchannelUserCodeParameter,
        ]
        let name = member.description
        // With the value true, a callback would have to contain the issuer.
        if truths.contains(member) { return ("false", "true") }
        if member == .issuer || name.hasSuffix("_endpoint") || name.hasSuffix("_uri") {
            return (SignedMetadata.served[name] ?? "\"https://ad.digid.test/a\"", "\"https://ad.digid.test/b\"")
        }
        return ("[\"a\",\"b\"]", "[\"a\"]")
    }

    @Test(
        "each member that is read must be signed by the pinned key (RFC 8414, 2.1)",
        arguments: MetadataMember.all)
    func members(_ member: MetadataMember) async throws {
        let (one, other) = Self.values(member)
        let name = member.description
        let both = SignedMetadata().with { ($0.plain[name], $0.signed[name]) = (one, one) }
        #expect(try await both.failure() == nil)
        #expect(try await both.with { $0.signed[name] = other }.failure() == .discoveryMismatch)
        #expect(try await both.with { $0.signed[name] = nil }.failure() == .discoveryMismatch)
        #expect(try await both.with { $0.signed[name] = "1" }.failure() == .discoveryMismatch)
        // Without the four members that every login reads there is no login, even if the metadata are signed.
        guard SignedMetadata.served[name] == nil else { return }
        #expect(try await both.with { $0.plain[name] = nil }.failure() == .discoveryMismatch)
        #expect(try await both.with { $0.plain[name] = other }.failure() == .discoveryMismatch)
    }

    @Test("the metadata must have a signature, with RS256 and by the pinned key") func signature() async throws {
        let good = SignedMetadata()
        #expect(try await good.failure() == nil)
        // The members of RFC 8414 that are not read, and unknown members, need not be signed.
        #expect(try await good.with { $0.signed["iss"] = "\"\(SignedMetadata.issuer)\"" }.failure() == nil)
        #expect(try await good.with { $0.plain["other"] = "1" }.failure() == nil)
        #expect(try await good.with { $0.hasNone = true }.failure() == .missingParameter("signed_metadata"))
        #expect(try await good.with { $0.key = TestKeys.stranger }.failure() == .signatureInvalid)
        #expect(try await good.with { $0.algorithm = .ps256 }.failure() == .algorithmNotAllowed)
        #expect(try await good.with { $0.text = "x" }.failure() == .malformed)
    }

    @Test(
        "R37 keys are fetched only from the jwks_uri that the pinned key has signed",
        .timeLimit(.minutes(1)))
    func keyAddress() async throws {
        let others = "https://ad.digid.test/other-keys"
        let honest = try SignedMetadata().document()
        func asked(_ fixture: DigiDOpenIDFixture) -> Bool {
            fixture.provider.state.withLock { $0.requests.contains { $0.request.url == others } }
        }
        func newDesk() throws -> DigiDOpenIDFixture {
            var settings = DigiDOpenIDSettings(issuer: SignedMetadata.issuer)
            settings.metadataKeys = KeySet(TestKeys.provider.publicKey)
            return try DigiDOpenIDFixture(settings)
        }
        let moved = SignedMetadata().with { $0.plain["jwks_uri"] = "\"\(others)\"" }
        for (bad, failure) in [
            (moved, RelyingPartyError.Reason.discoveryMismatch),
            (moved.with { $0.hasNone = true }, .missingParameter("signed_metadata")),
            (
                moved.with { ($0.key, $0.signed["jwks_uri"]) = (TestKeys.stranger, $0.plain["jwks_uri"]) },
                .signatureInvalid
            ),
        ] {
            let fixture = try newDesk()
            let json = try bad.document()
            fixture.provider.script.answers[.discovery] = { _ in .json(json) }
            #expect(
                try await refusal { try await fixture.login() } == RelyingPartyError(failure, in: .discovery))
            #expect(!asked(fixture))
        }
        // The positive control: metadata that the pinned key has signed, and then another URL that it has signed.
        let good = try newDesk()
        good.provider.script.answers[.discovery] = { _ in .json(honest) }
        _ = try await good.login()
        #expect(!asked(good))
        let fixture = try newDesk()
        let signed = try moved.with { $0.signed["jwks_uri"] = $0.plain["jwks_uri"] }.document()
        fixture.provider.script.answers[.discovery] = { _ in .json(signed) }
        // No keys are served there. The test only observes the request.
        let login = Task { try await fixture.login() }
        while !asked(fixture) { await Task.yield() }
        login.cancel()
    }

    @Test("in production metadata must be signed by the pinned key; other environments accept unsigned metadata")
    func production() throws {
        var settings = DigiDOpenIDSettings(issuer: SignedMetadata.issuer)
        #expect(throws: RelyingPartyError(.configurationError, in: .configuration)) {
            try DigiDOpenIDFixture(settings, environment: .production)
        }
        _ = try DigiDOpenIDFixture(settings, environment: .test)
        settings.metadataKeys = KeySet(TestKeys.provider.publicKey)
        _ = try DigiDOpenIDFixture(settings, environment: .production)
    }
}
