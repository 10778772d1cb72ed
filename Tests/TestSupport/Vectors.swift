package import Foundation
internal import JOSE

/// A published example: its inputs, and the expected result.
package struct Vector: Decodable, Sendable {
    package enum Kind: String, Decodable, Sendable {
        case jws, jwe, nested, jwk, jwks, thumbprint, content, agreement, signature, dpop, x5c
        case sdJWT = "sd-jwt"
        case sdJWTPayload = "sd-jwt-payload"
    }
    package enum Serialization: String, Decodable, Sendable { case compact, general, flattened }
    /// The expected result. `later` is rejected until the features in `needs` exist, `never` is rejected in any case.
    package enum Status: String, Decodable, Sendable { case supported, later, never }

    package let id: String
    package let source: String
    package let kind: Kind
    package let status: Status
    package let serialization: Serialization?
    package let needs: [String]?
    /// The name of the error with which it is rejected, as `RFCRunner.name` gives it.
    package let refusal: String?
    /// Signing the payload with the key gives this very token: the algorithm is deterministic and the header plain.
    package let reproducible: Bool?
    package let keys: [String]?
    package let password: String?
    package let header: JSON?
    package let innerHeader: JSON?
    /// Text in the compact serialization, an object in the others.
    package let token: JSON?
    package let inner: String?
    /// The payload in base64url, as all binary values here.
    package let payload: String?
    package let cek: String?
    package let issuer: String?
    package let now: Double?
    package let jwk: JSON?
    package let jwks: JSON?
    package let thumbprint: String?
    package let `private`: Bool?
    package let enc: String?
    package let iv: String?
    package let aad: String?
    package let ciphertext: String?
    package let tag: String?
    package let peer: JSON?
    package let z: String?
    package let info: String?
    package let derived: String?
    package let signature: String?
    package let method: String?
    package let url: String?
    package let accessToken: String?
    package let x5c: [String]?
    package let claims: JSON?
    package let audience: String?
    package let nonce: String?
    package let disclosures: [String]?

    /// The features of `needs` that exist. Names: `RSA1_5`, `PBES2`, `GCMKW`, `zip`, `JSON serialization`, `detached`,
    /// `b64`, `X448`, `ML-DSA` (where the loaded libcrypto has it); `zip` needs the
    /// package's trait.
    package static let built: Set<String> = Set(
        ["detached", "b64", "JSON serialization", "X448", "GCMKW", "PBES2", "RSA1_5"]
            + (EncryptionPolicy.compressionIsBuilt ? ["zip"] : [])
            + (SignatureAlgorithm.mlDSA44.isAvailable ? ["ML-DSA"] : []))

    package var mustSucceed: Bool {
        switch status {
        case .supported: true
        case .later: Self.built.isSuperset(of: needs ?? [])
        case .never: false
        }
    }

    /// The token as it is transmitted.
    package var tokenText: String { token?.string ?? token?.text ?? "" }
    package var payloadBytes: [UInt8] { payload.flatMap { bytes(base64URL: $0) } ?? [] }
}

/// The examples of one RFC section, with the keys they share.
package struct VectorFile: Decodable, Sendable {
    package let source: String
    package let keys: [String: JSON]?
    package let vectors: [Vector]

    /// `Tests/Vectors`.
    package static let folder = Repository.tests.appending(path: "Vectors")

    /// The files of RFCs and of the cookbook, as `init` takes them.
    package static let paths: [String] = {
        let manager = FileManager.default
        let folders = (try? manager.contentsOfDirectory(atPath: folder.path)) ?? []
        return folders.filter { $0.hasPrefix("rfc") || $0 == "cookbook" }.flatMap { name in
            let files = (try? manager.contentsOfDirectory(atPath: folder.appending(path: name).path)) ?? []
            return files.filter { $0.hasSuffix(".json") }.map { "\(name)/\($0.dropLast(5))" }
        }.sorted()
    }()

    /// Returns the files that contain vectors of these kinds.
    package static func paths(with kinds: Vector.Kind...) -> [String] {
        paths.filter { path in
            guard let file = try? VectorFile(path) else { return true }  // unreadable: its test says so
            return file.vectors.contains { kinds.contains($0.kind) }
        }
    }

    /// Reads a file.
    ///
    /// - Parameter path: The path without extension, such as `rfc7515/jws`.
    package init(_ path: String) throws {
        let data = try Data(contentsOf: Self.folder.appending(path: path + ".json"))
        self = try JSONDecoder().decode(VectorFile.self, from: data)
    }

    /// Returns the vector's keys, in the order in which it names them.
    package func keys(of vector: Vector) -> [JSON] {
        (vector.keys ?? []).map { name in
            guard let key = keys?[name] else { preconditionFailure("\(vector.id) names no key of its file: \(name)") }
            return key
        }
    }

    /// Returns the vector's keys as the text of a JWK Set.
    package func keySet(of vector: Vector) -> String {
        JSON.object(["keys": .array(keys(of: vector))]).text
    }
}
