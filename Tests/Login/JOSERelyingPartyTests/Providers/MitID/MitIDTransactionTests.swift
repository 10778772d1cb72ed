import Foundation
import JOSE
import JOSEMitID
import JOSERelyingParty
import JOSETesting
import JOSETokens
import TestSupport
import Testing

@Suite("MitID: transaction tokens") struct MitIDTransactionTests {
    private static let text = Array("<p>Pay 100 kr.</p>".utf8)
    /// Returns the SHA-256 digest in base64, by the command `openssl`.
    private static func hash(_ bytes: [UInt8]) throws -> String {
        let hex = try run("openssl", ["dgst", "-sha256", "-r"], stdin: String(decoding: bytes, as: UTF8.self)).stdout
        let digits = Array(hex.prefix(64))
        let octets = stride(from: 0, to: 64, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
        return Data(octets).base64EncodedString()
    }

    private func fixture(now: NumericDate, evidence: Bool = true) throws -> (MitIDFixture, MitIDAuthority) {
        let authority = try MitIDAuthority.made.get()
        var settings = MitIDFixture.settings
        if evidence { settings.evidence = MitIDEvidence(issuers: [try Certificate(pem: authority.root.pem)]) }
        var request = LoginRequest.mitID(scopes: [.transactionToken])
        var parameters = MitIDParameters()
        parameters.transactionText = .init(Self.text, type: "html")
        request.mitID = parameters
        let fixture = try MitIDFixture(.mitID(settings), request: request)
        fixture.clock.now = now
        fixture.provider.script.published.append(try #require(try authority.jwk().publicKey))
        fixture.provider.script.userInfoClaims = { _ in }
        return (fixture, authority)
    }

    private func response(
        _ authority: MitIDAuthority, hash: String, status: String?, key signing: PrivateKey? = nil,
        sub: String? = "user-1", transaction: String? = "t-1"
    ) throws -> @Sendable (String) -> String {
        let iat = Int(authority.now.secondsSince1970)
        let about =
            (sub.map { #","sub":"\#($0)""# } ?? "") + (transaction.map { #","transaction_id":"\#($0)""# } ?? "")
        var key = try signing ?? authority.key.privateKeyOfTests
        if signing == nil { key.keyID = try authority.jwk().keyID }
        let token = try Forge.signed(
            header: #"{"alg":"RS256","kid":"\#(key.keyID ?? "")","typ":"JWT"}"#,
            payload:
                #"{"iss":"\#(MitIDFixture.issuer)","aud":"partner-code"\#(about),"iat":\#(iat),"exp":\#(iat + 189_388_800),"amr":"code_app","transaction_text_sha256":"\#(hash)","transaction_actions":"APPROVE"}"#,
            with: .privateKey(key), .rs256)
        let more = status.map { #","transaction_token_ocsp_resp":"\#($0)""# } ?? ""
        return { $0.dropLast() + #","transaction_token":"\#(token)"\#(more)}"# }
    }

    @Test(
        "MitID case 28: the hash is that of the text, not of its base64; the token is valid for six years, and its evidence is checked"
    )
    func hash() async throws {
        let authority = try MitIDAuthority.made.get()
        let (fixture, _) = try fixture(now: authority.now)
        let status = try authority.status()
        let right = try Self.hash(Self.text)
        fixture.provider.script.tokenResponse = try response(authority, hash: right, status: status)
        let user = try await fixture.login()
        let transaction = try #require(user.mitIDTransaction)
        #expect(transaction.authenticators == [.codeApp])
        #expect(transaction.actions == ["APPROVE"])
        #expect(transaction.statusResponse == status)
        #expect(transaction.issuedAt == NumericDate(secondsSince1970: authority.now.secondsSince1970.rounded(.down)))
        let base64 = try Self.hash(Array(Data(Self.text).base64EncodedString().utf8))
        func failure(_ answer: @escaping @Sendable (String) -> String) async throws -> RelyingPartyError? {
            try await fixture.failure { $0.tokenResponse = answer }
        }
        func fault(_ failure: RelyingPartyError.Reason) -> RelyingPartyError {
            RelyingPartyError(failure, in: .transactionToken)
        }
        #expect(try await failure(response(authority, hash: base64, status: status)) == fault(.hashMismatch))
        #expect(
            try await failure(response(authority, hash: right, status: authority.status(.revoked)))
                == fault(.certificateRevoked))
        #expect(
            try await failure(response(authority, hash: right, status: nil))
                == RelyingPartyError(.missingParameter("transaction_token_ocsp_resp"), in: .tokenResponse))
        #expect(
            try await failure(response(authority, hash: right, status: status, sub: "user-2"))
                == fault(.subjectMismatch))
        #expect(
            try await failure(response(authority, hash: right, status: status, transaction: "t-2"))
                == fault(.claimUnexpected("transaction_id")))
        #expect(
            try await failure { $0 } == RelyingPartyError(.missingParameter("transaction_token"), in: .tokenResponse))
        // A key of ID tokens does not sign transaction tokens either.
        #expect(
            try await failure(response(authority, hash: right, status: status, key: TestKeys.provider))
                == fault(.keyUnsuitable))
    }

