import JOSE
import JOSETesting

/// Tokens in the JSON serializations, and with payloads that are detached, unencoded or in pieces: created, mutated and read
/// again.
final class SerializationTarget {
    private let mac: SecretKey
    private let other: PrivateKey
    private let agreement: PrivateKey
    private let signing: [JSONSigner]
    private let unencoded: JWSSigner
    private let verifier: JWSVerifier
    private let demanding: [JWSVerifier]
    private let streaming: [(SignatureAlgorithm, JWK)]
    private let encrypting: [JSONEncrypter]
    private let decrypter: JWEDecrypter

    private static let mutator = JSONMutator(names: [
        "payload", "signatures", "signature", "protected", "header", "unprotected", "recipients", "encrypted_key",
        "aad",
        "iv", "ciphertext", "tag", "x", "",
    ])

    init() throws {
        mac = try .generate(bits: 256, keyID: "mac")
        other = try .generate(.ed25519, keyID: "other")
        agreement = try .generate(.x25519)
        let wrapping = try SecretKey.generate(bits: 128)
        let signer = try JWSSigner(key: mac, algorithm: .hs256)
        let second = try JWSSigner(key: other, algorithm: .ed25519)
        var header = HeaderParameters()
        header.payloadIsUnencoded = true
        unencoded = try JWSSigner(key: mac, algorithm: .hs256, header: header)
        var named = HeaderParameters()
        named.set("x", "y")
        signing = [
            try JSONSigner(signer, unprotected: named), try JSONSigner([.init(signer), .init(second)]),
            try JSONSigner([.init(second, unprotected: named)]), try JSONSigner(unencoded),
        ]
        var policy = SignaturePolicy(algorithms: [.hs256, .ed25519])
        policy.understoodCritical = ["x"]
        let keys = KeySet([.symmetricKey(mac), .publicKey(other.publicKey)])
        verifier = try JWSVerifier(keys: keys, policy: policy)
        let requirements: [SignatureRequirement] = [
            .all, .keys([.keyID("mac")]), .keys([.thumbprint(try other.publicKey.thumbprint()), .keyID("mac")]),
        ]
        demanding = try requirements.map { requirement throws(JOSEError) in
            var policy = policy
            policy.requirement = requirement
            return try JWSVerifier(keys: keys, policy: policy)
        }
        streaming = try [(.hs512, .symmetricKey(.generate(bits: 512))), (.es256, .privateKey(.generate(.p256)))]

        var password = HeaderParameters()
        password.passwordIterations = 1_000
        let wrap = try JWEEncrypter(key: wrapping, keyManagement: .a128kw, contentEncryption: .a128gcm)
        let gcm = try JWEEncrypter(key: wrapping, keyManagement: .a128gcmkw, contentEncryption: .a128gcm)
        let agreed = try JWEEncrypter(
            key: agreement.publicKey, keyManagement: .ecdhESA128KW, contentEncryption: .a128gcm)
        let derived = try JWEEncrypter(
            key: wrapping, keyManagement: .pbes2HS256A128KW, contentEncryption: .a128gcm, header: password)
        let direct = try JWEEncrypter(key: wrapping, keyManagement: .dir, contentEncryption: .a128gcm)
        var compressed = HeaderParameters()
        compressed.compresses = true
        encrypting = [
            try JSONEncrypter([direct], form: .flattened), try JSONEncrypter([gcm], shared: named, form: .flattened),
            try JSONEncrypter([wrap, gcm], protected: compressed), try JSONEncrypter([agreed, wrap], shared: named),
            try JSONEncrypter([derived, gcm]), try JSONEncrypter([direct]),
        ]
        var encryption = EncryptionPolicy(
            keyManagement: KeyManagementAlgorithm.all, contentEncryption: ContentEncryption.all)
        encryption.allowsCompression = true
        encryption.limits.maxPBKDF2Iterations = 3_000
        encryption.limits.plaintextBytes = 5_000
        decrypter = try JWEDecrypter(
            keys: KeySet([.symmetricKey(wrapping), .privateKey(agreement)]), policy: encryption)
    }

