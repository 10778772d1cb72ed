import Foundation
import JOSETokens
import Testing

@Suite("Failures of decoding and encoding") struct CodingFailureTests {
    private struct Account: Codable {
        struct Address: Codable {
            var lines: [String]
            var codes: [String: [Int]]
        }
        var name: String
        var address: Address?
        var page: URL?

        enum CodingKeys: String, CodingKey { case name, address, page = "home_page" }
    }

    /// A type whose keys are created from the content.
    private struct Anything: Decodable {
        struct Key: CodingKey {
            let stringValue: String
            let intValue: Int? = nil
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
        enum Named: CodingKey {
            case other(String)
            var stringValue: String { if case .other(let text) = self { text } else { "" } }
            init(stringValue: String) { self = .other(stringValue) }
            var intValue: Int? { nil }
            init?(intValue: Int) { nil }
        }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            for key in container.allKeys where key.stringValue.hasPrefix("secret") {
                _ = try container.decode(Int.self, forKey: key)
            }
            let named = try decoder.container(keyedBy: Named.self)
            for key in named.allKeys where key.stringValue.hasPrefix("hidden") {
                _ = try named.decode(Int.self, forKey: key)
            }
        }
    }

    private struct Own: Decodable {
        struct Refused: Error {}
        init(from decoder: any Decoder) throws { throw Refused() }
    }

    private func failure(_ json: String, _ type: (some Decodable).Type) throws -> CodingFailure? {
        let key = try SecretKey.generate(bits: 256)
        let policy = TokenPolicy.signed(
            SignaturePolicy(algorithms: [.hs256]), claims: ClaimPolicy(issuer: "i", audience: "a"))
        let token = try TokenIssuer(policy, signingKey: key).issue(json: Array(json.utf8))
        do throws(TokenError) {
            _ = try TokenVerifier(policy, verificationKeys: key).verify(token, as: type)
            return nil
        } catch .notDecodable(let failure) {
            return failure
        }
    }

    @Test("a decoding failure names its kind and the coding path, with declared keys and positions alone (T59)")
    func decoding() throws {
        for (json, expected, text) in [
            (#"{"name":"u","address":{"lines":["a"],"codes":{"secret":[1]}}}"#, nil, ""),
            (#"{"address":null}"#, CodingFailure(.keyMissing, at: "name"), "name is missing"),
            (#"{"name":null}"#, CodingFailure(.valueMissing, at: "name"), "name is null, and a value is required"),
            (
                #"{"name":"u","address":{"lines":["a",1],"codes":{}}}"#,
                CodingFailure(.typeMismatch, at: "address.lines[1]"),
                "address.lines[1] is of another JSON type"
            ),
            (
                #"{"name":"u","address":{"lines":[],"codes":{"secret":[1,"x"]}}}"#,
                CodingFailure(.typeMismatch, at: "address.codes.*[1]"), "address.codes.*[1] is of another JSON type"
            ),
            (
                #"{"name":"u","address":{"codes":{}}}"#, CodingFailure(.keyMissing, at: "address.lines"),
                "address.lines is missing"
            ),
            (
                #"{"name":"u","home_page":"http://[x"}"#, CodingFailure(.valueInvalid, at: "home_page"),
                "home_page has a value that is not accepted"
            ),
        ] as [(String, CodingFailure?, String)] {
            let failure = try failure(json, Account.self)
            #expect(failure == expected, "\(json)")
            #expect(failure?.description ?? "" == text)
        }
        #expect(try failure(#"{"secret-1":1}"#, Anything.self) == nil)
        #expect(try failure(#"{"secret-1":"x"}"#, Anything.self) == CodingFailure(.typeMismatch, at: "*"))
        #expect(try failure(#"{"hidden-1":"x"}"#, Anything.self) == CodingFailure(.typeMismatch, at: "*"))
        #expect(try failure("{}", Own.self) == CodingFailure(.other))
        #expect(
            TokenError.notDecodable(CodingFailure(.keyMissing, at: "sub")).description
                == "the claims cannot be decoded as the requested type: sub is missing")
    }

    @Test("an encoding failure differs from a decoding failure, and masks the keys of dictionaries")
    func encoding() throws {
        let key = try SecretKey.generate(bits: 256)
        let policy = TokenPolicy.signed(
            SignaturePolicy(algorithms: [.hs256]), claims: ClaimPolicy(issuer: "i", audience: "a"))
        let issuer = try TokenIssuer(policy, signingKey: key)
        #expect(throws: Never.self) { try issuer.issue(encoding: ["secret": [0.5, 1]]) }
        #expect(throws: TokenError.notEncodable(CodingFailure(.valueInvalid, at: "*[1]"))) {
            try issuer.issue(encoding: ["secret": [0.5, Double.nan]])
        }
    }

    @Test("localizedDescription of an error is its description, and its recovery suggestion is the remedy")
    func localized() throws {
        for error in [
            TokenError.claim(.expired), TokenError.cancelled, JOSEError.signatureInvalid, JOSEError.keyNotFound,
            StoreError.full,
        ] as [any CodedError] {
            #expect((error as any Error).localizedDescription == "\(error)")
            #expect(error.recoverySuggestion == error.remedy && error.failureReason == nil)
        }
        #expect((TokenError.claim(.expired) as any Error).localizedDescription == "the token has expired")
    }
}
