import Foundation
import JOSE
import JOSETokens
import TestSupport
import Testing

@Suite("Date claims") struct DateClaimTests {
    /// `Tests/Vectors/own/dates.json`, which `Tests/Interop/Peers/golden_dates.py` wrote.
    struct DateFile: Decodable {
        struct Token: Decodable {
            let id: String
            let issued: Double
            let expires: Double
            let token: String
        }
        let key: JSON
        let tokens: [Token]
    }

    struct Login: Codable, Equatable {
        struct Session: Codable, Equatable {
            var auth_time: Date
        }
        var iat: Date
        var nbf: Date
        var exp: Date
        var session: Session
        var logins: [Date]
        var left: Date?
    }

    /// A claim type of the kind that jwt-kit's payloads are made of.
    struct ExpirationClaim: Codable, Equatable {
        var value: Date
        init(value: Date) { self.value = value }
        init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Date.self) }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }

    struct Stamp: Codable, Equatable {
        var at: Date
    }

    static let now = 1_795_000_100.0
    let key: SecretKey
    let policy: TokenPolicy

    init() throws {
        key = try SecretKey.generate(bits: 256)
        policy = .signed(SignaturePolicy(algorithms: [.hs256]), claims: Self.claims)
    }

    static var claims: ClaimPolicy {
        var claims = ClaimPolicy(issuer: "https://id.example", audience: "shop")
        claims.clock = .fixed(NumericDate(secondsSince1970: now))
        return claims
    }

    var verifier: TokenVerifier {
        get throws { try TokenVerifier(policy, verificationKeys: KeySet(key)) }
    }
    var issuer: TokenIssuer {
        get throws { try TokenIssuer(policy, signingKey: .symmetricKey(key)) }
    }

    static func at(_ seconds: Double) -> Date { Date(timeIntervalSince1970: seconds) }

    @Test("T73 NumericDate claims of other libraries' tokens decode as the dates that they were issued with")
    func vectors() throws {
        let place = VectorFile.folder.appending(path: "own/dates.json")
        let file = try JSONDecoder().decode(DateFile.self, from: Data(contentsOf: place))
        #expect(file.tokens.count == 7)
        let key = try PublicKey(jwk: Array(file.key.text.utf8).span)
        let verifier = try TokenVerifier(
            .signed(SignaturePolicy(algorithms: [.es256]), claims: Self.claims), verificationKeys: KeySet(key))
        for token in file.tokens {
            let (issued, expires) = (Self.at(token.issued), Self.at(token.expires))
            let login = try verifier.verify(token.token, as: Login.self)
            #expect(
                login
                    == Login(
                        iat: issued, nbf: issued, exp: expires, session: .init(auth_time: issued),
                        logins: [issued, expires]), "\(token.id)")
            #expect(try verifier.verify(Array(token.token.utf8)).claims.decode(as: Login.self) == login, "\(token.id)")
        }
    }

    @Test("T73 Date claims are encoded as whole seconds since 1970, rounded down, at any depth (RFC 7519, 2)")
    func encoding() throws {
        let login = Login(
            iat: Self.at(Self.now - 0.5), nbf: Self.at(Self.now - 60), exp: Self.at(Self.now + 600.999),
            session: .init(auth_time: Self.at(-0.5)), logins: [Self.at(0), Self.at(-1), Self.at(4_102_444_800)])
        let claims = try verifier.verify(issuer.issue(encoding: login)).claims
        #expect(claims.integer("iat") == 1_795_000_099 && claims.integer("nbf") == 1_795_000_040)
        #expect(claims.integer("exp") == 1_795_000_700)
        #expect(claims.json("session") == Array(#"{"auth_time":-1}"#.utf8))
        #expect(claims.json("logins") == Array("[0,-1,4102444800]".utf8))
        #expect(!claims.contains("left"))
        let read = try claims.decode(as: Login.self)
        #expect(read.exp == Self.at(1_795_000_700) && read.session.auth_time == Self.at(-1))
        // What was read is written as the same seconds again.
        #expect(try verifier.verify(issuer.issue(encoding: read), as: Login.self) == read)
    }

    @Test("T73 a token that is issued with a Date of tomorrow as nbf is not valid today")
    func notBefore() throws {
        struct Deferred: Codable {
            var nbf: Date
            var exp: Date
        }
        let day = 86_400.0
        let (today, end) = (Deferred(nbf: Self.at(Self.now), exp: Self.at(Self.now + 2 * day)), Self.now + 2 * day)
        #expect(
            try verifier.verify(issuer.issue(encoding: today)).claims.expiration == NumericDate(secondsSince1970: end))
        let tomorrow = Deferred(nbf: Self.at(Self.now + day), exp: Self.at(end))
        #expect(throws: TokenError.claim(.notYetValid)) { try issuer.issue(encoding: tomorrow) }
    }

    @Test("T73 payload types in the style of jwt-kit, whose claims wrap a Date, are decoded and encoded")
    func wrapped() throws {
        struct Payload: Codable, Equatable {
            var sub: String
            var exp: ExpirationClaim
            var iat: ExpirationClaim?
            var admin: Bool
        }
        let token = try JWSSigner(key: key, algorithm: .hs256).sign(
            #"{"sub":"vapor","exp":1795000700,"admin":true,"iss":"https://id.example","aud":["shop"]}"#)
        let payload = Payload(sub: "vapor", exp: .init(value: Self.at(1_795_000_700)), admin: true)
        #expect(try verifier.verify(token, as: Payload.self) == payload)
        let claims = try verifier.verify(issuer.issue(encoding: payload)).claims
        #expect(claims.json("exp") == Array("1795000700".utf8))
    }

    @Test("T73 a Date claim that is no number or beyond 2^53 seconds is rejected, and one within is decoded")
    func bounds() throws {
        for (text, seconds) in [
            ("1795000000", 1_795_000_000), ("1.7950000005e9", 1_795_000_000.5), ("0", 0), ("-1.5", -1.5),
            ("9007199254740992", 9_007_199_254_740_992), ("-9007199254740992", -9_007_199_254_740_992),
            ("9007199254740994", nil), ("-9007199254740994", nil), ("1e300", nil), ("\"1795000000\"", nil),
            ("\"2026-11-18T11:06:40Z\"", nil), ("true", nil), ("null", nil), ("[1795000000]", nil), ("{}", nil),
        ] as [(String, Double?)] {
            let token = try issuer.issue(json: Array(#"{"at":\#(text)}"#.utf8))
            #expect(throws: Never.self, "\(text)") { try verifier.verify(token) }
            if let seconds {
                #expect(try verifier.verify(token, as: Stamp.self) == Stamp(at: Self.at(seconds)), "\(text)")
            } else {
                let kind: CodingFailure.Reason =
                    text.first == "9" || text.hasPrefix("-9") || text == "1e300"
                    ? .valueInvalid : text == "null" ? .valueMissing : .typeMismatch
                #expect(throws: TokenError.notDecodable(CodingFailure(kind, at: "at")), "\(text)") {
                    try verifier.verify(token, as: Stamp.self)
                }
            }
        }
    }

    @Test("T73 an issuer rejects a Date that is not finite or beyond 2^53 seconds, and accepts one within")
    func unencodable() throws {
        for seconds in [0, -0.5, 9_007_199_254_740_992, Date.distantPast.timeIntervalSince1970] {
            #expect(throws: Never.self, "\(seconds)") { try issuer.issue(encoding: Stamp(at: Self.at(seconds))) }
        }
        for seconds in [.infinity, -.infinity, .nan, 1e300, 9_007_199_254_740_994, -9_007_199_254_740_996] {
            #expect(throws: TokenError.notEncodable(CodingFailure(.valueInvalid, at: "at")), "\(seconds)") {
                try issuer.issue(encoding: Stamp(at: Self.at(seconds)))
            }
        }
        // Nor is what JSON has no number for, or what is no object.
        #expect(throws: TokenError.notEncodable(CodingFailure(.valueInvalid, at: "*"))) {
            try issuer.issue(encoding: ["x": Double.nan])
        }
        #expect(throws: Never.self) { try issuer.issue(encoding: ["x": 0.5]) }
        #expect(throws: TokenError.self) { try issuer.issue(encoding: [0.5]) }
    }

    @Test("T73 the caller's own encoder and decoder determine the date format, which may be NumericDate")
    func ownCoders() throws {
        let stamp = Stamp(at: Self.at(1_795_000_000.5))
        let (decoder, encoder) = (JSONDecoder(), JSONEncoder())
        decoder.dateDecodingStrategy = .millisecondsSince1970
        encoder.dateEncodingStrategy = .millisecondsSince1970
        let token = try issuer.issue(encoding: stamp, using: encoder)
        #expect(try verifier.verify(token).claims.json("at") == Array("1795000000500".utf8))
        #expect(try verifier.verify(token, as: Stamp.self, using: decoder) == stamp)
        #expect(try verifier.verify(Array(token.utf8)).claims.decode(as: Stamp.self, using: decoder) == stamp)
        #expect(try verifier.verify(token, as: Stamp.self) != stamp)
        decoder.dateDecodingStrategy = .iso8601
        #expect(throws: TokenError.notDecodable(CodingFailure(.typeMismatch, at: "at"))) {
            try verifier.verify(token, as: Stamp.self, using: decoder)
        }

        struct Named: Codable, Equatable {
            var loggedInAt: Date
        }
        decoder.dateDecodingStrategy = .numericDate
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        encoder.dateEncodingStrategy = .numericDate
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let named = try issuer.issue(encoding: Named(loggedInAt: stamp.at), using: encoder)
        let claims = try verifier.verify(named).claims
        #expect(claims.json("logged_in_at") == Array("1795000000".utf8))
        #expect(try claims.decode(as: Named.self, using: decoder) == Named(loggedInAt: Self.at(1_795_000_000)))
    }

    @Test("T73 an issuer with an external key writes Date claims as NumericDate")
    func external() async throws {
        let key = try PrivateKey.generate(.ed25519)
        let policy = TokenPolicy.signed(SignaturePolicy(algorithms: [.ed25519]), claims: Self.claims)
        let issuer = try TokenIssuer(policy, externalKey: RemoteSigner(key))
        let token = try await issuer.issue(encoding: Stamp(at: Self.at(1_795_000_000.5)), timeout: .ample)
        let verifier = try TokenVerifier(policy, verificationKeys: KeySet(key.publicKey))
        #expect(try verifier.verify(token, as: Stamp.self) == Stamp(at: Self.at(1_795_000_000)))
        await #expect(throws: TokenError.notEncodable(CodingFailure(.valueInvalid, at: "at"))) {
            try await issuer.issue(encoding: Stamp(at: Self.at(.infinity)), timeout: .ample)
        }
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        let text = try await issuer.issue(encoding: Stamp(at: Self.at(0)), timeout: .ample, using: encoder)
        #expect(try verifier.verify(text).claims.string("at") == "1970-01-01T00:00:00Z")
    }
}
