internal import Foundation
internal import JOSE
internal import JOSETokens

/// Bulla as one more harness, by its public API.
struct BullaPeer: PeerLibrary {
    let fixtures: PeerFixtures

    func work(_ operation: PeerOperation) throws -> PeerWork? {
        switch operation.group {
        case "verify", "nested": try verify(operation)
        case "batch", "nested-batch": try batch(operation)
        case "vectorized": try PrivateKeyOperations.vectorized.isAvailable ? batch(operation) : nil
        case "sign": try sign(operation)
        case "decrypt": try decrypt(operation)
        case "encrypt": try encrypt(operation)
        default: nil
        }
    }

    private func verify(_ operation: PeerOperation) throws -> PeerWork {
        let verifier = try verifier(operation)
        return PeerWork(
            verifying(verifier, try fixtures.token(operation.name)),
            refuses: { broken in (try? verifier.verify(broken.token)) == nil })
    }

    /// Returns the verifier of signed tokens, whose operation has one algorithm, or of nested ones, whose operation has
    /// three.
    func verifier(_ operation: PeerOperation) throws -> TokenVerifier {
        let claims = try fixtures.claimPolicy()
        guard operation.algorithms.count == 3 else {
            return try TokenVerifier(
                .signed(SignaturePolicy(algorithms: [operation.signature(0)]), claims: claims),
                verificationKeys: KeySet(fixtures.publicKey(operation.algorithms[0])))
        }
        var outer = try encryptionPolicy(operation)
        if operation.group == "vectorized" { outer.privateKeyOperations = .vectorized }
        let policy = TokenPolicy.nested(
            outer: outer, inner: SignaturePolicy(algorithms: [try operation.signature(2)]), claims: claims)
        return try TokenVerifier(
            policy, verificationKeys: KeySet(fixtures.publicKey(operation.algorithms[2])),
            decryptionKeys: KeySet(fixtures.secretKey(operation.algorithms[0])))
    }

    private func sign(_ operation: PeerOperation) throws -> PeerWork {
        let algorithm = try operation.signature(0)
        let issuer = try TokenIssuer(
            .signed(SignaturePolicy(algorithms: [algorithm]), claims: fixtures.claimPolicy()),
            signingKey: fixtures.secretKey(operation.algorithms[0]), algorithm: algorithm)
        let claims = try claimSet()
        return PeerWork(
            { count in
                var good = 0
                for _ in 0..<count where ((try? issuer.issue(claims))?.utf8.count ?? 0) > 0 { good += 1 }
                return good
            }, made: { try issuer.issue(claims) })
    }

    /// Returns the claims as values and not as text, as the other libraries get them.
    private func claimSet() throws -> ClaimsBuilder {
        let members = try JSONSerialization.jsonObject(with: Data(fixtures.claims)) as? [String: Any]
        var set = ClaimsBuilder()
        for (name, value) in members ?? [:] {
            switch value {
            case let text as String: set[name] = .string(text)
            case let flag as Bool where name == "email_verified": set[name] = .bool(flag)
            case let number as Int: set[name] = .integer(Int64(number))
            case let list as [String]: set[name] = .array(list.map { .string($0) })
            default: throw Options.Fault(description: "a claim of another kind: \(name)")
            }
        }
        return set
    }

    private func decrypt(_ operation: PeerOperation) throws -> PeerWork {
        let decrypter = try JWEDecrypter(
            keys: KeySet(try fixtures.secretKey(operation.algorithms[0])), policy: try encryptionPolicy(operation))
        let token = try fixtures.token(operation.name)
        let plaintext = fixtures.claims
        return PeerWork(
            { count in
                var good = 0
                for _ in 0..<count {
                    if let held = try? decrypter.decrypt(token.span), held.plaintext.count == plaintext.count {
                        good += 1
                    }
                }
                return good
            },
            refuses: { broken in (try? decrypter.decrypt(broken.token)) == nil })
    }

    private func encrypt(_ operation: PeerOperation) throws -> PeerWork {
        let header = HeaderParameters(type: "JWT")
        let keyManagement = try operation.keyManagement()
        let content = try operation.contentEncryption()
        let encrypter =
            switch try fixtures.publicKey(operation.algorithms[0]) {
            case .publicKey(let key):
                try JWEEncrypter(key: key, keyManagement: keyManagement, contentEncryption: content, header: header)
            case .symmetricKey(let key):
                try JWEEncrypter(key: key, keyManagement: keyManagement, contentEncryption: content, header: header)
            case .privateKey: throw Options.Fault(description: "a private key where a public one belongs")
            }
        let plaintext = fixtures.claims
        return PeerWork(
            { count in
                var good = 0
                for _ in 0..<count {
                    if let made = try? encrypter.encrypt(plaintext), made.utf8.count > plaintext.count { good += 1 }
                }
                return good
            }, made: { try encrypter.encrypt(plaintext) })
    }

    private func encryptionPolicy(_ operation: PeerOperation) throws -> EncryptionPolicy {
        EncryptionPolicy(
            keyManagement: [try operation.keyManagement()], contentEncryption: [try operation.contentEncryption()])
    }
}
