import JOSE
import JOSECrypto
import TestSupport
import Testing

@Suite("External signing keys") struct ExternalSignerTests {
    private static let rows: [(SignatureAlgorithm, KeyKind)] = [
        (.rs256, .rsa(bits: 2048)), (.ps384, .rsa(bits: 2048)), (.es256, .p256), (.es384, .p384), (.es512, .p521),
        (.es256k, .secp256k1), (.edDSA, .ed25519), (.ed25519, .ed25519), (.ed448, .ed448), (.edDSA, .ed448),
    ]

    private func thrown(_ body: () async throws -> Void) async -> JOSEError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? JOSEError
        }
    }

    @Test("external keys sign compact, detached and JSON (RFC 7515, 5.1 and 7.2)", arguments: rows.indices)
    func roundTrip(_ row: Int) async throws {
        let (algorithm, kind) = Self.rows[row]
        let key = try PrivateKey.generate(kind, keyID: "remote")
        let service = RemoteService()
        let signer = try JWSSigner(
            externalKey: RemoteSigner(key, service), algorithm: algorithm, header: HeaderParameters(type: "JWT"))
        let verifier = try JWSVerifier(keys: KeySet(key.publicKey), policy: SignaturePolicy(algorithms: [algorithm]))

        let opened = try verifier.verify(await signer.sign("far away", timeout: .ample))
        #expect(opened.payload == Array("far away".utf8))
        #expect(opened.header.keyID == "remote" && opened.header.type == "JWT" && opened.algorithm == algorithm)
        let detached = try await signer.sign(detached: Array("far away".utf8), timeout: .ample)
        #expect(detached.contains(".."))
        _ = try verifier.verify(detached, detachedPayload: Array("far away".utf8))

        let ours = try PrivateKey.generate(.p256)
        let json = try JSONSigner([
            .init(signer, unprotected: HeaderParameters()), .init(try JWSSigner(key: ours, algorithm: .es256)),
        ])
        let text = try await json.sign("twice", timeout: .ample)
        var policy = SignaturePolicy(algorithms: [algorithm, .es256])
        policy.requirement = .all
        let both = try JWSVerifier(
            keys: KeySet([.publicKey(key.publicKey), .publicKey(ours.publicKey)]), policy: policy)
        #expect(try both.verify(json: text).payload == Array("twice".utf8))
        #expect(await service.calls == 3)
    }

    @Test("an external key receives the signing input and its hash (RFC 7515, 5.1, step 8)")
    func request() async throws {
        struct Watching: ExternalSigner {
            let inner: RemoteSigner
            let expected: Hash?
            var publicKey: PublicKey { inner.publicKey }
            func sign(_ request: SigningRequest) async throws -> [UInt8] {
                let digest = try expected?.digest(request.message.span)
                #expect(request.digest == digest)
                #expect(request.message.split(separator: UInt8(ascii: ".")).count == 2)
                return try await inner.sign(request)
            }
        }
        let rows: [(SignatureAlgorithm, KeyKind, Hash?)] = [
            (.es256, .p256, .sha256), (.es384, .p384, .sha384), (.ps512, .rsa(bits: 2048), .sha512),
            (.es256k, .secp256k1, .sha256), (.ed25519, .ed25519, nil), (.ed448, .ed448, nil), (.edDSA, .ed25519, nil),
        ]
        for (algorithm, kind, hash) in rows {
            let signer = Watching(inner: RemoteSigner(try .generate(kind)), expected: hash)
            _ = try await JWSSigner(externalKey: signer, algorithm: algorithm).sign("x", timeout: .ample)
        }
    }

    @Test(
        "T12 an external DER signature is accepted only if the key announces DER, and if canonical (RFC 7518, 3.4)"
    )
    func der() async throws {
        @Sendable func integer(_ half: ArraySlice<UInt8>) -> [UInt8] {
            let short = Array(half.drop { $0 == 0 })
            let body = (short.first ?? 0) >= 0x80 || short.isEmpty ? [0] + short : short
            return [2, UInt8(body.count)] + body
        }
        @Sendable func sequence(_ body: [UInt8]) -> [UInt8] {
            [0x30] + (body.count < 0x80 ? [] : [0x81]) + [UInt8(body.count)] + body
        }
        @Sendable func encoded(_ raw: [UInt8]) -> [UInt8] {
            sequence(integer(raw[..<(raw.count / 2)]) + integer(raw[(raw.count / 2)...]))
        }
        for (algorithm, kind) in [(SignatureAlgorithm.es256, KeyKind.p256), (.es384, .p384), (.es512, .p521)] {
            let key = try PrivateKey.generate(kind)
            let service = RemoteService(.lying(encoded))
            let der = try JWSSigner(externalKey: RemoteSigner(key, service, ecdsaForm: .der), algorithm: algorithm)
            let joined = try JWSSigner(externalKey: RemoteSigner(key, service), algorithm: algorithm)
            let verifier = try JWSVerifier(
                keys: KeySet(key.publicKey), policy: SignaturePolicy(algorithms: [algorithm]))
            // Many repetitions make leading zeros and high bits likely.
            for _ in 0..<40 { _ = try verifier.verify(await der.sign("x", timeout: .ample)) }
            // DER where r and s are meant (RFC 7518, 3.4).
            let required = algorithm == .es256 ? 64 : algorithm == .es384 ? 96 : 132
            let error = await thrown { _ = try await joined.sign("x", timeout: .ample) }
            #expect(error == .externalKey(.signature(.der(required: required))))
            let text = error.map { "\($0)" } ?? ""
            #expect(text.contains("is DER in place of r and s, which have \(required) octets"), "\(text)")

            let forms: [@Sendable ([UInt8]) -> [UInt8]] = [
                { $0 }, { encoded($0) + [0] }, { Array(encoded($0).dropLast()) }, { _ in [] }, { _ in [0x30, 0] },
                { raw in
                    let half = raw.count / 2
                    // There is a leading zero that no sign bit requires, where the length allows it.
                    let wide = [2, UInt8(half + 2), 0, 0] + raw[..<half]
                    return sequence(wide + integer(raw[half...]))
                },
                { raw in
                    // The integer has more bytes than the field.
                    sequence(
                        [2, UInt8(raw.count / 2 + 1), 1] + raw[..<(raw.count / 2)] + integer(raw[(raw.count / 2)...]))
                },
                { raw in
                    // The zero that makes the integer non-negative is missing.
                    let high = [UInt8(0x80)] + raw[1..<(raw.count / 2)]
                    return sequence([2, UInt8(high.count)] + high + integer(raw[(raw.count / 2)...]))
                },
            ]
            for (index, form) in forms.enumerated() {
                await service.set(.lying(form))
                let error = await thrown { _ = try await der.sign("x", timeout: .ample) }
                #expect(error == .externalKey(.signature(.notDER)), "form \(index) of \(algorithm)")
            }
        }
    }

    @Test("an external signature that does not verify with the public key is rejected")
    func wrongSignatures() async throws {
        let key = try PrivateKey.generate(.p256)
        let rsa = try PrivateKey.stored()
        for (algorithm, key) in [(SignatureAlgorithm.es256, key), (.rs256, rsa), (.ps256, rsa)] {
            let service = RemoteService()
            let signer = try JWSSigner(externalKey: RemoteSigner(key, service), algorithm: algorithm)
            _ = try await signer.sign("x", timeout: .ample)
            let count = algorithm == .es256 ? 64 : 256
            func length(_ found: Int) -> JOSEError {
                .externalKey(.signature(.length(found: found, required: count, of: nil)))
            }
            let lies: [(JOSEError, @Sendable ([UInt8]) -> [UInt8])] = [
                (.externalKey(.signatureInvalid), { $0.dropLast() + [$0[$0.count - 1] ^ 1] }),
                (.externalKey(.signatureInvalid), { [UInt8](repeating: 0, count: $0.count) }),
                (length(count - 1), { Array($0.dropLast()) }), (length(count + 1), { $0 + [0] }),
                (length(count + 1), { [0] + $0 }), (length(0), { _ in [] }),
            ]
            for (error, lie) in lies {
                await service.set(.lying(lie))
                #expect(await thrown { _ = try await signer.sign("x", timeout: .ample) } == error)
            }
        }
        let other = try PrivateKey.generate(.p256)
        let mistaken = try JWSSigner(externalKey: RemoteSigner(key, goingBy: other.publicKey), algorithm: .es256)
        #expect(await thrown { _ = try await mistaken.sign("x", timeout: .ample) } == .externalKey(.signatureInvalid))
        // Ed25519 has an implementation of its own.
        let edwards = try PrivateKey.generate(.ed25519)
        let service = RemoteService(.lying { $0.dropLast() + [$0[63] ^ 1] })
        let signer = try JWSSigner(externalKey: RemoteSigner(edwards, service), algorithm: .ed25519)
        #expect(await thrown { _ = try await signer.sign("x", timeout: .ample) } == .externalKey(.signatureInvalid))
        await service.set(.well)
        #expect(try await signer.sign("x", timeout: .ample).isEmpty == false)
    }

    @Test("the padding of RSA and the length of another algorithm are named (RFC 7518, 3.3 to 3.5)")
    func mistakes() async throws {
        /// A service that signs with one algorithm, whatever it is asked for.
        struct Stubborn: ExternalSigner {
            let key: PrivateKey
            let algorithm: SignatureAlgorithm
            var publicKey: PublicKey { key.publicKey }
            func sign(_ request: SigningRequest) async throws -> [UInt8] {
                guard case (.asymmetric(let key), .scheme(let scheme)) = (key.material, algorithm.core.traits.engine)
                else { return [] }
                return try key.sign(scheme, request.message.span)
            }
        }
        let rsa = try PrivateKey.stored()
        for (asked, made, mistake) in [
            (SignatureAlgorithm.ps256, SignatureAlgorithm.rs256, SignatureMistake.pkcs1InPlaceOfPSS),
            (.rs256, .ps256, .pssInPlaceOfPKCS1), (.ps384, .rs384, .pkcs1InPlaceOfPSS),
            (.rs512, .ps512, .pssInPlaceOfPKCS1),
        ] {
            let signer = try JWSSigner(externalKey: Stubborn(key: rsa, algorithm: made), algorithm: asked)
            #expect(
                await thrown { _ = try await signer.sign("x", timeout: .ample) } == .externalKey(.signature(mistake)),
                "\(asked)")
            let right = try JWSSigner(externalKey: Stubborn(key: rsa, algorithm: asked), algorithm: asked)
            #expect(await thrown { _ = try await right.sign("x", timeout: .ample) } == nil, "\(asked)")
        }
        let service = RemoteService(.lying { $0 + $0.prefix(32) })
        let long = try JWSSigner(externalKey: RemoteSigner(try PrivateKey.generate(.p256), service), algorithm: .es256)
        #expect(
            await thrown { _ = try await long.sign("x", timeout: .ample) }
                == .externalKey(.signature(.length(found: 96, required: 64, of: .es384))))
        await service.set(.well)
        #expect(await thrown { _ = try await long.sign("x", timeout: .ample) } == nil)
    }

    @Test("the error of an external key is rethrown unchanged, and appears in no description")
    func causes() async throws {
        struct Plain: Error { let secret = "hunter2" }
        let service = RemoteService(.failing(RemoteService.Fault.throttled(3)))
        let signer = try JWSSigner(externalKey: RemoteSigner(.generate(.p256), service), algorithm: .es256)
        let error = await thrown { _ = try await signer.sign("x", timeout: .ample) }
        guard case .externalKey(.failed(let cause))? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(cause.error as? RemoteService.Fault == .throttled(3))
        #expect(cause == ExternalCause(RemoteService.Fault.throttled(3)))
        #expect(cause != ExternalCause(RemoteService.Fault.throttled(4)))
        #expect(cause != ExternalCause(Plain()) && ExternalCause(Plain()) == ExternalCause(Plain()))
        await service.set(.failing(Plain()))
        let plain = await thrown { _ = try await signer.sign("x", timeout: .ample) }
        #expect(plain.map { "\($0)" } == "the external key failed")
        #expect(plain.map { String(reflecting: $0) }?.contains("hunter2") == false)
        await service.set(.well)
        #expect(await thrown { _ = try await signer.sign("x", timeout: .ample) } == nil)
    }

    @Test("an external key whose use, key_ops or alg does not match is rejected without a call (RFC 7517, 4.2 to 4.4)")
    func bindings() throws {
        let key = try PrivateKey.generate(.p256)
        func suits(_ algorithm: SignatureAlgorithm, _ bind: (inout PrivateKey) -> Void) -> JOSEError? {
            var bound = key
            bind(&bound)
            do throws(JOSEError) {
                _ = try JWSSigner(externalKey: RemoteSigner(bound), algorithm: algorithm)
                return nil
            } catch {
                return error
            }
        }
        #expect(suits(.es256) { _ in } == nil)
        #expect(suits(.es256) { $0.algorithm = "ES256" } == nil)
        #expect(suits(.es256) { $0.operations = .sign } == nil)
        #expect(suits(.es256) { $0.algorithm = "ES384" } == .keyUnsuitable(.algorithm))
        #expect(suits(.es256) { $0.use = .encryption } == .keyUnsuitable(.use))
        #expect(suits(.es256) { $0.operations = .deriveBits } == .keyUnsuitable(.operations))
        #expect(suits(.es384) { _ in } == .keyUnsuitable(.curve))
        #expect(suits(.rs256) { _ in } == .keyUnsuitable(.kind))
        #expect(suits(.hs256) { _ in } == .keyUnsuitable(.kind))
    }

    @Test("a cancelled task does not call the external key, and one that waits for it gets cancelled")
    func cancellation() async throws {
        let service = RemoteService(.slow(.ample))
        let signer = try JWSSigner(externalKey: RemoteSigner(.generate(.p256), service), algorithm: .es256)
        let waiting = Task { try await signer.sign("x", timeout: .ample) }
        while await service.calls == 0 { await Task.yield() }
        waiting.cancel()
        await #expect(throws: JOSEError.cancelled) { try await waiting.value }
        while await service.cancelled == 0 { await Task.yield() }

        let late = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await signer.sign("x", timeout: .ample)
        }
        await #expect(throws: JOSEError.cancelled) { try await late.value }
        #expect(await service.calls == 1)

        // A cancellation that the external key throws by itself is a failure of the key.
        await service.set(.failing(CancellationError()))
        #expect(
            await thrown { _ = try await signer.sign("x", timeout: .ample) }
                == .externalKey(.failed(ExternalCause(CancellationError())))
        )
    }

    @Test("a method that does not wait throws awaitRequired for an external key, and calls no key")
    func awaitRequired() async throws {
        let service = RemoteService()
        let signer = try JWSSigner(externalKey: RemoteSigner(.generate(.p256), service), algorithm: .es256)
        let json = try JSONSigner([.init(JWSSigner(key: PrivateKey.generate(.p256), algorithm: .es256)), .init(signer)])
        let payload = Array("x".utf8)
        let calls: [() throws -> Void] = [
            { _ = try signer.sign("x") }, { _ = try signer.signBytes(payload.span) },
            { _ = try signer.sign(detached: "x") }, { _ = try signer.stream() }, { _ = try json.sign("x") },
            { _ = try json.sign(detached: "x") },
        ]
        for call in calls { #expect(throws: JOSEError.externalKey(.awaitRequired)) { try call() } }
        #expect(await service.calls == 0)
        let error = JOSEError.externalKey(.awaitRequired)
        #expect("\(error)".contains("timeout") && error.code == "await_required" && !error.isRetryable)
        // With a timeout, each of them signs.
        _ = try await signer.sign("x", timeout: .ample)
        _ = try await signer.signBytes(payload, timeout: .ample)
        _ = try await signer.sign(detached: payload, timeout: .ample)
        _ = try await json.sign("x", timeout: .ample)
        _ = try await json.sign(detached: payload, timeout: .ample)
        #expect(await service.calls == 5)
    }

    @Test("a key that does not answer within the timeout is given up, even if it ignores cancellation")
    func timeout() async throws {
        let service = RemoteService()
        let signer = try JWSSigner(externalKey: RemoteSigner(.generate(.p256), service), algorithm: .es256)
        let json = try JSONSigner(signer)
        for mood in [RemoteService.Mood.deaf, .slow(.ample)] {
            await service.set(mood)
            for error in [
                await thrown { _ = try await signer.sign("x", timeout: .milliseconds(50)) },
                await thrown { _ = try await signer.sign(detached: [1], timeout: .milliseconds(50)) },
                await thrown { _ = try await json.sign("x", timeout: .milliseconds(50)) },
            ] {
                #expect(error == .externalKey(.timedOut) && error?.isRetryable == true)
                #expect(error?.code == "external_key_failure")
            }
            await service.release()
        }
        // A time that has passed allows no call.
        let calls = await service.calls
        #expect(await thrown { _ = try await signer.sign("x", timeout: .zero) } == .externalKey(.timedOut))
        #expect(await service.calls == calls)
        for timeout in [Duration.ample, .seconds(Int64.max)] {
            #expect(await thrown { _ = try await signer.sign("x", timeout: timeout) } == nil)
        }
    }

    @Test("the timeout cancels the task of the call")
    func cancelledCall() async throws {
        let service = RemoteService(.slow(.ample))
        let signer = try JWSSigner(externalKey: RemoteSigner(.generate(.p256), service), algorithm: .es256)
        // On a busy machine the time may pass before the key is called.
        while await service.cancelled == 0 {
            #expect(
                await thrown { _ = try await signer.sign("x", timeout: .milliseconds(50)) } == .externalKey(.timedOut))
        }
        await service.set(.well)
        #expect(await thrown { _ = try await signer.sign("x", timeout: .ample) } == nil)
    }

    @Test("a key in the process signs at once with a timeout, whatever it is")
    func localKey() async throws {
        let key = try PrivateKey.generate(.p256)
        let signer = try JWSSigner(key: key, algorithm: .es256)
        let verifier = try JWSVerifier(keys: KeySet(key.publicKey), policy: SignaturePolicy(algorithms: [.es256]))
        let payload = Array("x".utf8)
        for timeout in [Duration.zero, .ample] {
            #expect(try verifier.verify(await signer.sign("x", timeout: timeout)).payload == payload)
            #expect(try verifier.verify(await signer.signBytes(payload, timeout: timeout)).payload == payload)
            let detached = try await signer.sign(detached: payload, timeout: timeout)
            _ = try verifier.verify(detached, detachedPayload: payload)
            let json = try await JSONSigner(signer).sign("x", timeout: timeout)
            #expect(try verifier.verify(json: json).payload == payload)
        }
    }
}
