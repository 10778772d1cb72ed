internal import CRaw
internal import Foundation
internal import JOSE
internal import JOSETokens

/// The tokens of a profile: one, or several if each may be used once.
private struct Tokens {
    let all: [[UInt8]]

    init(_ count: Int, _ make: (Int) throws -> String) rethrows {
        all = try (0..<count).map { Array(try make($0).utf8) }
    }
}

/// The tokens in turn, with a verifier whose store has not seen them. A new verifier takes its place before tokens are
/// repeated. It is made before the first call, so that the creation of a verifier is not counted as the work of a token.
private final class Turns<Verifier> {
    /// A property that never changes is passed on without a copy.
    private final class Held {
        let verifier: Verifier
        init(_ verifier: Verifier) { self.verifier = verifier }
    }
    private let tokens: Tokens
    private let make: () throws -> Verifier
    private var held: Held
    private var used = 0

    init(_ tokens: Tokens, _ make: @escaping () throws -> Verifier) throws {
        self.tokens = tokens
        self.make = make
        held = Held(try make())
    }

    func run(_ count: Int, _ isVerified: (Verifier, [UInt8]) -> Bool) -> Int {
        var good = 0
        for _ in 0..<count {
            if used == tokens.all.count {
                if used > 1, let verifier = try? make() { held = Held(verifier) }
                used = 0
            }
            if isVerified(held.verifier, tokens.all[used]) { good += 1 }
            used += 1
        }
        return good
    }
}

extension Fixtures {
    /// Returns rows of the profiles with their checks, and with a replay store in memory if tokens may be used once.
    func profileRows() throws -> [Row] {
        [
            try idTokenRow(), try accessTokenRow(), try assertionRow(), try logoutRow(),
        ] + (try proofRows()) + (try disclosureRows())
    }

    var now: Int { Int(Date().timeIntervalSince1970) }

    private func row<P: TokenProfile>(
        _ name: String, _ signed: SignedCase, _ profile: @escaping () -> P, _ tokens: Tokens
    ) throws -> Row {
        let keys = signed.fixture.verificationKeys
        let turns = try Turns(tokens) { try TokenVerifier(profile(), verificationKeys: keys) }
        return Row(
            "profile", name,
            { count in
                turns.run(count) { verifier, token in
                    guard let held = try? verifier.verify(token.span) else { return false }
                    return held.claims.payload.count > 0
                }
            }, raw: signed.rawVerify)
    }

    private func idTokenRow() throws -> Row {
        let accessToken = "SlAV32hkKG-4f0b1d7a5c6e9"
        let hash = try SignatureAlgorithm.rs256.tokenHash(of: accessToken)
        let text = String(decoding: claims, as: UTF8.self).dropLast() + #","at_hash":"\#(hash)"}"#
        let signed = try SignedCase(self, .rs256, claims: Array(text.utf8))
        return try row(
            "ID token RS256", signed,
            {
                var profile = IDTokenProfile(
                    issuer: Self.issuer, clientID: Self.audience, nonce: "n-0S6_WzA2Mj9fQbX7tR1kLw",
                    algorithms: [.rs256])
                profile.accessToken = accessToken
                return profile
            }, Tokens(1) { _ in String(decoding: signed.token, as: UTF8.self) })
    }

    private func accessTokenRow() throws -> Row {
        let text =
            String(decoding: claims, as: UTF8.self).dropLast()
            + #","client_id":"s6BhdRkqt3","jti":"dbe39bf3a3ba4238a513","scope":"openid profile read:accounts"}"#
        let signed = try SignedCase(self, .es256, claims: Array(text.utf8), type: "at+jwt")
        return try row(
            "at+jwt ES256", signed,
            {
                var profile = AccessTokenProfile(
                    issuer: .exactly(Self.issuer), resource: .exactly(Self.audience), algorithms: [.es256])
                profile.scopes = ["read:accounts"]
                return profile
            }, Tokens(1) { _ in String(decoding: signed.token, as: UTF8.self) })
    }