    func run(_ dice: inout Dice, _ tally: inout Tally) throws {
        var payload = Array(dice.pick(["", "x", "{}", "some text", String(repeating: "y", count: 1_000)]).utf8)
        if dice.once(in: 2) { ByteMutator.change(&payload, &dice) }
        switch dice.below(8) {
        case 0, 1, 2: try jws(payload, &dice, &tally)
        case 3, 4, 5: try jwe(payload, &dice, &tally)
        default: try detached(payload, &dice, &tally)
        }
    }

    private func jws(_ payload: [UInt8], _ dice: inout Dice, _ tally: inout Tally) throws {
        let place = dice.below(signing.count)
        let (refused, made) = outcome { () throws(JOSEError) in try signing[place].sign(payload) }
        tally.count("JWS in JSON, made", refused)
        guard let made else {
            // A payload is rejected only if it must be UTF-8 and is not.
            return tally.expect(place == 3, "a JSON signer refuses: \(refused?.rawValue ?? "")")
        }
        let (refusal, good) = outcome { () throws(JOSEError) in try verifier.verify(json: made) }
        tally.count("JWS in JSON", refusal)
        tally.expect(good?.payload == payload, "a good JWS in JSON was refused: \(refusal?.rawValue ?? "")")
        let changed = Self.change(Array(made.utf8), &dice)
        let (after, opened) = outcome { () throws(JOSEError) in try verifier.verify(json: changed) }
        tally.count("JWS in JSON, then mutated", after)
        // Unsigned parts may change; signed parts must be unchanged.
        if let opened { tally.expect(opened.payload == payload, "JSON: another payload is accepted") }
        for demanding in demanding {
            let (_, whole) = outcome { () throws(JOSEError) in try demanding.verify(json: changed) }
            tally.expect(whole == nil || opened != nil, "JSON: more is accepted where more is asked for")
        }
        tally.countToken(before: false, after: true)
        _ = outcome { () throws(JOSEError) in try verifier.verify(json: changed, detachedPayload: payload) }
        _ = outcome { () throws(JOSEError) in try decrypter.decrypt(json: changed) }
        _ = outcome { () throws(JOSEError) in try verifier.verify(changed) }
    }

    private func jwe(_ payload: [UInt8], _ dice: inout Dice, _ tally: inout Tally) throws {
        let more: [UInt8]? = dice.once(in: 2) ? nil : Array("more".utf8)
        let place = dice.below(encrypting.count)
        // The case with PBKDF2 is slow.
        let encrypter = encrypting[place == 4 && !dice.once(in: 16) ? 0 : place]
        let made = try encrypter.encrypt(payload, additionalData: more)
        let (refusal, good) = outcome { () throws(JOSEError) in try decrypter.decrypt(json: made) }
        tally.count("JWE in JSON", refusal)
        tally.expect(
            good?.plaintext == payload && good?.additionalData == more,
            "a good JWE in JSON was refused: \(refusal?.rawValue ?? "")")
        let changed = Self.change(Array(made.utf8), &dice)
        let (after, opened) = outcome { () throws(JOSEError) in try decrypter.decrypt(json: changed) }
        tally.count("JWE in JSON, then mutated", after)
        if let opened {
            tally.expect(
                opened.plaintext == payload && opened.additionalData == more, "JSON: another content is accepted")
        }
        tally.countToken(before: false, after: true)
        _ = outcome { () throws(JOSEError) in try verifier.verify(json: changed) }
        _ = outcome { () throws(JOSEError) in try decrypter.decrypt(changed) }
    }

