import JOSE
import JOSEKeySets
import JOSETesting
import JOSETokens
import TestSupport
import Testing

@testable import JOSEMitID
@testable import JOSERelyingParty

@Suite("Samples of MitID's broker") struct MitIDSampleTests {
    @Test("R41 MitID: every member of every sample is read, or listed with a reason", arguments: table.keys.sorted())
    func samples(_ name: String) async throws {
        let sample = try ProviderSample(name)
        let read = try #require(Self.table[name])
        #expect(try await read(sample).faults(sample) == [])
    }

    private static let session = "The broker's own session, which no check of the library needs."
    private static let levels = "The level that counts is loa."

    /// Returns the claims that all tokens of one login have, besides the registered ones.
    private static func login(_ claims: Claims) throws -> [String: (any CustomStringConvertible)?] {
        [
            "iss": claims.issuer, "nbf": claims.notBefore.map { Int($0.secondsSince1970) },
            "iat": claims.issuedAt.map { Int($0.secondsSince1970) },
            "exp": claims.expiration.map { Int($0.secondsSince1970) }, "aud": claims.audience.first,
            "sub": claims.subject,
            "amr": try MitIDClaims.authenticators(claims, of: .mitID).map(\.description).joined(separator: " "),
            "auth_time": try MitIDClaims.seconds("auth_time", claims).map { Int($0) }, "idp": claims.string("idp"),
            "loa": claims.string("loa").flatMap { NSISLevel(uri: $0)?.uri },
            "aal": claims.string("aal").flatMap { NSISLevel(uri: $0)?.uri },
            "identity_type": claims.string("identity_type").flatMap { MitIDIdentityType(rawValue: $0)?.rawValue },
            "transaction_id": claims.string("transaction_id"),
        ]
    }

    /// Returns the claims about the person in userinfo and in the tokens beside it.
    private static func person(_ user: MitIDUser) -> [String: (any CustomStringConvertible)?] {
        [
            "mitid.transaction_id": user.transactionID, "mitid.uuid": user.uuid, "mitid.age": user.age,
            "mitid.date_of_birth": user.dateOfBirth, "mitid.has_cpr": user.hasCPR,
            "mitid.identity_name": user.identityName, "idp_identity_id": user.identityID,
        ]
    }

    private static let notOfPerson = [
        "nemid.pid": "MitIDRegisterTests tests its reader.",
        "nemid.pid_status": "MitIDRegisterTests tests its reader.",
        "ssn.details.status": "MitIDRegisterTests tests its reader.",
        "mitid.geo_ip_distance_km": "The broker does not document the claim.",
        "mitid.cpr_consent_text": "The broker does not document the claim.",
        "mitid.cpr_consent_header": "The broker does not document the claim.",
    ]

