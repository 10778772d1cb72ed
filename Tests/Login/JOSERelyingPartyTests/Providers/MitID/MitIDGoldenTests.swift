import Foundation
import JOSE
import JOSEKeySets
import JOSEMitID
import JOSERelyingParty
import JOSETesting
import Synchronization
import TestSupport
import Testing

/// One login, byte for byte as `Tests/Interop/Peers/golden_mitid.py` wrote it.
private struct Golden: Decodable {
    let issuer, client, redirectURI, state, nonce, verifier, text, root, discovery, jwks: String
    let callback, aborted, tokenResponse, userInfo: String
    let tokenRequest: [String: String]
    let now: Double

    static let read = Result {
        let file = VectorFile.folder.appending(path: "Providers/mitid.json")
        return try JSONDecoder().decode(Golden.self, from: Data(contentsOf: file))
    }
}

private final class GoldenBroker: HTTPTransport {
    let golden: Golden
    let tokenRequest: Mutex<FormFields?> = Mutex(nil)

    init(_ golden: Golden) { self.golden = golden }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        switch request.url.dropFirst(golden.issuer.count) {
        case "/.well-known/openid-configuration": return .json(golden.discovery)
        case "/.well-known/openid-configuration/jwks": return .json(golden.jwks)
        case "/connect/token":
            tokenRequest.withLock { $0 = FormFields(String(decoding: request.body, as: UTF8.self)) }
            return .json(golden.tokenResponse)
        case "/connect/userinfo": return .json(golden.userInfo)
        default: throw .nameNotResolved
        }
    }
}

@Suite("MitID: golden messages") struct MitIDGoldenTests {
    private let golden: Golden
    private let broker: GoldenBroker
    private let store: MemoryLoginStore
    private let party: RelyingParty

    init() async throws {
        let golden = try Golden.read.get()
        self.golden = golden
        broker = GoldenBroker(golden)
        let clock = TestClock(NumericDate(secondsSince1970: golden.now + 1))
        store = MemoryLoginStore(clock: clock.wallClock)
        var settings = MitIDSettings()
        settings.evidence = MitIDEvidence(issuers: [try Certificate(base64: golden.root)])
        party = try RelyingParty(
            .mitID(settings), in: .sandbox(issuer: golden.issuer),
            client: RelyingPartyClient(
                id: golden.client, redirectURI: golden.redirectURI, credentials: .keys(signing: TestKeys.client)),
            transport: broker, store: store, clock: clock.wallClock, keySets: nil, observer: nil,
            fetching: LoginFixture.environment(clock))
        // The random values of a login, as the messages contain them.
        let hash = try sha256(Data(golden.text.utf8)).base64EncodedString()
        let transaction: [String: Any] = [
            "profile": "mitid.broker", "client": golden.client, "issuer": golden.issuer, "state": golden.state,
            "nonce": golden.nonce, "verifier": golden.verifier, "redirect": golden.redirectURI, "mode": "form_post",
            "scope": "openid mitid transaction_token", "created": golden.now,
            "binding": Forge.encoded(Array(try sha256(Data("binding".utf8)))),
            "notes": ["idp_values": "mitid", "loa_value": "substantial", "transaction_text_sha256": hash],
        ]
        let json = Array(try JSONSerialization.data(withJSONObject: transaction))
        #expect(
            try await store.insert(json, for: StoreKey(kind: "login", value: golden.state), lifetime: .seconds(600)))
    }

    private func sha256(_ data: Data) throws -> Data {
        let digits = Array(
            try run("openssl", ["dgst", "-sha256", "-r"], stdin: String(decoding: data, as: UTF8.self)).stdout.prefix(
                64))
        return Data(stride(from: 0, to: 64, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) })
    }

    @Test("a login with the broker's golden messages yields the user, with the expected token request") func login()
        async throws
    {
        let user = try await party.completeLogin(callback: MitIDFixture.callback(golden.callback), binding: "binding")
        #expect(user.subject == "d6eb0dd5-5b56-4c6b-b6b4-2b8bb3b6a8a1")
        #expect(user.mitID?.identityName == "Anna \u{C6}bleskov")
        #expect(user.mitID?.age == 35)
        #expect(user.mitIDLevel == .substantial)
        #expect(user.mitIDSessionExpiry == NumericDate(secondsSince1970: golden.now + 3600))
        #expect(user.mitIDTransaction?.actions == ["APPROVE"])
        #expect(user.mitIDTransaction?.authenticators == [.codeApp])
        let form = try #require(broker.tokenRequest.withLock { $0 })
        for (name, value) in golden.tokenRequest { #expect(form[name] == value, "\(name)") }
        #expect(Set(form.names).subtracting(golden.tokenRequest.keys) == ["client_assertion", "client_assertion_type"])
    }

    @Test("a cancellation, as the broker posts it, is reported as cancelled") func aborted() async throws {
        let error = try await refusal {
            try await party.completeLogin(callback: MitIDFixture.callback(golden.aborted), binding: "binding")
        }
        #expect(error == RelyingPartyError(.cancelled, in: .callback))
        #expect(broker.tokenRequest.withLock { $0 == nil })
    }
}
