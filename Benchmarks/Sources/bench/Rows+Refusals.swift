internal import Dispatch
internal import Foundation
internal import JOSE
internal import JOSETokens

extension Fixtures {
    /// Returns rows of rejected tokens, which show the cost of a flood of them. The raw call is that of the valid token: the work
    /// up to the rejection, if there is any.
    func refusalRows() throws -> [Row] {
        try signatureRefusals() + shapeRefusals() + claimRefusals() + nestedRefusals() + nestedShapeRefusals()
    }

    /// Returns the row of a rejection. Without `raw` no key is used, and a rejection must cost less than a microsecond.
    private func refusal(
        _ name: String, _ verifier: TokenVerifier, _ token: [UInt8], raw: (() -> Raw)? = nil,
        _ expected: (TokenError) -> Bool
    ) -> Row {
        do throws(TokenError) {
            _ = try verifier.verify(token.span)
            fatalError("\(name): accepted")  // nothing to measure
        } catch {
            guard expected(error) else { fatalError("\(name): \(error)") }  // the same
        }
        return Row("refuse", name, refusing(verifier, token), raw: raw, goals: raw == nil ? [.nanoseconds(1_000)] : [])
    }

    private func signatureRefusals() throws -> [Row] {
        try [SignatureAlgorithm.rs256, .es256, .edDSA, .hs256].map { algorithm in
            let signed = try SignedCase(self, algorithm)
            let token = changed(signed.token, part: 2)
            return refusal("signature \(algorithm.name)", signed.verifier, token, raw: signed.rawVerify) {
                $0 == .jose(.signatureInvalid, layer: .signature)
            }
        }
    }

    private func shapeRefusals() throws -> [Row] {
        let signed = try SignedCase(self, .rs256)
        let other = try SignedCase(self, .hs256)
        let parts = signed.parts.text
        let renamed = try JWSSigner(key: rsa, algorithm: .rs256, header: HeaderParameters(keyID: "another")).sign(
            claims)
        let notBase64 = join([parts[0], parts[1].dropLast() + [UInt8(ascii: "=")], parts[2]])
        let notJSON = join([Array("eyJhbGciOiJSUzI1NiIsfQ".utf8), parts[1], parts[2]])
        let critical = join([Array("eyJhbGciOiJSUzI1NiIsImNyaXQiOlsieCJdLCJ4IjoxfQ".utf8), parts[1], parts[2]])
        let charset = join([parts[0], parts[1].dropLast(3) + [0xC3, 0xA9, 0x20], parts[2]])
        let large = [UInt8](repeating: UInt8(ascii: "a"), count: 300 * 1024)
        return [
            refusal("two parts", signed.verifier, join([parts[0], parts[1]]), isMalformed),
            refusal("bad base64url", signed.verifier, notBase64, isMalformed),
            refusal("bad charset", signed.verifier, charset, isMalformed),
            refusal("bad header", signed.verifier, notJSON, isMalformed),
            refusal("unknown crit", signed.verifier, critical) {
                $0 == .jose(.criticalHeaderUnknown, layer: .signature)
            },
            refusal("300 kB", signed.verifier, large) { $0 == .jose(.limitExceeded(.tokenBytes), layer: .signature) },
            refusal("algorithm not allowed", signed.verifier, other.token) {
                $0 == .jose(.algorithmNotAllowed(.signature), layer: .signature)
            },
            refusal("unknown key", signed.verifier, Array(renamed.utf8)) {
                $0 == .jose(.keyNotFound, layer: .signature)
            },
        ]
    }

    private func claimRefusals() throws -> [Row] {
        let now = Int(Date().timeIntervalSince1970)
        let expired = try SignedCase(self, .rs256, claims: Self.claims(now: now - 7200, expires: now - 3600))
        let elsewhere = String(decoding: claims, as: UTF8.self).replacingOccurrences(
            of: Self.audience, with: "another-portal-web-1")
        let misdirected = try SignedCase(self, .rs256, claims: Array(elsewhere.utf8))
        return [
            refusal("expired RS256", expired.verifier, expired.token, raw: expired.rawVerify) {
                $0 == .claim(.expired)
            },
            refusal("audience RS256", misdirected.verifier, misdirected.token, raw: misdirected.rawVerify) {
                $0 == .claim(.audienceMismatch)
            },
        ]
    }

