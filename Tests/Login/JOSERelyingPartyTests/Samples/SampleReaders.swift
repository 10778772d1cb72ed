import JOSE
import JOSEKeySets
import JOSETokens
import TestSupport
import Testing

@testable import JOSERelyingParty

/// The reading of each sample of a provider, by the name of its file.
typealias SampleTable = [String: @Sendable (ProviderSample) async throws -> SampleReading]

extension ProviderSample {
    /// The message as the claims of a token or of a userinfo answer.
    var claims: Claims {
        get throws { try Claims(payload: bytes, limits: .standard, layer: .signature) }
    }

    /// The message as the answer of a token endpoint.
    var tokenResponse: TokenResponse {
        get throws { try TokenResponse(.json(message.text), requiresIDToken: true) }
    }

    /// The message as the query of a callback.
    var callback: CallbackParameters {
        get throws {
            let text = String(decoding: bytes, as: UTF8.self)
            let query = text.split(separator: "?").last.map(String.init) ?? text
            return try AuthorizationCallback.query(query).parameters()
        }
    }

    /// Runs a profile's checks of an ID token on the message, as if a login with its issuer and nonce ended at its
    /// `iat`.
    func passes(_ profile: ProviderProfile, clientID: String? = nil, now: NumericDate? = nil) throws {
        let claims = try claims
        let issuer = try #require(claims.issuer)
        let now = try #require(now ?? claims.issuedAt).secondsSince1970
        let transaction = LoginTransaction(
            profile: profile.name, clientID: clientID ?? claims.audience.first ?? "", issuer: issuer, state: "",
            nonce: claims.string("nonce") ?? "", redirectURI: "", responseMode: .query, bindingHash: "", created: now)
        let login = LoginContext(
            claims: claims, token: nil, transaction: transaction, clientID: transaction.clientID, issuer: issuer,
            now: now, leeway: profile.idToken.leewaySeconds, response: nil, code: nil, isProduction: true,
            deadline: nil)
        try login.check(profile.idToken.rules + IDTokenRules.always)
        // For another client, this token is rejected.
        let other = LoginContext(
            claims: claims, token: nil, transaction: transaction, clientID: "another-client", issuer: issuer, now: now,
            leeway: profile.idToken.leewaySeconds, response: nil, code: nil, isProduction: true, deadline: nil)
        #expect(throws: RelyingPartyError.Reason.audienceMismatch) {
            try other.check(profile.idToken.rules)
        }
    }
}

/// The parameters that the library sends for a request, by their names.
struct SentParameters {
    let values: [String: String]

    /// An authorization request whose `state` and `nonce` are those of the sample.
    init(
        _ request: LoginRequest, _ profile: ProviderProfile, clientID: String, redirectURI: String,
        like sample: ProviderSample
    ) throws {
        let client = RelyingPartyClient(
            id: clientID, redirectURI: redirectURI, credentials: .keys(signing: TestKeys.client))
        let prepared = try PreparedRequest(request, profile, client)
        var transaction = try prepared.transaction(profile, client, issuer: "", binding: "", now: 0)
        transaction.state = sample.members["state"] ?? transaction.state
        transaction.nonce = sample.members["nonce"] ?? transaction.nonce
        let parameters = try prepared.parameters(transaction, client)
        self.init(
            .object(
                Dictionary(
                    uniqueKeysWithValues: try parameters.map { ($0.name, try Self.json($0.value)) })))
    }

    /// The claims of a request object.
    init(_ json: JSON) { values = ProviderSample.members(of: json) }

    private static func json(_ value: ParameterValue) throws -> JSON {
        switch value {
        case .text(let text): .string(text)
        case .json(let bytes): try JSON(bytes)
        }
    }

    init(_ form: FormFields) {
        values = Dictionary(form.names.map { ($0, form[$0] ?? "") }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the parameters that a sample has too, with their values.
    ///
    /// - Parameters:
    ///   - sample: The sample.
    ///   - besides: All parameters that are sent and that the sample does not have.
    ///   - differs: The parameters whose values differ, with the reasons.
    func reading(
        _ sample: ProviderSample, besides: Set<String>, differs: [String: (value: String?, reason: String)] = [:]
    ) -> SampleReading {
        let names = Set(sample.members.keys)
        #expect(Set(values.keys).subtracting(names) == besides)
        let same = names.subtracting(differs.keys)
        for (name, other) in differs { #expect(values[name] == other.value, "\(name)") }
        let read = Dictionary(uniqueKeysWithValues: same.map { ($0, values[$0] as (any CustomStringConvertible)?) })
        return SampleReading(read, differs: differs)
    }
}

@Suite("Samples of providers' documents") struct SampleCoverageTests {
    /// Read by the tests of JOSEDigiD.
    private static let elsewhere = ["digid"]

    @Test("R41 every sample of a provider has an entry in a table, and every entry its sample") func coverage() throws {
        let tables: [SampleTable] = [
            ItsmeSampleTests.table, MitIDSampleTests.table, ZenKeySampleTests.table, OpenIDSampleTests.table,
        ]
        let named = tables.flatMap(\.keys)
        let found = try ProviderSample.names.filter { name in
            !Self.elsewhere.contains { name.hasPrefix($0 + "/") }
        }
        #expect(named.sorted() == found)
        for name in found { #expect(try ProviderSample(name).source.count > 10, "\(name)") }
    }

    @Test("R41 a sample member that is not listed, renamed or misread fails, and so does an empty reason")
    func control() throws {
        let sample = try ProviderSample("itsme/claim-transaction-info")
        let name = "tag:sixdots.be,2017-05:claim_transaction_info"
        let right: [String: (any CustomStringConvertible)?] = [
            name + "/securityLevel": "SIM_AND_SOFT", name + "/bindLevel": "SIM_AND_SOFT", name + "/mcc": 206,
        ]
        #expect(SampleReading(right).faults(sample).isEmpty)
        var forgotten = right
        forgotten[name + "/mcc"] = nil
        #expect(SampleReading(forgotten).faults(sample) == ["\(name)/mcc is named 0 times"])
        var renamed = forgotten
        renamed[name + "/countryCode"] = 206
        #expect(SampleReading(renamed).faults(sample).count == 2)
        var misread = right
        misread.updateValue(nil, forKey: name + "/mcc")
        #expect(SampleReading(misread).faults(sample) == ["\(name)/mcc is nil, not 206"])
        #expect(SampleReading(forgotten, notSurfaced: [name + "/mcc": "no"]).faults(sample) == ["a reason is missing"])
        #expect(SampleReading(forgotten, notSurfaced: [name + "/mcc": "It is for itsme alone."]).faults(sample).isEmpty)
    }
}
