import JOSE
import JOSEKeySets
import JOSETesting
import JOSETokens
import Synchronization
import TestSupport
import Testing

@testable import JOSERelyingParty

@Suite("Samples of the OpenID specifications, and of providers without a profile") struct OpenIDSampleTests {
    @Test("R41 OpenID: every member of every sample is read, or listed with a reason", arguments: table.keys.sorted())
    func samples(_ name: String) async throws {
        let sample = try ProviderSample(name)
        let read = try #require(Self.table[name])
        #expect(try await read(sample).faults(sample) == [])
    }

    static let table: SampleTable = [
        "ciba/acknowledgement": { sample in
            let notes = try BackChannelAcknowledgement(JSONAnswer(sample.bytes), since: 0, limit: .seconds(600))
            return SampleReading([
                "auth_req_id": notes.requestID, "expires_in": Int(notes.expires.secondsSince1970),
                "interval": Int(notes.interval.components.seconds),
            ])
        },
        "ciba/token-request": { sample in
            let acknowledgement = try ProviderSample("ciba/acknowledgement").message.text
            let fixture = try BackChannelFixture { $0.begin = acknowledgement }
            let good = try fixture.tokens()
            fixture.broker.state.withLock { $0.answers = [good] }
            let login = try await fixture.resumed()
            fixture.clock.advance(by: .seconds(2))
            #expect(try await fixture.poll(login) != nil)
            let body = try #require(fixture.broker.calls("/token").last?.body)
            let sent = SentParameters(FormFields(String(decoding: body, as: UTF8.self)))
            return sent.reading(
                sample, besides: [],
                differs: [
                    "client_assertion": (sent.values["client_assertion"], "The sample has another client's assertion.")
                ])
        },
        "ciba/push-tokens": { sample in
            let response = try TokenResponse(.json(sample.message.text), requiresIDToken: false)
            return SampleReading(
                [
                    "auth_req_id": response.answer.string("auth_req_id"), "access_token": response.accessToken,
                    "refresh_token": response.refreshToken, "expires_in": response.expiresIn?.components.seconds,
                ], notSurfaced: ["token_type": "The reader requires Bearer and has no other value to give."])
        },
        "ciba/push-claims": { _ in
            let tokens = try ProviderSample("ciba/push-tokens").members
            func hash(_ name: String) throws -> String {
                try SignatureAlgorithm.rs256.tokenHash(of: try #require(tokens[name]))
            }
            return SampleReading(
                [
                    "at_hash": try hash("access_token"),
                    "urn:openid:params:jwt:claim:rt_hash": try hash("refresh_token"),
                ],
                notSurfaced: ["urn:openid:params:jwt:claim:auth_req_id": "The library polls and takes no push."])
        },
        "openid/pushed-request": { sample in
            var manner = ProviderManner(authentication: .assertion(audience: LoginFixture.issuer, isEncrypted: false))
            (manner.idToken, manner.userInfo) = (.signed, .json)
            var request = LoginRequest()
            request.delivery = .pushedParameters
            let fixture = try LoginFixture(.openID(issuer: LoginFixture.issuer), manner: manner, request: request)
            fixture.provider.script.answers[.pushed] = { _ in .json(sample.message.text, status: 201) }
            let start = try await fixture.party.beginLogin(request)
            return SampleReading([
                "request_uri": FormFields(ofURL: start.url)["request_uri"],
                "expires_in": start.urlExpires.map { ($0 - fixture.clock.now).components.seconds },
            ])
        },
        "entra/discovery": { sample in
            try MetadataReading.of(
                sample, issuer: "https://login.microsoftonline.com/{tenantid}/v2.0",
                notSurfaced: [
                    "http_logout_supported", "frontchannel_logout_supported", "kerberos_endpoint",
                    "tenant_region_scope", "cloud_instance_name", "cloud_graph_host_name", "msgraph_host", "rbac_url",
                ])
        },
        "entra/id-token": { sample in
            let claims = try sample.claims
            try sample.passes(.openID(issuer: try #require(claims.issuer)))
            var read: [String: (any CustomStringConvertible)?] = [
                "iss": claims.issuer, "sub": claims.subject, "aud": claims.audience.first,
                "exp": claims.expiration.map { Int($0.secondsSince1970) },
                "iat": claims.issuedAt.map { Int($0.secondsSince1970) },
                "nbf": claims.notBefore.map { Int($0.secondsSince1970) },
            ]
            for name in ["ver", "name", "preferred_username", "oid", "tid", "nonce", "aio"] {
                read[name] = claims.string(name)
            }
            return SampleReading(read)
        },
    ]
}
