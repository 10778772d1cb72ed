internal import Foundation
internal import JOSE
internal import JOSETokens

/// The folder of keys and tokens that `Benchmarks/Peers/fixtures.py` writes for all harnesses alike.
struct PeerFixtures {
    let folder: URL
    let claims: [UInt8]

    init(folder: String) throws {
        self.folder = URL(fileURLWithPath: folder)
        claims = try Array(Data(contentsOf: self.folder.appendingPathComponent("claims.json")))
    }

    func operations() throws -> [PeerOperation] { try lines("operations").map(PeerOperation.init) }

    func bytes(_ name: String) throws -> [UInt8] {
        try Array(Data(contentsOf: folder.appendingPathComponent(name)))
    }

    func lines(_ name: String) throws -> [String] {
        String(decoding: try bytes(name), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    func token(_ operation: String) throws -> [UInt8] { try Array(lines(operation + ".token")[0].utf8) }

    func broken(_ operation: PeerOperation) throws -> [BrokenToken] {
        try lines(operation.name + ".refused").map { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            return BrokenToken(layer: fields[0], reason: fields[1], token: Array(fields[2].utf8))
        }
    }

    /// Returns the private key, or the symmetric key.
    func secretKey(_ algorithm: String) throws -> JWK {
        try isShared(algorithm)
            ? JWK(parsing: bytes("keys/\(algorithm).jwk"))
            : JWK(parsing: bytes("keys/\(algorithm).private.jwk"))
    }

    /// Returns the public key, or the symmetric key.
    func publicKey(_ algorithm: String) throws -> JWK {
        try isShared(algorithm) ? secretKey(algorithm) : JWK(parsing: bytes("keys/\(algorithm).public.jwk"))
    }

    private func isShared(_ algorithm: String) -> Bool {
        FileManager.default.fileExists(atPath: folder.appendingPathComponent("keys/\(algorithm).secret").path)
    }

    func claimPolicy() throws -> ClaimPolicy {
        let members = try JSONSerialization.jsonObject(with: Data(claims)) as? [String: Any]
        guard let issuer = members?["iss"] as? String, let audience = members?["aud"] as? String else {
            throw Options.Fault(description: "claims.json has no iss or no aud")
        }
        return ClaimPolicy(issuer: .exactly(issuer), audience: .exactly(audience))
    }
}

struct BrokenToken {
    /// The layer of the fault: `cryptography` if a signature or a tag is wrong, `token` if the header or a claim is.
    let layer: String
    let reason: String
    let token: [UInt8]
}

/// An operation, `GROUP/ALGORITHM+ALGORITHM` in the file `operations`.
struct PeerOperation {
    let name: String
    let group: String
    let algorithms: [String]

    init(_ name: String) {
        self.name = name
        let parts = name.split(separator: "/", maxSplits: 1).map(String.init)
        group = parts[0]
        algorithms = parts[1].split(separator: "+").map(String.init)
    }

    func signature(_ place: Int) throws -> SignatureAlgorithm {
        try found(SignatureAlgorithm.all.first { $0.name == algorithms[place] })
    }

    func keyManagement() throws -> KeyManagementAlgorithm {
        try found(KeyManagementAlgorithm.all.first { $0.name == algorithms[0] })
    }

    func contentEncryption() throws -> ContentEncryption {
        try found(ContentEncryption.all.first { $0.name == algorithms[1] })
    }

    private func found<Algorithm>(_ algorithm: Algorithm?) throws -> Algorithm {
        guard let algorithm else { throw Options.Fault(description: "an algorithm of \(name) is unknown") }
        return algorithm
    }
}
