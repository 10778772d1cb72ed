import Foundation
import JOSE
import JOSEKeySets
import JOSETesting
import JOSETokens
import TestSupport
import Testing

@testable import AppLinks
@testable import JOSEItsme
@testable import JOSERelyingParty

@Suite("Samples of itsme's documents") struct ItsmeSampleTests {
    @Test("R41 itsme: every member of every sample is read, or listed with a reason", arguments: table.keys.sorted())
    func samples(_ name: String) async throws {
        let sample = try ProviderSample(name)
        let read = try #require(Self.table[name])
        #expect(try await read(sample).faults(sample) == [])
    }

    static let table: SampleTable = messages.merging(claims) { first, _ in first }
        .merging(requests) { first, _ in first }

    /// Returns the typed reading of a userinfo response.
    private static func user(_ sample: ProviderSample) throws -> ItsmeUser {
        ItsmeUser(claims: ItsmeClaims(sources: [try sample.claims]))
    }

    private static let messages: SampleTable = [
        "itsme/callback-code": { sample in
            let callback = try sample.callback
            return SampleReading(["code": callback["code"], "state": callback["state"]])
        },
        "itsme/callback-error": { sample in
            let callback = try sample.callback
            let code = try #require(callback["error"].flatMap { ProviderErrorCode($0) })
            #expect(Itsme.errors.error(code, nil, .authorization, .callback).action == .fixConfiguration)
            return SampleReading([
                "error": code, "error_description": callback["error_description"], "state": callback["state"],
            ])
        },
        "itsme/callback-denied": { sample in
            let callback = try sample.callback
            let code = try #require(callback["error"].flatMap { ProviderErrorCode($0) })
            #expect(Itsme.errors.error(code, nil, .authorization, .callback).reason == .cancelled)
            return SampleReading(["error": code, "state": callback["state"]])
        },
        "itsme/token-response": { sample in
            let response = try sample.tokenResponse
            return SampleReading(
                [
                    "access_token": response.accessToken, "id_token": response.idToken,
                    "expires_in": response.expiresIn?.components.seconds,
                ], notSurfaced: ["token_type": "The reader requires Bearer and has no other value to give."])
        },
        "itsme/token-error": { sample in
            let fixture = try LoginFixture.itsmeV2()
            let text = sample.message.text
            fixture.provider.script.answers[.token] = { _ in .json(text, status: 400) }
            let error = try await fixture.failure()
            guard case .providerError(let code)? = error?.reason else { return SampleReading([:]) }
            #expect(error?.step == .tokenResponse && error?.action == .fixConfiguration)
            return SampleReading(["error": code])
        },
        "itsme/id-token-header": { _ in
            let response = try ProviderSample("itsme/token-response").tokenResponse
            let header = try UnverifiedToken(try #require(response.idToken)).header
            return SampleReading(["alg": header.algorithmName, "kid": header.keyID])
        },
        "itsme/id-token-today": { sample in
            try sample.passes(.itsmeKey)
            let (claims, user) = (try sample.claims, try user(sample))
            return SampleReading([
                "sub": claims.subject, "aud": claims.audience.first, "birthdate": user.birthdate, "gender": user.gender,
                "name": user.name, "iss": claims.issuer, "nonce": claims.string("nonce"),
                "exp": claims.expiration.map { Int($0.secondsSince1970) },
                "iat": claims.issuedAt.map { Int($0.secondsSince1970) },
            ])
        },
        "itsme/userinfo-error": { sample in
            let fixture = try LoginFixture.itsmeV2()
            let attributes = sample.members
            fixture.provider.script.answers[.userInfo] = { _ in
                let text = #"error="\#(attributes["error"] ?? "")", error_description="x""#
                return TransportResponse(status: 401, headers: [TransportHeaderField("WWW-Authenticate", text)])
            }
            let error = try await fixture.failure()
            guard case .providerError(let code)? = error?.reason else { return SampleReading([:]) }
            #expect(error?.step == .userInfo && error?.action == .restart)
            return SampleReading(
                ["error": code], notSurfaced: ["error_description": "Texts of the provider are not for users or logs."])
        },
        "itsme/apple-app-site-association": { sample in
            let file = LinkFile(.apple, location: "apple-app-site-association", body: sample.bytes)
            let (links, findings) = AppleAppLinks.check(file)
            // The rest of the sample has no finding.
            #expect(findings == [.error(.appID, at: "applinks.details[0].appID")] && links?.details == [])
            let text = sample.message.text.replacingOccurrences(of: "JHGFJHHYX", with: "JHGFJHHYX0")
            let (read, none) = AppleAppLinks.check(
                LinkFile(.apple, location: "apple-app-site-association", body: Array(text.utf8)))
            #expect(none.isEmpty)
            let detail = try #require(read?.details.first)
            return SampleReading(
                ["applinks/details[0]/paths": detail.paths.joined(separator: " ")],
                notSurfaced: ["applinks/apps": "The list is empty by definition, and the reader requires that."],
                differs: [
                    "applinks/details[0]/appID": (
                        detail.appID, "A team's identifier has ten characters, and the sample's has nine."
                    )
                ])
        },
        "itsme/default-keys": { sample in
            let keys = try KeySet(parsing: sample.bytes).keys
            var read: [String: (any CustomStringConvertible)?] = [:]
            for (index, key) in keys.enumerated() {
                guard case .privateKey(let key) = key, case .object(let members) = try JSON(key.exportPrivateJWK())
                else { continue }
                for (name, value) in members { read["keys[\(index)]/\(name)"] = value.string }
            }
            return SampleReading(read)
        },
    ]

    private static let claims: SampleTable = [
        "itsme/userinfo-v1": { sample in
            let user = try user(sample)
            return SampleReading([
                "sub": try sample.claims.subject, "name": user.name, "given_name": user.givenName,
                "family_name": user.familyName, "email": user.email, "picture": user.picture,
                "preferred_username": user.claim("preferred_username"),
            ])
        },
        "itsme/userinfo-v2": { sample in
            let user = try user(sample)
            return SampleReading([
                "sub": try sample.claims.subject, "name": user.name, "given_name": user.givenName,
                "family_name": user.familyName, "email": user.email, "picture": user.picture,
            ])
        },
        "itsme/claim-device": { sample in
            let device = try #require(try user(sample).device)
            var read: [String: (any CustomStringConvertible)?] = ["os": device.operatingSystem]
            for name in ["debugEnabled", "hasSimEnabled", "smsEnabled", "rooted"] { read[name] = device.flag(name) }
            for name in [
                "appName", "appRelease", "deviceLabel", "deviceId", "osRelease", "manufacturer", "deviceLockLevel",
                "imei", "deviceModel", "msisdn", "sdkRelease",
            ] { read[name] = device.text(name) }
            return SampleReading(read.under("tag:sixdots.be,2017-05:claim_device"))
        },
        "itsme/claim-transaction-info": { sample in
            let info = try #require(try user(sample).transactionInfo)
            let read: [String: (any CustomStringConvertible)?] = [
                "securityLevel": info.securityLevel?.rawValue, "bindLevel": info.bindLevel?.rawValue,
                "mcc": info.mobileCountryCode,
            ]
            return SampleReading(read.under("tag:sixdots.be,2017-05:claim_transaction_info"))
        },
        "itsme/claims-v2": { sample in
            let user = try user(sample)
            let prefix = "http://itsme.services/v2/claim/"
            let address: [String: (any CustomStringConvertible)?] = [
                "formatted": user.address?.formatted, "street_address": user.address?.streetAddress,
                "postal_code": user.address?.postalCode, "locality": user.address?.locality,
                "country": user.address?.country,
            ]
            let birth: [String: (any CustomStringConvertible)?] = [
                "formatted": user.placeOfBirth?.formatted, "city": user.placeOfBirth?.city,
                "country": user.placeOfBirth?.country,
            ]
            var read: [String: (any CustomStringConvertible)?] = [
                "family_name": user.familyName, "given_name": user.givenName, "name": user.name, "gender": user.gender,
                "birthdate": user.birthdate, "email": user.email, "email_verified": user.isEmailVerified,
                "phone_number": user.phoneNumber, "phone_number_verified": user.isPhoneNumberVerified,
                prefix + "birthdate_as_string": user.claim("birthdate_as_string"),
                prefix + "claim_citizenship": user.citizenship, prefix + "BEeidSn": user.belgianCardNumber?.value,
                prefix + "BENationalNumber": user.belgianNationalNumber?.value,
            ]
            #expect(user.belgianNationalNumber?.isValid == true && user.belgianCardNumber?.isValid == false)
            #expect(user.photo == nil)
            read.merge(address.under("address")) { first, _ in first }
            read.merge(birth.under(prefix + "place_of_birth")) { first, _ in first }
            return SampleReading(
                read, notSurfaced: [prefix + "physical_person_photo": "The document cuts the image short."])
        },
    ]
}

extension [String: (any CustomStringConvertible)?] {
    /// Returns the members as those of an object with this name.
    func under(_ name: String) -> Self {
        Dictionary(uniqueKeysWithValues: map { (name + "/" + $0.key, $0.value) })
    }
}