    static let table: SampleTable = [
        "mitid/discovery": { sample in
            let issuer = "https://pp.netseidbroker.dk/op"
            return try MetadataReading.of(
                sample, issuer: issuer,
                notSurfaced: [
                    "frontchannel_logout_supported", "frontchannel_logout_session_supported",
                    "backchannel_logout_session_supported", "revocation_endpoint_auth_methods_supported",
                    "revocation_endpoint_auth_signing_alg_values_supported",
                    "introspection_endpoint_auth_methods_supported",
                    "introspection_endpoint_auth_signing_alg_values_supported", "prompt_values_supported",
                ])
        },
        "mitid/jwks": { sample in
            let set = try KeySet(parsing: sample.bytes, as: .publicOnly)
            #expect(set.unusable.isEmpty)
            var read: [String: (any CustomStringConvertible)?] = [:]
            for (index, key) in set.keys.enumerated() {
                guard case .publicKey(let key) = key, case .object(let members) = try JSON(Array(key.jwk().utf8)) else {
                    continue
                }
                for (name, value) in members {
                    guard case .array(let list) = value else {
                        read["keys[\(index)]/\(name)"] = value.string
                        continue
                    }
                    read["keys[\(index)]/\(name)"] = list.compactMap(\.string).joined(separator: " ")
                }
            }
            return SampleReading(read)
        },
        "mitid/id-token": { sample in
            try sample.passes(.mitID())
            let claims = try sample.claims
            var read = try login(claims)
            read["nonce"] = claims.string("nonce")
            read["at_hash"] = claims.string("at_hash")
            read["sid"] = claims.string("sid")
            read["session_expiry"] = try MitIDClaims.seconds("session_expiry", claims).map { Int($0) }
            return SampleReading(
                read,
                notSurfaced: [
                    "neb_sid": session, "idp_transaction_id": "It is for the provider's support.",
                    "idtoken_type": "The broker does not say what a client makes of it.",
                    "subject_type": "The broker does not document the claim.", "acr": levels, "ial": levels,
                ])
        },
        "mitid/userinfo-token": { sample in
            let claims = try sample.claims
            var read = try login(claims)
            read.merge(person(try MitIDUser(claims))) { first, _ in first }
            return SampleReading(read, notSurfaced: ["acr": levels, "ial": levels])
        },
        "mitid/transaction-token": { sample in
            let claims = try sample.claims
            let user = try MitIDUser(claims)
            var read = try login(claims)
            read.merge(person(user)) { first, _ in first }
            read["dk.cpr"] = user.cpr?.digits
            read["mitid.psd2"] = user.isPSD2
            read["transaction_actions"] = try MitIDClaims.actions(claims).joined(separator: " ")
            let evidence = "The evidence is kept with the token, and no check of the library needs it."
            return SampleReading(
                read,
                notSurfaced: notOfPerson.merging([
                    "acr": levels, "ial": levels, "redirect_uri": evidence, "nonce": evidence,
                    "requested_scope": evidence, "transaction_client_ip": evidence,
                ]) { first, _ in first })
        },
        "mitid/userinfo": { sample in
            let user = try MitIDUser(try sample.claims)
            var read = person(user)
            read["sub"] = user.subject
            read["dk.cpr"] = user.cpr?.digits
            read["mitid.psd2"] = user.isPSD2
            read["session_is_active"] = user.sessionIsActive
            read["session_expiry"] = user.sessionExpiry.map { Int($0.secondsSince1970) }
            let inToken = "The ID token of the login has it, where it is verified."
            return SampleReading(
                read,
                notSurfaced: notOfPerson.merging([
                    "idp": inToken, "loa": inToken, "aal": inToken, "ial": inToken, "subject_type": inToken,
                ]) { first, _ in first })
        },
        "mitid/token-response": { sample in
            let response = try sample.tokenResponse
            return SampleReading(
                [
                    "id_token": response.idToken, "access_token": response.accessToken, "scope": response.scope,
                    "expires_in": response.expiresIn?.components.seconds,
                    "userinfo_token": response.answer.string(MitID.userInfoToken),
                    "transaction_token": response.answer.string(MitID.transactionToken),
                    "transaction_token_ocsp_resp": response.answer.string("transaction_token_ocsp_resp"),
                ], notSurfaced: ["token_type": "The reader requires Bearer and has no other value to give."])
        },
        "mitid/callback": { sample in
            let callback = try AuthorizationCallback.form(
                sample.bytes, contentType: "application/x-www-form-urlencoded"
            ).parameters()
            return SampleReading([
                "code": callback["code"], "state": callback["state"], "iss": callback["iss"],
                "session_state": callback["session_state"],
            ])
        },
        "mitid/idp-params": { sample in
            let parameters = try MitIDParameters(parsing: sample.bytes)
            #expect(try JSON(parameters.json) == sample.message)
            return SampleReading([
                "mitid/enable_app_switch": parameters.appSwitch != nil,
                "mitid/app_switch_os": parameters.appSwitch?.system.rawValue,
                "mitid/app_switch_url": parameters.appSwitch?.url,
            ])
        },
        "mitid/cpr-match": { _ in
            SampleReading(
                [:], notSurfaced: ["errorMessage": "MitIDCPRMatchTests tests its reader."])
        },
    ]
}

/// The reading of a sample by the reader of a provider's metadata.
enum MetadataReading {
    static func of(_ sample: ProviderSample, issuer: String, notSurfaced: [String]) throws -> SampleReading {
        let metadata = try IssuerMetadata(parsing: sample.bytes, issuer: issuer)
        var read: [String: (any CustomStringConvertible)?] = [:]
        for member in MetadataMember.all where metadata.json(member.description) != nil {
            let list = metadata.strings(member)?.joined(separator: " ")
            let text: String? = metadata.string(member) ?? list
            read[member.description] = metadata.bool(member).map { "\($0)" } ?? text
        }
        let reason = "No member of MetadataMember; its JSON text is there by its name."
        for name in notSurfaced { #expect(metadata.json(name) != nil, "\(name)") }
        return SampleReading(read, notSurfaced: Dictionary(uniqueKeysWithValues: notSurfaced.map { ($0, reason) }))
    }
}