    private func nestedRefusals() throws -> [Row] {
        try nestedCases().prefix(3).flatMap { nested in
            // The last part is the tag; the second is the encrypted key, which is empty in direct key agreement.
            let encryptedKey = TokenParts(nested.token).text[1]
            return (encryptedKey.isEmpty ? [4] : [4, 1]).map { part in
                refusal(
                    "\(part == 4 ? "tag" : "encrypted key") \(nested.name)", nested.verifier,
                    changed(nested.token, part: part), raw: nested.rawOpen
                ) { $0 == .jose(.decryptionFailed, layer: .encryption) }
            }
        }
    }

    /// Returns rows of nested tokens that are rejected before a private-key operation, the limiter's rejection included.
    private func nestedShapeRefusals() throws -> [Row] {
        let limiter = DecryptionLimiter(maxConcurrent: 1, maxQueued: 0)
        let nested = try NestedCase(self, recipient("RSA-OAEP"), .a128cbcHS256, .rs256, limiter: limiter)
        let other = try NestedCase(self, recipient("ECDH-ES P-256"), .a128gcm, .es256)
        let parts = TokenParts(nested.token).text
        let notJSON = join([Array("eyJhbGciOiJSU0EtT0FFUCIsfQ".utf8)] + parts[1...])
        let notBase64 = join(parts[0...2] + [parts[3].dropLast() + [UInt8(ascii: "=")], parts[4]])
        var header = HeaderParameters(contentType: "JWT")
        header.keyID = "another"
        let renamed = try JWEEncrypter(
            key: rsa.publicKey, keyManagement: .rsaOAEP, contentEncryption: .a128cbcHS256, header: header
        ).encrypt(claims)
        // The only slot of the limiter is taken, and stays so.
        let (taken, never) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        Task.detached {
            try? await limiter.withSlot {
                taken.signal()
                never.wait()
            }
        }
        taken.wait()
        func malformed(_ error: TokenError) -> Bool {
            if case .jose(.malformed, layer: .encryption) = error { true } else { false }
        }
        return [
            refusal("nested, four parts", nested.verifier, join(Array(parts[0...3])), malformed),
            refusal("nested, bad base64url", nested.verifier, notBase64, malformed),
            refusal("nested, bad header", nested.verifier, notJSON, malformed),
            refusal("nested, 300 kB", nested.verifier, [UInt8](repeating: UInt8(ascii: "a"), count: 300 * 1024)) {
                $0 == .jose(.limitExceeded(.tokenBytes), layer: .encryption)
            },
            refusal("nested, algorithm not allowed", nested.verifier, other.token) {
                $0 == .jose(.algorithmNotAllowed(.keyManagement), layer: .encryption)
            },
            refusal("nested, unknown key", nested.verifier, Array(renamed.utf8)) {
                $0 == .jose(.keyNotFound, layer: .encryption)
            },
            refusal("nested, overloaded", nested.verifier, nested.token) {
                $0 == .jose(.overloaded(.busy), layer: .encryption)
            },
        ]
    }

    private func join(_ parts: [[UInt8]]) -> [UInt8] { Array(parts.joined(separator: [UInt8(ascii: ".")])) }

    private func recipient(_ name: String) throws -> Recipient {
        guard let found = try recipients().first(where: { $0.name == name }) else { throw JOSEError.keyNotFound }
        return found
    }

    /// Returns the token with one bit changed in the bytes of that part.
    private func changed(_ token: [UInt8], part: Int) -> [UInt8] {
        var text = TokenParts(token).text
        let place = text[part].count / 2
        text[part][place] = text[part][place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        return Array(text.joined(separator: [UInt8(ascii: ".")]))
    }

    private func isMalformed(_ error: TokenError) -> Bool {
        if case .jose(.malformed, layer: .signature) = error { true } else { false }
    }
}

private func refusing(_ verifier: TokenVerifier, _ token: [UInt8]) -> Work {
    { count in
        let bytes = token.span
        var good = 0
        for _ in 0..<count where (try? verifier.verify(bytes)) == nil { good += 1 }
        return good
    }
}
