internal import CRaw
internal import JOSE

extension Fixtures {
    /// Returns rows of the JSON serializations and of detached payloads.
    func jsonRows() throws -> [Row] {
        try flattenedRows() + generalRows() + encryptedRows() + detachedRows()
    }

    private func jsonVerifier(
        _ cases: [SignedCase], requirement: SignatureRequirement = .all
    ) throws -> JWSVerifier {
        var policy = SignaturePolicy(algorithms: cases.map(\.algorithm))
        policy.requirement = requirement
        return try JWSVerifier(keys: KeySet(cases.flatMap(\.fixture.verificationKeys.keys)), policy: policy)
    }

    private func verifying(json: String, _ verifier: JWSVerifier, signatures: Int) -> Work {
        let json = Array(json.utf8)
        return { count in
            let bytes = json.span
            var good = 0
            for _ in 0..<count {
                if let held = try? verifier.verify(json: bytes), held.signatures.count == signatures { good += 1 }
            }
            return good
        }
    }

    private func flattenedRows() throws -> [Row] {
        try [SignatureAlgorithm.hs256, .rs256, .es256].flatMap { algorithm in
            let signed = try SignedCase(self, algorithm)
            let signer = try JSONSigner(signed.fixture.signer(algorithm))
            let payload = claims
            return [
                Row(
                    "json", "verify flattened \(algorithm.name)",
                    verifying(json: try signer.sign(payload), try jsonVerifier([signed]), signatures: 1),
                    raw: { signed.rawVerify() }),
                Row("json", "sign flattened \(algorithm.name)", signing(signer, payload), raw: { signed.rawSign() }),
            ]
        }
    }

    private func signing(_ signer: JSONSigner, _ payload: [UInt8]) -> Work {
        { count in
            var good = 0
            for _ in 0..<count {
                if let text = try? signer.sign(payload.span), text.utf8.count > payload.count { good += 1 }
            }
            return good
        }
    }

    /// Returns rows of two signatures over one payload, both of which must be valid.
    private func generalRows() throws -> [Row] {
        let cases = try [SignatureAlgorithm.rs256, .es256].map { try SignedCase(self, $0) }
        let signer = try JSONSigner(cases.map { try JSONSigner.Entry($0.fixture.signer($0.algorithm)) })
        let payload = claims
        return [
            Row(
                "json", "verify general RS256, ES256",
                verifying(json: try signer.sign(payload), try jsonVerifier(cases), signatures: 2),
                raw: { cases[0].rawVerify(then: [cases[1].rawVerify()]) }),
            Row(
                "json", "sign general RS256, ES256", signing(signer, payload),
                raw: { cases[0].rawSign(then: [cases[1].rawSign()]) }),
        ]
    }

    /// Returns rows of two recipients, of which the second is ours: the first is skipped because of its `alg`.
    private func encryptedRows() throws -> [Row] {
        let all = try recipients()
        func recipient(_ name: String) throws -> Recipient {
            guard let found = all.first(where: { $0.name == name }) else { throw JOSEError.keyNotFound }
            return found
        }
        let ours = try recipient("ECDH-ES+A128KW P-256")
        let other = try recipient("A256KW")
        let content = ContentEncryption.a256gcm
        let flattened = try JSONEncrypter([ours.encrypter(content)], form: .flattened)
        let general = try JSONEncrypter([other.encrypter(content), ours.encrypter(content)])
        let decrypter = try JWEDecrypter(
            keys: KeySet(ours.key),
            policy: EncryptionPolicy(keyManagement: [ours.algorithm], contentEncryption: [content]))
        let payload = claims
        let compact = TokenParts(Array(try ours.encrypter(content).encrypt(payload).utf8))
        let otherCompact = TokenParts(Array(try other.encrypter(content).encrypt(payload).utf8))
        return try [("flattened", flattened), ("general", general)].flatMap { form, encrypter in
            let json = Array(try encrypter.encrypt(payload).utf8)
            return [
                Row(
                    "json", "decrypt \(form) ECDH-ES+A128KW P-256 A256GCM",
                    { count in
                        let bytes = json.span
                        var good = 0
                        for _ in 0..<count {
                            if let held = try? decrypter.decrypt(json: bytes), held.plaintext.count == payload.count {
                                good += 1
                            }
                        }
                        return good
                    }, raw: { ours.rawDecrypt(content, compact, payload) }),
                Row(
                    "json", "encrypt \(form) ECDH-ES+A128KW P-256 A256GCM",
                    { count in
                        var good = 0
                        for _ in 0..<count {
                            if let text = try? encrypter.encrypt(payload.span), text.utf8.count > payload.count {
                                good += 1
                            }
                        }
                        return good
                    },
                    raw: {
                        // The content is encrypted once, and the second key is wrapped too.
                        let second =
                            form == "general"
                            ? [other.rawEncrypt(content, otherCompact, [])] : []
                        return ours.rawEncrypt(content, compact, payload, then: second)
                    }),
            ]
        }
    }

    /// Returns rows of a detached payload, signed as base64url or unencoded (RFC 7797).
    private func detachedRows() throws -> [Row] {
        try [SignatureAlgorithm.hs256, .rs256, .es256].flatMap { algorithm in
            try [false, true].map { isUnencoded in
                let signed = try SignedCase(self, algorithm)
                let signer = try signed.fixture.signer(algorithm, isUnencoded: isUnencoded)
                let payload = claims
                let token = Array(try signer.sign(detached: payload).utf8)
                let verifier = try jsonVerifier([signed])
                return Row(
                    "detached", "verify \(algorithm.name)\(isUnencoded ? " b64:false" : "")",
                    { count in
                        let bytes = token.span
                        var good = 0
                        for _ in 0..<count {
                            if let held = try? verifier.verify(bytes, detachedPayload: payload.span),
                                held.payload.count == payload.count
                            {
                                good += 1
                            }
                        }
                        return good
                    }, raw: { signed.rawVerify(detached: token, payload, isUnencoded: isUnencoded) })
            }
        }
    }
}