    private func assertionRow() throws -> Row {
        let client = "s6BhdRkqt3"
        func text(_ index: Int) -> String {
            """
            {"iss":"\(client)","sub":"\(client)","aud":"\(Self.issuer)","iat":\(now),"exp":\(now + 600),\
            "jti":"c9b2a7e05d3f4186-\(index)"}
            """
        }
        let signed = try SignedCase(self, .ps256, claims: Array(text(0).utf8))
        let signer = try signed.fixture.signer(.ps256)
        return try row(
            "client assertion PS256, used once", signed,
            {
                var profile = ClientAssertionProfile(
                    clientID: client, server: Self.issuer, algorithms: [.ps256], replayStore: InMemoryReplayStore())
                profile.maximumLifetime = .seconds(86_400)
                return profile
            }, Tokens(256) { try signer.sign(text($0)) })
    }

    private func logoutRow() throws -> Row {
        func text(_ index: Int) -> String {
            """
            {"iss":"\(Self.issuer)","aud":"\(Self.audience)","iat":\(now),"exp":\(now + 86_400),"jti":"bWJq-\(index)",\
            "sub":"248289761001","events":{"http://schemas.openid.net/event/backchannel-logout":{}}}
            """
        }
        let signed = try SignedCase(self, .es256, claims: Array(text(0).utf8), type: "logout+jwt")
        let signer = try signed.fixture.signer(.es256, type: "logout+jwt")
        return try row(
            "logout token ES256, used once", signed,
            {
                var profile = LogoutTokenProfile(
                    issuer: Self.issuer, clientID: Self.audience, algorithms: [.es256],
                    replayStore: InMemoryReplayStore())
                profile.maximumLifetime = .seconds(86_400)
                return profile
            }, Tokens(1024) { try signer.sign(text($0)) })
    }

    /// Returns the rows of DPoP proofs. The raw calls are the import of the proof's key, its signature, and the two hashes that
    /// are compared with the access token: of the token, `ath`, and of the key, `jkt` (RFC 9449, 4.3 and 6.1).
    private func proofRows() throws -> [Row] {
        let url = "https://resource.example.org/accounts?page=2"
        let accessToken = "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"
        let prover = try DPoPProver(key: p256, algorithm: .es256)
        let thumbprint = try prover.key.thumbprint()
        let request = DPoPRequest(
            method: "GET", url: url, accessToken: accessToken,
            confirmation: KeyConfirmation(keyThumbprint: thumbprint))
        let tokens = try Tokens(1024) { _ in try prover.proof(method: "GET", url: url, accessToken: accessToken) }
        let point = try uncompressed(p256.publicKey)
        let der = try p256.publicKey.der()
        let parts = TokenParts(tokens.all[0])
        func text(_ coordinate: ArraySlice<UInt8>) -> String {
            String(decoding: TokenParts.encode(Array(coordinate)), as: UTF8.self)
        }
        let bare = #"{"crv":"P-256","kty":"EC","x":"\#(text(point[1..<33]))","y":"\#(text(point[33...]))"}"#
        let turns = try Turns(tokens) {
            try DPoPVerifier(algorithms: [.es256], replayStore: InMemoryReplayStore()) {
                $0.maximumAge = .seconds(86_400)
            }
        }
        let verify = Row(
            "profile", "DPoP verify ES256, used once",
            { count in
                turns.run(count) { proofs, token in (try? proofs.verify(token.span, for: request)) != nil }
            },
            raw: {
                Raw(
                    "key", "EC", [(.point, point)],
                    then: [
                        Raw(
                            "verify", "ES256",
                            [(.key, der), (.input, parts.signingInput), (.signature, parts.decoded[2])]),
                        Raw("digest", "SHA256", [(.input, Array(accessToken.utf8))]),
                        Raw("digest", "SHA256", [(.input, Array(bare.utf8))]),
                    ])
            }, note: "raw: the key made from its point, the signature, ath and jkt")
        let secret = try p256.exportPrivateDER()
        let prove = Row(
            "profile", "DPoP prove ES256",
            { count in
                var good = 0
                for _ in 0..<count {
                    if (try? prover.proof(method: "GET", url: url, accessToken: accessToken)) != nil { good += 1 }
                }
                return good
            }, raw: { Raw("sign", "ES256", [(.key, secret), (.input, parts.signingInput)]) })
        return [verify, prove]
    }

    func uncompressed(_ key: PublicKey) throws -> [UInt8] {
        let members = TokenParts.members(Array(key.jwk().utf8))
        return [4] + (members["x"] ?? []) + (members["y"] ?? [])
    }
}