    private func detached(_ payload: [UInt8], _ dice: inout Dice, _ tally: inout Tally) throws {
        let signer = dice.once(in: 2) ? unencoded : try JWSSigner(key: mac, algorithm: .hs256)
        let token = try signer.sign(detached: payload)
        var stream = try signer.stream()
        let half = payload.count / 2
        try stream.update(Array(payload[..<half]))
        try stream.update(Array(payload[half...]))
        let streamed = try stream.finish()
        tally.expect(streamed == token, "a stream signs something else")
        var changed = Array(token.utf8)
        if dice.once(in: 2) { changed = TokenMutator.change(changed, other: Array(token.utf8), &dice) }
        let (refusal, _) = outcome { () throws(JOSEError) in try verifier.verify(changed, detachedPayload: payload) }
        tally.count("detached JWS", refusal)
        tally.expect((refusal == nil) == (changed == Array(token.utf8)), "detached: \(refusal?.rawValue ?? "accepted")")
        let (other, _) = outcome { () throws(JOSEError) in
            var stream = try verifier.stream(changed)
            try stream.update(payload)
            return try stream.finish()
        }
        tally.expect(other == refusal, "a stream says \(other?.rawValue ?? "accepted") for \(refusal?.rawValue ?? "")")
        tally.countToken(before: false, after: true)
        try inPieces(payload, &dice, &tally)
        // The payload is attached where that is allowed.
        let (_, whole) = outcome { () throws(JOSEError) in try signer.sign(payload) }
        guard let whole else { return }
        let (attached, _) = outcome { () throws(JOSEError) in try verifier.verify(whole) }
        tally.expect(attached == nil, "an unencoded payload is signed, and then \(attached?.rawValue ?? "")")
    }

    /// Verifies a payload in pieces, with several hashes and signature algorithms.
    private func inPieces(_ payload: [UInt8], _ dice: inout Dice, _ tally: inout Tally) throws {
        let (algorithm, key) = dice.pick(streaming)
        let signer: JWSSigner
        switch key {
        case .symmetricKey(let key): signer = try JWSSigner(key: key, algorithm: algorithm)
        case .privateKey(let key): signer = try JWSSigner(key: key, algorithm: algorithm)
        case .publicKey: return
        }
        var stream = try signer.stream()
        try stream.update(payload)
        var token = Array(try stream.finish().utf8)
        let isChanged = dice.once(in: 2)
        if isChanged { token = TokenMutator.change(token, other: token, &dice) }
        let verifier = try JWSVerifier(keys: KeySet([key]), policy: SignaturePolicy(algorithms: [algorithm]))
        let (refusal, _) = outcome { () throws(JOSEError) in
            var stream = try verifier.stream(token)
            try stream.update(payload)
            return try stream.finish()
        }
        tally.count("stream", refusal)
        tally.expect((refusal == nil) == !isChanged, "\(algorithm), in pieces: \(refusal?.rawValue ?? "accepted")")
    }

    /// Changes the members of the object, those of a recipient or signature, or bytes.
    private static func change(_ text: [UInt8], _ dice: inout Dice) -> [UInt8] {
        switch dice.below(4) {
        case 0:
            var result = text
            for _ in 0...dice.below(3) { ByteMutator.change(&result, &dice) }
            return result
        case 1:
            return inner(text, &dice) ?? mutator.change(text, &dice)
        default: return mutator.change(text, &dice)
        }
    }

    /// Changes one value of the object: canonical base64url, the members of an object, or those of the first object in a list.
    private static func inner(_ text: [UInt8], _ dice: inout Dice) -> [UInt8]? {
        var members = JSONMutator.split(text)
        guard !members.isEmpty else { return nil }
        let place = dice.below(members.count)
        let value = Array(members[place].value.utf8)
        switch value.first {
        case UInt8(ascii: "{"): members[place].value = String(decoding: mutator.change(value, &dice), as: UTF8.self)
        case UInt8(ascii: "["):
            let first = mutator.change(Array(value.dropFirst().dropLast()), &dice)
            members[place].value = "[" + String(decoding: first, as: UTF8.self) + "]"
        case UInt8(ascii: "\""):
            guard var bytes = Forge.decoded(String(members[place].value.dropFirst().dropLast())) else { return nil }
            if members[place].name == "\"protected\"", dice.once(in: 2) {
                bytes = JSONMutator.header.change(bytes, &dice)
            } else {
                ByteMutator.change(&bytes, &dice)
            }
            members[place].value = "\"\(Forge.encoded(bytes))\""
        default: return nil
        }
        return Array(("{" + members.map { $0.name + ":" + $0.value }.joined(separator: ",") + "}").utf8)
    }
}
