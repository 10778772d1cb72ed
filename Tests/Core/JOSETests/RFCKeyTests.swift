import JOSE
import TestSupport
import Testing

@Suite("Keys published in RFCs") struct RFCKeyTests {
    @Test(
        "each published key is read as its kind, and written with the same members",
        arguments: VectorFile.paths(with: .jwk))
    func keys(_ path: String) throws {
        for vector in try VectorFile(path).vectors where vector.kind == .jwk && vector.mustSucceed {
            let published = try #require(vector.jwk, "\(vector.id)")
            let key = try JWK(parsing: published.text)
            let written: JSON
            switch key {
            case .publicKey(let key):
                #expect(vector.private == false, "\(vector.id)")
                written = try JSON(key.jwk().utf8)
            case .privateKey(let key):
                #expect(vector.private == true, "\(vector.id)")
                written = try JSON(try key.exportPrivateJWK())
                let half = try JSON(key.publicKey.jwk().utf8)
                #expect(half == published.publicHalf, "\(vector.id)")
            case .symmetricKey(let key):
                #expect(vector.private == true, "\(vector.id)")
                written = try JSON(key.exportSecretJWK())
            }
            #expect(written == published.without(["x5u"]), "\(vector.id)")
            #expect(key.keyID == published["kid"]?.string, "\(vector.id)")
            #expect(key.algorithm == published["alg"]?.string, "\(vector.id)")
        }
    }

    @Test(
        "a key of an unsupported kind is rejected, and listed as unusable in a set",
        arguments: VectorFile.paths(with: .jwk))
    func refusedKeys(_ path: String) throws {
        for vector in try VectorFile(path).vectors where vector.kind == .jwk && !vector.mustSucceed {
            let text = try #require(vector.jwk, "\(vector.id)").text
            do throws(JOSEError) {
                _ = try JWK(parsing: text)
                Issue.record("\(vector.id) was read")
            } catch {
                #expect(RFCRunner.name(error) == vector.refusal, "\(vector.id)")
            }
            let set = try KeySet(parsing: #"{"keys":[\#(text)]}"#)
            #expect(set.keys.isEmpty, "\(vector.id)")
            #expect(set.unusable.map { RFCRunner.name($0.reason) } == [vector.refusal], "\(vector.id)")
            #expect(set.unusable.first?.keyID == vector.jwk?["kid"]?.string, "\(vector.id)")
        }
    }

    @Test(
        "each published set contains the expected keys; a public one contains no private key",
        arguments: VectorFile.paths(with: .jwks))
    func sets(_ path: String) throws {
        for vector in try VectorFile(path).vectors where vector.kind == .jwks {
            let text = try #require(vector.jwks, "\(vector.id)").text
            let set = try KeySet(parsing: text)
            #expect(set.unusable.isEmpty, "\(vector.id)")
            guard case .array(let published) = vector.jwks?["keys"] else {
                Issue.record("\(vector.id) has no keys")
                continue
            }
            #expect(set.keys.map(\.keyID) == published.map { $0["kid"]?.string }, "\(vector.id)")
            if vector.private == true {
                #expect(throws: JOSEError.keyInvalid(.privateInPublicSet), "\(vector.id)") {
                    try KeySet(parsing: text, as: .publicOnly)
                }
            } else {
                #expect(try KeySet(parsing: text, as: .publicOnly).keys.count == published.count, "\(vector.id)")
                #expect(try JSON(set.jwks().utf8) == vector.jwks, "\(vector.id)")
            }
        }
    }

    @Test("each published thumbprint is reproduced", arguments: VectorFile.paths(with: .thumbprint)) func thumbprints(
        _ path: String
    ) throws {
        for vector in try VectorFile(path).vectors where vector.kind == .thumbprint && vector.mustSucceed {
            let key = try JWK(parsing: try #require(vector.jwk, "\(vector.id)").text)
            let published = try #require(vector.thumbprint, "\(vector.id)")
            #expect(base64URL(try key.thumbprint()) == published, "\(vector.id)")
            let uri = try key.publicKey?.thumbprintURI()
            #expect(uri == "urn:ietf:params:oauth:jwk-thumbprint:sha-256:\(published)", "\(vector.id), RFC 9278")
        }
    }

    @Test("the published public and private sets contain halves of the same keys (RFC 7517, A.1 and A.2)")
    func halves() throws {
        let file = try VectorFile("rfc7517/keys")
        func set(_ id: String) throws -> KeySet {
            let vector = try #require(file.vectors.first { $0.id == id })
            return try KeySet(parsing: try #require(vector.jwks).text)
        }
        let publicKeys = try set("7517-A.1").keys.map(\.publicKey)
        let privateKeys = try set("7517-A.2").keys.map(\.publicKey)
        #expect(publicKeys == privateKeys)
    }
}

extension JSON {
    func without(_ names: Set<String>) -> JSON {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { !names.contains($0.key) })
    }

    /// The members of an RSA, EC or OKP key without the private ones.
    var publicHalf: JSON { without(["d", "p", "q", "dp", "dq", "qi", "oth", "priv"]) }
}
