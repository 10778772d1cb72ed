import JOSE
import JOSEKeySets
import JOSETesting
import JOSETokens
import TestSupport
import Testing

@testable import JOSERelyingParty
@testable import JOSEZenKey

@Suite("Samples of ZenKey's documents") struct ZenKeySampleTests {
    @Test("R41 ZenKey: every member of every sample is read, or listed with a reason", arguments: table.keys.sorted())
    func samples(_ name: String) async throws {
        let sample = try ProviderSample(name)
        let read = try #require(Self.table[name])
        #expect(try await read(sample).faults(sample) == [])
    }

    /// Answers every request with one message.
    private struct OneAnswer: HTTPTransport {
        let response: TransportResponse
        func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse { response }
    }

    private static func tokens(_ sample: ProviderSample) throws -> SampleReading {
        let response = try sample.tokenResponse
        let answer = try #require(CarrierJSON(response.answer.bytes))
        return SampleReading(
            [
                "access_token": response.accessToken, "refresh_token": response.refreshToken,
                "expires_in": response.expiresIn?.components.seconds, "id_token": response.idToken,
                "correlation_id": answer.string("correlation_id"),
            ], notSurfaced: ["token_type": "The reader requires Bearer and has no other value to give."])
    }

    /// A token with this header, of which nothing is verified.
    private static func header(_ sample: ProviderSample) throws -> JOSEHeader {
        try UnverifiedToken(Forge.input(header: sample.message.text, payload: "{}") + ".AA").header
    }

    private static let registered: @Sendable (Claims) -> [String: (any CustomStringConvertible)?] = { claims in
        [
            "iss": claims.issuer, "sub": claims.subject, "aud": claims.audience.first,
            "iat": claims.issuedAt.map { Int($0.secondsSince1970) },
        ]
    }

    static let table: SampleTable = [
        "zenkey/discovery": { sample in
            let carrier = try ZenKeyCarrier(parsing: sample.bytes, for: MobileNetwork("310260"), trust: .carriers)
            var reading = try MetadataReading.of(
                sample, issuer: carrier.issuer, notSurfaced: ["display_values_supported", "service_documentation"])
            reading.read["mccmnc"] = carrier.network.digits
            return reading
        },
        "zenkey/discovery-not-found": { sample in
            let discovery = ZenKeyCarrierDiscovery(
                clientID: "ccid-sp00001", transport: OneAnswer(response: .json(sample.message.text)))
            guard case .ask(let page) = try await discovery.ask(ZenKeyCarrierQuery(network: MobileNetwork("310260")))
            else {
                return SampleReading([:])
            }
            // The code is the one that leads to the page.
            return SampleReading(["error": "provider_not_found", "redirect_uri": page.address])
        },
        "zenkey/authorization-request": { sample in
            var request = LoginRequest.zenKey()
            request["login_hint_token"] = "LOGIN_HINT_TOKEN"
            request.notes[ZenKey.pageNote] = "1"
            let sent = try SentParameters(
                request, .zenKey, clientID: "CLIENT_ID", redirectURI: "REDIRECT_URI", like: sample)
            return sent.reading(
                sample, besides: ["nonce", "code_challenge", "code_challenge_method"],
                differs: ["scope": ("openid", "The sample has a placeholder that is no scope.")])
        },
        "zenkey/token-response": tokens,
        "zenkey/id-token-header": { sample in
            SampleReading(
                ["kid": try header(sample).keyID],
                notSurfaced: ["type": "It stands where typ should, and the profile takes any typ."])
        },
        "zenkey/id-token": { sample in
            try sample.passes(.zenKey)
            let claims = try sample.claims
            var read = registered(claims)
            read["nonce"] = claims.string("nonce")
            read["exp"] = claims.expiration.map { Int($0.secondsSince1970) }
            read["auth_time"] = claims.number("auth_time").map { Int($0) }
            read["acr"] = claims.string("acr").flatMap { acr in ZenKey.rank(acr).map { "a\($0)" } }
            return SampleReading(read)
        },
        "zenkey/userinfo": { sample in
            let info = try ZenKeyUserInfo(parsing: sample.bytes)
            return SampleReading([
                "sub": info.subject, "name/value": info.name, "name/given_name": info.givenName,
                "name/family_name": info.familyName, "email/value": info.email, "postal_code/value": info.postalCode,
                "phone/value": info.phoneNumber,
            ])
        },
        "zenkey/userinfo-flat": { sample in
            let info = try ZenKeyUserInfo(parsing: sample.bytes)
            return SampleReading([
                "sub": info.subject, "name": info.name, "given_name": info.givenName, "family_name": info.familyName,
                "email": info.email, "email_verified": info.isEmailVerified, "postal_code": info.postalCode,
                "phone_number": info.phoneNumber, "phone_number_verified": info.isPhoneNumberVerified,
            ])
        },
        "zenkey/port-token-header": { sample in
            let header = try header(sample)
            #expect(PortToken.accepts(type: header.type))
            return SampleReading(["typ": header.type, "kid": header.keyID])
        },
        "zenkey/port-token": { sample in
            SampleReading(registered(try sample.claims))
        },
    ]
}
