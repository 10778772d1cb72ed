import JOSE
import TestSupport
import Testing

@Suite("Published keys") struct KeysVectorTests {
    @Test(
        "every published key survives a round trip with the same members (RFC 7517; RFC 7520; RFC 8037)",
        arguments: ["rfc7517/keys", "rfc7520/keys", "rfc8037/keys"])
    func published(file: String) throws {
        for vector in try VectorFile(file).vectors where vector.kind == .jwk {
            let source = try #require(vector.jwk)
            guard vector.mustSucceed else {
                #expect(refusal(source.text).map(RFCRunner.name) == vector.refusal, "\(vector.id)")
                continue
            }
            let written = try rewritten(JWK(parsing: source.text), expectingPrivate: vector.private)
            let back = try JSON(written.utf8)
            for name in Self.numbers { #expect(back[name] == source[name], "\(vector.id) \(name)") }
            for name in ["kid", "use", "alg", "kty", "crv"] {
                #expect(back[name] == source[name], "\(vector.id) \(name)")
            }
        }
    }

    @Test("all keys of the published key sets are read (RFC 7517, A.1 to A.3)")
    func sets() throws {
        for vector in try VectorFile("rfc7517/keys").vectors where vector.kind == .jwks {
            let set = try KeySet(parsing: #require(vector.jwks).text)
            #expect(set.keys.count == 2 && set.unusable.isEmpty, "\(vector.id)")
            let isOpen = vector.private == false
            let strict = refusal { () throws(JOSEError) in
                try KeySet(parsing: vector.jwks?.text ?? "", as: .publicOnly)
            }
            #expect(strict == (isOpen ? nil : .keyInvalid(.privateInPublicSet)), "\(vector.id)")
        }
        let kinds = try KeySet(parsing: #require(Fixture.vector("rfc7517/keys", "7517-A.3").jwks).text).keys.map(\.kind)
        #expect(kinds == [.octets(bits: 128), .octets(bits: 512)])
    }

    @Test("gives the published thumbprints (RFC 7638, 3.1; RFC 8037, A.3)")
    func thumbprints() throws {
        for file in ["rfc7638/thumbprints", "rfc8037/keys"] {
            for vector in try VectorFile(file).vectors where vector.kind == .thumbprint {
                let key = try JWK(parsing: #require(vector.jwk).text)
                #expect(base64URL(try key.thumbprint()) == vector.thumbprint, "\(vector.id)")
            }
        }
    }

    @Test("gives the thumbprint as a URI (RFC 9278, 3)")
    func thumbprintURI() throws {
        let key = try PublicKey(jwk: #require(Fixture.vector("rfc7638/thumbprints", "7638-3.1").jwk).text)
        #expect(
            try key.thumbprintURI()
                == "urn:ietf:params:oauth:jwk-thumbprint:sha-256:NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
        #expect(try key.thumbprintURI(.sha512).hasPrefix("urn:ietf:params:oauth:jwk-thumbprint:sha-512:"))
    }

    @Test("a thumbprint is the hash of the required members in lexicographic order (RFC 7638, 3.2 and 3.3)")
    func thumbprintInput() throws {
        let counts: [(HashAlgorithm, Int)] = [(.sha256, 32), (.sha384, 48), (.sha512, 64)]
        for key in try Fixture.generated() {
            var named = key.publicKey
            named.keyID = "another"
            named.algorithm = "ES256"
            for (hash, count) in counts {
                let value = try key.thumbprint(hash)
                #expect(value.count == count)
                #expect(try named.thumbprint(hash) == value)
                #expect(try JWK(parsing: named.jwk()).thumbprint(hash) == value)
            }
        }
        // The expected value is the SHA-256 of {"k":"GawgguFyGrWKav7AX4VKUg","kty":"oct"}, by another implementation.
        let secret = try SecretKey(jwk: #"{"kty":"oct","k":"GawgguFyGrWKav7AX4VKUg","kid":"x"}"#)
        #expect(base64URL(try secret.thumbprint()) == "k1JnWRfC-5zzmL72vXIuBgTLfVROXBakS4OmGcrMCoc")
    }

    private static let numbers = ["n", "e", "d", "p", "q", "dp", "dq", "qi", "x", "y", "k"]

    private func rewritten(_ key: JWK, expectingPrivate isPrivate: Bool?) throws -> String {
        switch key {
        case .publicKey(let key):
            #expect(isPrivate == false)
            return key.jwk()
        case .privateKey(let key):
            #expect(isPrivate == true)
            return String(decoding: try key.exportPrivateJWK(), as: UTF8.self)
        case .symmetricKey(let key):
            #expect(isPrivate == true)
            return String(decoding: key.exportSecretJWK(), as: UTF8.self)
        }
    }
}
