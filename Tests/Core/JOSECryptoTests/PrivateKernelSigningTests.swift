import JOSECrypto
import Testing

@Suite("RSA signatures computed together") struct PrivateKernelSigningTests {
    private static let schemes: [(SignatureScheme, Hash)] = [
        (.rs256, .sha256), (.rs384, .sha384), (.rs512, .sha512),
        (.ps256, .sha256), (.ps384, .sha384), (.ps512, .sha512),
    ]

    @Test("signatures under mixed keys are those of libcrypto, or valid where they are random (RFC 8017, 8.1, 8.2)")
    func sameSignatures() throws {
        for bits in [2048, 3072] {
            let keys = try [AsymmetricKey.generateRSA(bits: bits), .generateRSA(bits: bits)]
            let prepared = keys.compactMap { PrivateKernelKey($0) }
            guard PrivateKernelKey.isAvailable else {
                #expect(prepared.isEmpty)
                continue
            }
            try #require(prepared.count == 2)
            for (scheme, hash) in Self.schemes {
                #expect(PrivateKernelKey.signs(scheme))
                for count in [1, 2, 3, 4, 5, 9] {
                    let texts = (0..<count).map { [UInt8](repeating: UInt8($0), count: 40 + $0) }
                    var digests: [[UInt8]] = []
                    for text in texts { digests.append(try hash.digest(text.span)) }
                    let made = PrivateKernelKey.sign(
                        scheme, keys: (0..<count).map { prepared[$0 % 2] }, digests: digests)
                    #expect(made.count == count)
                    for (number, signature) in made.enumerated() {
                        let key = keys[number % 2]
                        let signature = try #require(signature)
                        try key.verify(scheme, texts[number], signature: signature)
                        let (other, text) = (keys[(number + 1) % 2], texts[number])
                        #expect(throws: CryptoError.invalid) { try other.verify(scheme, text, signature: signature) }
                        guard [.rs256, .rs384, .rs512].contains(scheme) else { continue }
                        let expected = try key.sign(scheme, texts[number])
                        #expect(signature == expected)
                    }
                }
            }
        }
    }

    @Test("keys of different sizes, digests of another length and other algorithms give no signature") func uncovered()
        throws
    {
        let keys = try [AsymmetricKey.generateRSA(bits: 2048), .generateRSA(bits: 3072)]
        let prepared = keys.compactMap { PrivateKernelKey($0) }
        guard PrivateKernelKey.isAvailable else { return #expect(prepared.isEmpty) }
        try #require(prepared.count == 2)
        let digest = [UInt8](repeating: 1, count: 32)
        let long = [UInt8](repeating: 1, count: 64)
        #expect(!PrivateKernelKey.signs(.es256))
        let same = [prepared[0], prepared[0]]
        #expect(PrivateKernelKey.sign(.rs256, keys: prepared, digests: [digest, digest]) == [nil, nil])
        #expect(PrivateKernelKey.sign(.rs256, keys: same, digests: [digest, long]) == [nil, nil])
        #expect(PrivateKernelKey.sign(.es256, keys: same, digests: [digest, digest]) == [nil, nil])
        #expect(PrivateKernelKey.sign(.rs256, keys: same, digests: [digest]) == [nil, nil])
        #expect(PrivateKernelKey.sign(.rs256, keys: [], digests: []).isEmpty)
        #expect(!PrivateKernelKey.sign(.rs256, keys: same, digests: [digest, digest]).contains(nil))
    }
}
