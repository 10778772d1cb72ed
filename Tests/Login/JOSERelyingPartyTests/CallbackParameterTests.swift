import JOSERelyingParty
import Testing

@Suite("Parameters of a callback") struct CallbackParameterTests {
    /// Returns the error of a login whose callback has further parameters.
    private func failure(_ more: String) async throws -> RelyingPartyError? {
        var manner = ProviderManner(authentication: .assertion(audience: LoginFixture.issuer, isEncrypted: false))
        manner.idToken = .signed
        let fixture = try LoginFixture(
            ProviderProfile(name: "own", production: nil), manner: manner, request: LoginRequest())
        let start = try await fixture.party.beginLogin()
        let query = fixture.provider.authorize(start.url)
        return try await refusal {
            try await fixture.party.completeLogin(callback: .query(query + more), binding: start.binding)
        }
    }

    @Test("R27: a callback has at most 32 parameters") func counts() async throws {
        // The callback already has `code` and `state`.
        for (count, reason) in [(30, nil), (31, RelyingPartyError.Reason.tooLarge)] {
            let more = (0..<count).map { "&p\($0)=1" }.joined()
            #expect(try await failure(more) == reason.map { RelyingPartyError.callback($0) }, "\(count)")
        }
    }

    @Test("names and values are percent-encoded UTF-8, in which each % has two hexadecimal digits (RFC 3986, 2.1)")
    func encodings() async throws {
        for text in ["x", "%78", "%C3%A9", "%c3%a9", "%4A+", "a%20b"] {
            #expect(try await failure("&\(text)=1") == nil, "\(text)")
            #expect(try await failure("&x=\(text)") == nil, "\(text)")
        }
        for text in ["%4z", "%z4", "%4", "%", "a%4", "%ff", "%C3", "%00", "%4%34"] {
            #expect(try await failure("&\(text)=1") == .callback(.malformed), "\(text)")
            #expect(try await failure("&x=\(text)") == .callback(.malformed), "\(text)")
        }
    }
}
