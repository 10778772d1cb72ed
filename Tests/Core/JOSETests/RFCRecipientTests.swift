import JOSE
import TestSupport
import Testing

/// Published tokens with several signatures or recipients, with each key alone instead of all at once, so that each one is
/// tested.
@Suite("Tokens with several signatures or recipients published in RFCs") struct RFCRecipientTests {
    private func vector(_ id: String, in path: String) throws -> (Vector, VectorFile) {
        let file = try VectorFile(path)
        return (try #require(file.vectors.first { $0.id == id }), file)
    }

    @Test(
        "each recipient's key alone decrypts the token (RFC 7516, A.4; RFC 7520, 5.13)",
        arguments: [("7516-A.4", "rfc7516/jwe", 2), ("7520-5.13-general", "rfc7520/jwe", 3)])
    func recipients(_ id: String, _ path: String, _ count: Int) throws {
        let (vector, file) = try vector(id, in: path)
        let policy = EncryptionPolicy(
            keyManagement: KeyManagementAlgorithm.all + [.rsa1_5BrokenDecryptionOnly],
            contentEncryption: ContentEncryption.all)
        var places: [Int] = []
        for key in file.keys(of: vector) {
            let opened = try JWEDecrypter(keys: KeySet(JWK(parsing: key.text)), policy: policy)
                .decrypt(json: vector.tokenText)
            #expect(opened.plaintext == vector.payloadBytes)
            places.append(opened.index)
        }
        #expect(places == Array(0..<count))
        let none = try JWEDecrypter(keys: KeySet(try SecretKey.generate(bits: 512)), policy: policy)
        #expect(throws: JOSEError.self) { try none.decrypt(json: vector.tokenText) }
    }

    @Test(
        "each signature verifies alone, and all verify together (RFC 7515, A.6; RFC 7520, 4.8)",
        arguments: [("7515-A.6", "rfc7515/jws", 2), ("7520-4.8-general", "rfc7520/jws", 3)])
    func signatures(_ id: String, _ path: String, _ count: Int) throws {
        let (vector, file) = try vector(id, in: path)
        var policy = SignaturePolicy(algorithms: SignatureAlgorithm.all)
        // The second of RFC 7520, 4.8 protects no header.
        policy.acceptsUnprotectedAlgorithm = true
        var places: [Int] = []
        for key in file.keys(of: vector) {
            let keys = KeySet(try JWK(parsing: key.text))
            let verified = try JWSVerifier(keys: keys, policy: policy).verify(json: vector.tokenText)
            #expect(verified.payload == vector.payloadBytes)
            places += verified.signatures.map(\.index)
            var all = policy
            all.requirement = .all
            #expect(throws: JOSEError.self) { try JWSVerifier(keys: keys, policy: all).verify(json: vector.tokenText) }
        }
        #expect(places == Array(0..<count))
        policy.requirement = .all
        let keys = try KeySet(parsing: file.keySet(of: vector))
        let verified = try JWSVerifier(keys: keys, policy: policy).verify(json: vector.tokenText)
        #expect(verified.signatures.map(\.index) == Array(0..<count))
    }
}
