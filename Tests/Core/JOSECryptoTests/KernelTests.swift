import Foundation
import JOSECrypto
import TestSupport
import Testing

@Suite("Verification by vectorized kernels") struct KernelTests {
    @Test("T84 if memory runs out, the backend has failed, and no valid signature, key or certificate is invalid")
    func memory() throws {
        let tool = try #require(builtTool("KernelChecker"))
        let (status, output, errors) = try run(tool, ["1", "1", "memory"])
        #expect(status == 0, "\(output)\(errors)")
        for name in ["ES384: ", "Ed448: ", "a private key of P-256, PEM: ", "a path of RSA under P-384: "] {
            #expect(output.contains(name), "\(output)")
        }
    }

    #if Accelerated
        /// Signatures with their keys and digests, and the expected results: as many valid as invalid ones, in no regular order.
        private struct Batch {
            var keys: [KernelKey] = []
            var digests: [UInt8] = []
            var signatures: [UInt8] = []
            var expected: [KernelResult] = []

            func results(_ scheme: SignatureScheme) -> [KernelResult] {
                KernelKey.verify(scheme, keys: keys, digests: digests, signatures: signatures)
            }

            /// Returns the first signatures, of which each has this number of bytes.
            func prefix(_ count: Int, digestBytes: Int, signatureBytes: Int) -> Batch {
                Batch(
                    keys: Array(keys[..<count]), digests: Array(digests[..<(count * digestBytes)]),
                    signatures: Array(signatures[..<(count * signatureBytes)]), expected: Array(expected[..<count]))
            }
        }

        /// Numbers of signatures around the eight that a kernel verifies at a time, and around the 64 that are in one call of it.
        private static let counts = [0, 1, 7, 8, 9, 21, 64, 65, 130]

