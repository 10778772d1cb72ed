import JOSE
import TestSupport
import Testing

@Suite("Tokens published in RFCs") struct RFCTokenTests {
    @Test("each published token gives the published payload and header", arguments: RFCRunner.paths)
    func opens(_ path: String) throws {
        let file = try VectorFile(path)
        for vector in file.vectors where vector.isToken && vector.mustSucceed {
            do throws(JOSEError) {
                let opened = try RFCRunner.open(vector, in: file)
                #expect(opened.payload == vector.payloadBytes, "\(vector.id)")
                try expectHeader(opened.header, vector.header, vector.id)
                try expectHeader(opened.innerHeader, vector.innerHeader, vector.id)
            } catch {
                Issue.record("\(vector.id): \(RFCRunner.name(error))")
            }
        }
    }

    private func expectHeader(_ header: JOSEHeader?, _ published: JSON?, _ id: String) throws(JOSEError) {
        guard let header, let published else { return }
        #expect((try? JSON(header.bytes)) == published, "\(id)")
        #expect(header.algorithmName == published["alg"]?.string, "\(id)")
        #expect(header.contentEncryptionName == published["enc"]?.string, "\(id)")
        #expect(header.keyID == published["kid"]?.string, "\(id)")
        #expect(header.type == published["typ"]?.string, "\(id)")
        #expect(header.contentType == published["cty"]?.string, "\(id)")
    }

    @Test("each unsupported published token is rejected for the stated reason", arguments: RFCRunner.paths)
    func refuses(_ path: String) throws {
        let file = try VectorFile(path)
        for vector in file.vectors where vector.isToken && !vector.mustSucceed {
            #expect(RFCRunner.refusal(of: vector, in: file) == vector.refusal, "\(vector.id)")
        }
    }

    @Test("signing again with a deterministic algorithm gives the published token", arguments: RFCRunner.paths)
    func signsAgain(_ path: String) throws {
        let file = try VectorFile(path)
        for vector in file.vectors where vector.reproducible == true {
            let name = try #require(vector.header?["alg"]?.string, "\(vector.id)")
            let algorithm = try #require(SignatureAlgorithm(name: name), "\(vector.id)")
            let signer: JWSSigner? =
                switch try JWK(parsing: file.keys(of: vector)[0].text) {
                case .privateKey(let key): try JWSSigner(key: key, algorithm: algorithm)
                case .symmetricKey(let key): try JWSSigner(key: key, algorithm: algorithm)
                case .publicKey: nil
                }
            let token = try #require(signer, "\(vector.id)").sign(vector.payloadBytes)
            #expect(token == vector.tokenText, "\(vector.id)")
        }
    }

    @Test("a published token with one changed character in any part is rejected", arguments: RFCRunner.paths)
    func refusesChanged(_ path: String) throws {
        let file = try VectorFile(path)
        for vector in file.vectors where vector.isToken && vector.mustSucceed && vector.serialization == .compact {
            let parts = vector.tokenText.split(separator: ".", omittingEmptySubsequences: false).map { Array($0.utf8) }
            for (place, part) in parts.enumerated() where !part.isEmpty {
                var changed = parts
                let middle = part.count / 2
                changed[place][middle] = part[middle] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
                let token = changed.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ".")
                let refusal = RFCRunner.refusal(of: vector, in: file, token: token)
                if place == 0 {
                    #expect(refusal != nil, "\(vector.id)")
                } else {
                    let expected = vector.kind == .jws ? "signatureInvalid" : "decryptionFailed"
                    #expect(refusal == expected, "\(vector.id), part \(place)")
                }
            }
        }
    }

    @Test("alg none is rejected, whatever crit contains and the policy understands (RFC 7515, E)") func none() throws {
        #expect(SignatureAlgorithm.all.allSatisfy { $0.name.lowercased() != "none" })
        #expect(SignatureAlgorithm(name: "none") == nil)
        let file = try VectorFile("rfc7515/jws")
        var policy = SignaturePolicy(algorithms: SignatureAlgorithm.all)
        policy.understoodCritical = ["http://example.com/UNDEFINED"]
        let verifier = try JWSVerifier(keys: try KeySet(parsing: file.keySet(of: file.vectors[0])), policy: policy)
        let vector = try #require(file.vectors.first { $0.id == "7515-E" })
        #expect(throws: JOSEError.algorithmNotAllowed(.signature)) { try verifier.verify(vector.tokenText) }
    }

    @Test("a published token is verified with its own key, and rejected with another one") func otherKey() throws {
        let file = try VectorFile("rfc7520/jws")
        let other = try SecretKey.generate(bits: 256)
        let verifier = try JWSVerifier(keys: KeySet(other), policy: SignaturePolicy(algorithms: SignatureAlgorithm.all))
        for vector in file.vectors where vector.mustSucceed && vector.serialization == .compact {
            let expected: JOSEError =
                vector.header?["alg"]?.string?.hasPrefix("HS") == true ? .signatureInvalid : .keyUnsuitable(.kind)
            #expect(throws: expected, "\(vector.id)") { try verifier.verify(vector.tokenText) }
            #expect(RFCRunner.refusal(of: vector, in: file) == nil, "\(vector.id)")
        }
    }

    @Test("the vector files contain the expected number of vectors, and each has its fields") func whole() throws {
        let vectors = try VectorFile.paths.flatMap { try VectorFile($0).vectors }
        #expect(Set(vectors.map(\.id)).count == vectors.count)
        #expect(vectors.count { $0.status == .supported } == 69)
        #expect(vectors.count { $0.status == .later } == 70)
        #expect(vectors.count { $0.status == .never } == 3)
        for vector in vectors {
            #expect((vector.refusal == nil) == (vector.status == .supported), "\(vector.id)")
            #expect((vector.needs == nil) == (vector.status != .later), "\(vector.id)")
        }
    }
}
