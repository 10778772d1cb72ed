import JOSEKeySets
import JOSETokens
import Testing

/// The texts of values that a service receives, and the values that must be in none of them.
final class LeakLog {
    /// Personal data that every ID token and userinfo response contains.
    static let planted: [(name: String, value: String)] = [
        ("given_name", "Rosalinde-Planted"), ("email", "planted@example.com"), ("phone_number", "+32 470112233"),
        ("dk.cpr", "2902881234"), ("http://itsme.services/v2/claim/BENationalNumber", "85073003328"),
        ("tag:sixdots.be,2017-05:claim_passport_sn", "EK654321"), ("last_4_social", "6789-planted"),
        ("bsn", "123456782"), ("mitid.uuid", "0b9c6e2e-6d9b-4a3e-8d8c-5a2f3a8b1c4d"),
    ]
    static let words = "planted words of the provider, 2902881234"

    private(set) var texts: [(what: String, text: String)] = []
    var needles: Set<String> = ["user-1", "a secret of thirty-two bytes", words, ZenKeyFixture.secret]

    func add(_ what: String, _ value: Any?) {
        guard let value else { return }
        var dumped = ""
        dump(value, to: &dumped)
        for text in ["\(value)", String(reflecting: value), dumped] { texts.append((what, text)) }
    }

    /// Adds the secrets that the client sent to the provider.
    func addSecrets(_ requests: [TransportRequest]) {
        for request in requests {
            for name in [
                "code", "code_verifier", "client_assertion", "client_secret", "refresh_token", "request", "auth_req_id",
            ] {
                FormFields(String(decoding: request.body, as: UTF8.self))[name].map { _ = needles.insert($0) }
            }
            for field in request.headers where field.name == "Authorization" { needles.insert(field.value) }
        }
    }

    func addSecrets(ofURL url: String, _ binding: String) {
        needles.insert(binding)
        for name in ["state", "nonce", "request", "code_challenge", "request_uri"] {
            FormFields(ofURL: url)[name].map { _ = needles.insert($0) }
        }
    }

    /// Searches all texts for each value, as text and as the bytes of an array.
    func search(_ profile: String) {
        #expect(texts.count > 40 && needles.count > 10)
        for needle in needles.union(Self.planted.map(\.value)) where needle.utf8.count >= 6 {
            let bytes = needle.utf8.map { "\($0)" }.joined(separator: ", ")
            let found = texts.first { $0.text.contains(needle) || $0.text.contains(bytes) }
            #expect(found == nil, "\(profile): \(found?.what ?? "") has \(needle.prefix(12))…")
        }
    }
}

extension ScriptedProvider.Script {
    /// Adds a change of the ID token to those of the script.
    mutating func change(_ change: @escaping @Sendable (inout ClaimsBuilder) -> Void) {
        let before = idTokenClaims
        idTokenClaims = { claims in
            before(&claims)
            change(&claims)
        }
    }

    mutating func plant(_ planted: [(name: String, value: String)]) {
        change { claims in for (name, value) in planted { claims[name] = .string(value) } }
        let before = userInfoClaims
        userInfoClaims = { claims in
            before(&claims)
            for (name, value) in planted { claims[name] = .string(value) }
        }
    }
}