        private static func batch(_ scheme: SignatureScheme, _ hash: Hash, keys: [AsymmetricKey]) throws -> Batch {
            let lanes = try keys.map { try #require(KernelKey($0)) }
            var batch = Batch()
            for index in 0..<130 {
                let input = Array("signature \(index)".utf8)
                let key = keys[index % keys.count]
                var signature = try key.sign(scheme, input)
                let isBroken = index % 5 == 0 || index % 3 == 1
                if isBroken { signature[index * 7 % signature.count] ^= 1 << (index % 8) }
                batch.keys.append(lanes[index % keys.count])
                batch.digests += try hash.digest(input)
                batch.signatures += signature
                let held = (try? key.verify(scheme, input, signature: signature)) != nil
                #expect(held != isBroken)
                batch.expected.append(held ? .valid : .invalid)
            }
            return batch
        }

        @Test(
            "kernels distinguish valid and invalid RSA signatures of two keys (RFC 7518, 3.3 and 3.5)",
            .enabled(if: coversRSA))
        func rsa() throws {
            let keys = try [someRSAKey(), .generateRSA(bits: 2048)]
            let schemes: [(SignatureScheme, Hash)] = [
                (.rs256, .sha256), (.rs384, .sha384), (.rs512, .sha512), (.ps256, .sha256), (.ps384, .sha384),
                (.ps512, .sha512),
            ]
            for (scheme, hash) in schemes {
                let batch = try Self.batch(scheme, hash, keys: keys)
                for count in Self.counts {
                    let some = batch.prefix(count, digestBytes: hash.byteCount, signatureBytes: 256)
                    let results = some.results(scheme)
                    #expect(results == some.expected, "\(scheme), \(count)")
                }
            }
        }

        @Test(
            "kernels distinguish valid and invalid ES256 signatures of two keys (RFC 7518, 3.4)",
            .enabled(if: KernelKey.isAvailable))
        func p256() throws {
            let batch = try Self.batch(.es256, .sha256, keys: [.generateEC(.p256), .generateEC(.p256)])
            for count in Self.counts {
                let some = batch.prefix(count, digestBytes: 32, signatureBytes: 64)
                let results = some.results(.es256)
                #expect(results == some.expected, "\(count)")
            }
        }

        /// An Ed25519 signature and the key that is to verify it.
        private struct EdwardsCase {
            let key: Ed25519PublicKey
            let kernelKey: KernelKey
            var text: [UInt8]
            var signature: [UInt8]
            var comment: String

            var isValid: Bool { (try? key.verify(text.span, signature: signature.span)) != nil }
        }

        /// The order L of the base point, little-endian (RFC 8032, 5.1).
        private static let order: [UInt8] = [
            0xED, 0xD3, 0xF5, 0x5C, 0x1A, 0x63, 0x12, 0x58, 0xD6, 0x9C, 0xF7, 0xA2, 0xDE, 0xF9, 0xDE, 0x14, 0, 0, 0, 0,
            0, 0, 0,
            0, 0, 0, 0, 0, 0, 0, 0, 0x10,
        ]

        /// Encodings of points of small order, canonical and not: y of 1, 0, -1, p and p + 1, with both signs.
        private static let smallOrder: [[UInt8]] = {
            let prime = [0xED] + [UInt8](repeating: 0xFF, count: 30) + [0x7F]
            var all: [[UInt8]] = [[1] + [UInt8](repeating: 0, count: 31), [UInt8](repeating: 0, count: 32)]
            for change in [-1, 0, 1] { all.append([UInt8(Int(prime[0]) + change)] + prime.dropFirst()) }
            return all + all.map { $0.dropLast() + [$0[31] | 0x80] }
        }()

        private static func edwardsCases(hasTables: [Bool]) throws -> [EdwardsCase] {
            let privateKeys = try hasTables.map { _ in try Ed25519PrivateKey.generate() }
            let kernelKeys = try zip(privateKeys, hasTables).map { key, hasTable in
                try #require(KernelKey(key.publicKey, hasTable: hasTable))
            }
            var cases: [EdwardsCase] = []
            for index in 0..<(24 + smallOrder.count) {
                let key = privateKeys[index % privateKeys.count]
                // An empty text is one of them.
                let text = [UInt8](repeating: UInt8(index), count: index * 5)
                let signature = try key.sign(text.span)
                var one = EdwardsCase(
                    key: key.publicKey, kernelKey: kernelKeys[index % privateKeys.count], text: text,
                    signature: signature, comment: "valid")
                switch index {
                case 24...:
                    one.signature.replaceSubrange(..<32, with: smallOrder[index - 24])
                    one.comment = "R of small order \(index - 24)"
                case _ where index % 3 == 0: break
                case _ where index % 4 == 0:
                    var carry = 0
                    for place in 0..<32 {
                        let sum = Int(signature[32 + place]) + Int(order[place]) + carry
                        one.signature[32 + place] = UInt8(truncatingIfNeeded: sum)
                        carry = sum >> 8
                    }
                    one.comment = "S + L"
                case _ where index % 4 == 1:
                    one.text.append(0)
                    one.comment = "another text"
                default:
                    one.signature[index * 7 % 64] ^= 1 << (index % 8)
                    one.comment = "changed bit"
                }
                cases.append(one)
            }
            return cases
        }

        private static func results(_ cases: ArraySlice<EdwardsCase>) -> [KernelResult] {
            var ends: [Int] = []
            var texts: [UInt8] = []
            for one in cases {
                texts += one.text
                ends.append(texts.count)
            }
            let signatures = cases.flatMap(\.signature)
            return KernelKey.verify(
                keys: cases.map(\.kernelKey), texts: texts, ends: ends, signatures: signatures)
        }

        @Test(
            "Ed25519 signatures have the results of libsodium: S from L on and R of small order are invalid (RFC 8032, 5.1.7)",
            .enabled(if: coversRSA), arguments: [[true, true, true], [false, false], [true, false, true]])
        func ed25519(hasTables: [Bool]) throws {
            let cases = try Self.edwardsCases(hasTables: hasTables)
            let expected = cases.map { $0.isValid ? KernelResult.valid : .invalid }
            #expect(expected.filter { $0 == .valid }.count == 8)
            for count in [1, 2, 7, 8, 9, cases.count] {
                let results = Self.results(cases[..<count])
                #expect(results == Array(expected[..<count]), "\(count)")
            }
            // More than the 64 signatures that are in one call of the kernel.
            let many = Array(repeating: cases, count: 4).flatMap { $0 }
            for count in [64, 65, 130] {
                let results = Self.results(many[..<count])
                #expect(results == (0..<count).map { expected[$0 % cases.count] }, "\(count)")
            }
            for (one, expected) in zip(cases, expected) {
                let (text, signature) = (one.text, one.signature)
                let result = one.kernelKey.verify(text.span, signature: signature.span)
                #expect(result == expected, "\(one.comment)")
                #expect(expected == (one.comment == "valid" ? .valid : .invalid), "\(one.comment)")
            }
            for encoding in Self.smallOrder {
                let key = try? Ed25519PublicKey(encoding.span)
                #expect(key == nil, "no key has small order")
            }
            let first = cases[0]
            let (text, signature) = (first.text, Array(first.signature.dropLast()))
            let short = first.kernelKey.verify(text.span, signature: signature.span)
            #expect(short == .notCovered)
        }

        @Test(
            "libcrypto verifies schemes of another kernel group and signatures whose length does not match",
            .enabled(if: coversRSA))
        func notCovered() throws {
            let batch = try Self.batch(.rs256, .sha256, keys: [someRSAKey()])
            let results = batch.results(.rs256)
            #expect(results == batch.expected)
            let notCovered = [KernelResult](repeating: .notCovered, count: batch.keys.count)
            for scheme in [SignatureScheme.es256, .es384, .ed448, .rs512] {
                let results = batch.results(scheme)
                #expect(results == notCovered, "\(scheme)")
            }
            var long = batch
            long.signatures.append(0)
            let longer = long.results(.rs256)
            #expect(longer == notCovered)
            var mixed = batch
            mixed.keys[4] = try #require(KernelKey(.generateRSA(bits: 3072)))
            let different = mixed.results(.rs256)
            #expect(different == notCovered)
        }

        @Test("kernels exist for RSA keys of three sizes and for one curve only", .enabled(if: coversRSA))
        func keys() throws {
            let key = try #require(KernelKey(someRSAKey()))
            #expect(key.group == .rsa(bits: 2048) && key.byteCount < 4096)
            let point = try #require(KernelKey(.generateEC(.p256)))
            #expect(point.group == .p256 && point.byteCount <= 256 << 10)
            let others = try [
                AsymmetricKey.generateRSA(bits: 2056), .generateEC(.p384), .generateEC(.secp256k1), .generate(.ed448),
            ]
            for other in others {
                let made = KernelKey(other)
                #expect(made == nil)
            }
        }

        @Test(
            "each kernel gives the results of libcrypto, or libsodium, in a thousand cases of each size",
            arguments: ["ifma", "portable"], ["rsa", "p256", "ed25519"])
        func checker(form: String, kernel: String) throws {
            let tool = try #require(builtTool("KernelChecker"))
            let isMissing = try form == "ifma" && !cpuHasIFMA()
            // Without this form P-256 is left to libcrypto, so that there is no kernel to compare.
            let used = isMissing ? "portable" : form
            let (status, output, errors) = try run(tool, ["1000", "1", kernel], environment: ["BULLA_KERNELS": used])
            #expect(status == 0, "\(output)\(errors)")
            #expect(output.contains("form \(used)"), "\(output)")
        }

        @Test(
            "single RSA signatures have the results of libcrypto, by the kernel and without it (RFC 8017, 8.1.2 and 8.2.2)",
            arguments: ["ifma", "portable"])
        func single(form: String) throws {
            let tool = try #require(builtTool("KernelChecker"))
            let used = try form == "ifma" && !cpuHasIFMA() ? "portable" : form
            let (status, output, errors) = try run(
                tool, ["1000", "1", "single"], environment: ["BULLA_KERNELS": used])
            #expect(status == 0, "\(output)\(errors)")
            #expect(output.contains("form \(used)"), "\(output)")
            #expect(output.contains("4096 bits, exponent 3: "), "\(output)")
        }

        @Test(
            "the kernel checker detects a result that differs from that of libcrypto",
            arguments: ["rsa", "p256", "ed25519", "single"])
        func control(kernel: String) throws {
            let tool = try #require(builtTool("KernelChecker"))
            // Without kernels there is no result to change.
            guard kernel == "single" || (kernel == "p256" ? KernelKey.isAvailable : coversRSA) else { return }
            let (status, output, _) = try run(tool, ["--spoil", "10000", "1", kernel])
            #expect(status == 1 && output.contains("checker: "), "\(output)")
        }
    #else
        @Test("a build without the trait Accelerated has no kernels: libcrypto verifies every signature")
        func none() throws {
            for key in try [someRSAKey(), AsymmetricKey.generateEC(.p256)] {
                let made = KernelKey(key)
                #expect(made == nil)
            }
            #expect(!KernelKey.isAvailable && !verifiesRSAItself)
            let tool = try #require(builtTool("KernelChecker"))
            for kernel in ["rsa", "p256", "ed25519", "single"] {
                let (status, _, errors) = try run(tool, ["1", "1", kernel])
                #expect(status == 77, "\(kernel): \(errors)")
            }
        }
    #endif
}

#if Accelerated
    /// Whether the form in use has kernels for RSA: only `ifma` does.
    private let coversRSA = (try? someRSAKey()).flatMap { KernelKey($0) } != nil

    private func cpuHasIFMA() throws -> Bool {
        guard let text = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8) else { return false }
        return text.contains("avx512ifma")
    }
#endif
