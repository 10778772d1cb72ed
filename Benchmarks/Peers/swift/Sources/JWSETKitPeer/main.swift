import Foundation
import Harness
import JWSETKit

/// The library JWSETKit.
struct JWSETKitLibrary: Library {
    let fixtures: Fixtures
    let claims: JSONWebTokenClaims

    init(_ fixtures: Fixtures) throws {
        self.fixtures = fixtures
        claims = try JSONDecoder().decode(JSONWebTokenClaims.self, from: fixtures.claims)
    }

    func work(_ operation: Harness.Operation) throws -> Work? {
        switch operation.group {
        case "verify":
            let keys = JSONWebKeySet(keys: [try key(operation.algorithms[0], "public")])
            return .takes { try verify($0, operation.algorithms[0], keys) }
        case "nested":
            let key = try key(operation.algorithms[0], "private")
            let keys = JSONWebKeySet(keys: [try self.key(operation.algorithms[2], "public")])
            return .takes { token in
                let inner = try decrypt(token, operation, key)
                try verify(String(decoding: inner, as: UTF8.self), operation.algorithms[2], keys)
            }
        case "sign":
            guard let key = try key(operation.algorithms[0], "private") as? any JSONWebSigningKey else { return nil }
            let algorithm = JSONWebSignatureAlgorithm(operation.algorithms[0])
            return .makes { try String(JSONWebToken(payload: claims, algorithm: algorithm, using: key)) }
        case "decrypt":
            let key = try key(operation.algorithms[0], "private")
            let length = fixtures.claims.count
            return .takes { token in
                guard try decrypt(token, operation, key).count == length else { throw Fault("another length") }
            }
        case "encrypt":
            let key = try key(operation.algorithms[0], "public")
            return .makes {
                try String(
                    JSONWebEncryption(
                        content: fixtures.claims,
                        keyEncryptingAlgorithm: JSONWebKeyEncryptionAlgorithm(operation.algorithms[0]),
                        keyEncryptionKey: key,
                        contentEncryptionAlgorithm: JSONWebContentEncryptionAlgorithm(operation.algorithms[1])))
            }
        default: return nil
        }
    }

    /// Verifies a token, its algorithm, which the library takes from the header, and its claims.
    private func verify(_ token: String, _ algorithm: String, _ keys: JSONWebKeySet) throws {
        let token = try JSONWebToken(from: token)
        guard token.signatures.allSatisfy({ $0.protected.algorithm?.rawValue == algorithm }) else {
            throw Fault("another algorithm")
        }
        try token.verify(using: keys, for: fixtures.audience)
        guard token.payload.issuer == fixtures.issuer else { throw Fault("another issuer") }
    }

    private func decrypt(_ token: String, _ operation: Harness.Operation, _ key: any JSONWebKey) throws -> Data {
        let token = try JSONWebEncryption(from: token)
        let header = token.header.protected
        guard header.algorithm?.rawValue == operation.algorithms[0],
            header.encryptionAlgorithm?.rawValue == operation.algorithms[1]
        else { throw Fault("another algorithm") }
        return try token.decrypt(using: key)
    }

    private func key(_ algorithm: String, _ half: String) throws -> any JSONWebKey {
        let name = fixtures.isShared(algorithm) ? "keys/\(algorithm).jwk" : "keys/\(algorithm).\(half).jwk"
        return try JSONDecoder().decode(AnyJSONWebKey.self, from: fixtures.bytes(name)).specialized()
    }
}

try await serve { try JWSETKitLibrary($0) }