    @Test("without evidence only the signature is required, and no OCSP response is kept") func bare()
        async throws
    {
        let authority = try MitIDAuthority.made.get()
        let (fixture, _) = try fixture(now: authority.now, evidence: false)
        fixture.provider.script.tokenResponse = try response(authority, hash: Self.hash(Self.text), status: nil)
        let transaction = try #require(try await fixture.login().mitIDTransaction)
        #expect(transaction.statusResponse == nil)
        fixture.provider.script.tokenResponse = { $0.dropLast() + #","transaction_token":"a.b.c"}"# }
        #expect(try await fixture.failure() == RelyingPartyError(.malformed, in: .transactionToken))
    }

    @Test("a transaction token must be tied to the login by the user or by the transaction")
    func bound()
        async throws
    {
        let authority = try MitIDAuthority.made.get()
        let (fixture, _) = try fixture(now: authority.now, evidence: false)
        let missing = RelyingPartyError(.claimMissing("transaction_id"), in: .transactionToken)
        for (sub, transaction, expected) in [
            ("user-1", nil, nil), (nil, "t-1", nil), (nil, nil, missing),
        ] as [(String?, String?, RelyingPartyError?)] {
            let answer = try response(
                authority, hash: Self.hash(Self.text), status: nil, sub: sub, transaction: transaction)
            #expect(try await fixture.failure { $0.tokenResponse = answer } == expected)
        }
        // With an ID token that names no transaction, only the user ties the transaction token to the login.
        for (sub, expected) in [("user-1", nil), (nil, missing)] as [(String?, RelyingPartyError?)] {
            let answer = try response(authority, hash: Self.hash(Self.text), status: nil, sub: sub)
            let error = try await fixture.failure { script in
                script.tokenResponse = answer
                script.idTokenClaims = { claims in
                    MitIDFixture.broker(&claims)
                    claims["transaction_id"] = nil
                }
            }
            #expect(error == expected)
        }
    }

    @Test("rejects a text to sign without the scope transaction_token, before anything is sent") func scope()
        async throws
    {
        for (scopes, expected) in [
            ([MitIDScope.transactionToken], nil), ([], RelyingPartyError.request(.invalidParameter("scope"))),
            ([.ssn], .request(.invalidParameter("scope"))),
        ] {
            let fixture = try MitIDFixture()
            var request = LoginRequest.mitID(scopes: scopes)
            var parameters = MitIDParameters()
            parameters.transactionText = .init(Self.text, type: "html")
            request.mitID = parameters
            #expect(try await refusal { try await fixture.party.beginLogin(request) } == expected)
            if expected != nil { #expect(fixture.provider.calls == 0) }
        }
    }
}
