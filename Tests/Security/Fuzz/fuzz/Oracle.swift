import FoundationEssentials
import JOSE
import JOSETesting
import JOSETokens

/// Compares accepted tokens with the result of Foundation's JSON decoder.
enum Oracle {
    private struct Seen: Decodable {
        let iss: String
        let aud: Audience
        let exp: Double
        let nbf: Double?
        let iat: Double?
    }
    private enum Audience: Decodable {
        case one(String)
        case many([String])
        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if let text = try? value.decode(String.self) {
                self = .one(text)
            } else {
                self = .many(try value.decode([String].self))
            }
        }
        var texts: [String] {
            switch self {
            case .one(let text): [text]
            case .many(let texts): texts
            }
        }
    }

    static func check(
        _ verified: VerifiedToken, _ token: [UInt8], _ claims: [UInt8], _ verifier: TokenVerifier, _ issuer: TestIssuer,
        _ tally: inout Tally
    ) {
        tally.expect(verified.claims.payload == claims, "the payload is not what was signed")
        if verified.encryptionHeader == nil {
            let part = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)[1]
            tally.expect(Forge.encoded(claims).utf8.elementsEqual(part), "the payload is not the token's part")
        }
        let seen: Seen
        do {
            seen = try JSONDecoder().decode(Seen.self, from: Data(claims))
        } catch {
            tally.find("Foundation cannot read what was accepted: \(String(decoding: claims, as: UTF8.self)): \(error)")
            return
        }
        let now = issuer.clock.now.secondsSince1970
        let leeway = Double(issuer.policy.claims.leeway.components.seconds)
        func same(_ a: String?, _ b: String) -> Bool { a.map { $0.utf8.elementsEqual(b.utf8) } ?? false }
        tally.expect(same(seen.iss, issuer.issuer) && same(verified.claims.issuer, seen.iss), "iss")
        tally.expect(seen.aud.texts.contains { same($0, issuer.audience) }, "aud")
        tally.expect(seen.aud.texts.count == verified.claims.audience.count, "aud list")
        tally.expect(seen.exp + leeway > now && seen.exp == verified.claims.expiration?.secondsSince1970, "exp")
        tally.expect(seen.nbf ?? 0 <= now + leeway && seen.nbf == verified.claims.notBefore?.secondsSince1970, "nbf")
        tally.expect(seen.iat ?? 0 <= now + leeway && seen.iat == verified.claims.issuedAt?.secondsSince1970, "iat")
        let text = String(decoding: token, as: UTF8.self)
        let (again, _) = outcome(ofToken: { () throws(TokenError) in try verifier.verify(text, as: Anything.self) })
        tally.expect(again == nil, "the second time refused: \(again?.rawValue ?? "")")
        for name in ["x", "sub", "email", "", "aud", "exp"] {
            let claims = verified.claims
            _ = (
                claims.string(name), claims.integer(name), claims.number(name), claims.bool(name), claims.strings(name)
            )
            guard let json = claims.json(name) else { continue }
            tally.expect(
                (try? JSONDecoder().decode([Anything].self, from: Data([0x5B] + json + [0x5D]))) != nil,
                "Foundation cannot read \(name): \(String(decoding: json, as: UTF8.self))")
        }
    }

    /// Any JSON value, which is decoded and ignored.
    private struct Anything: Decodable {
        init(from decoder: any Decoder) throws {
            if var list = try? decoder.unkeyedContainer() {
                while !list.isAtEnd { _ = try list.decode(Anything.self) }
            }
        }
    }
}
