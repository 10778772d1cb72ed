import JOSE
import JOSETesting
import JOSETokens

/// External keys that return right or wrong results. Each token is one that the synchronous verifier accepts, or there is an
/// error.
final class ExternalTarget {
    private let signers: [(key: JWK, party: Party, signer: JWSSigner, verifier: JWSVerifier)]
    private let cek: SecretKey
    private let party: Party
    private let decrypter: JWEDecrypter
    private let agreement: PrivateKey

    init() throws {
        let keys: [(SignatureAlgorithm, KeyKind)] = [(.ed25519, .ed25519), (.es256, .p256)]
        signers = try keys.map { algorithm, kind in
            let key = try PrivateKey.generate(kind)
            let party = Party(key.publicKey, .privateKey(key))
            return (
                .privateKey(key), party, try JWSSigner(externalKey: party, algorithm: algorithm),
                try JWSVerifier(keys: KeySet(key.publicKey), policy: SignaturePolicy(algorithms: [algorithm]))
            )
        }
        cek = try .generate(bits: 128)
        agreement = try .generate(.x25519)
        party = Party(agreement.publicKey, .symmetricKey(cek))
        var policy = EncryptionPolicy(
            keyManagement: [.a128kw, .a128gcmkw, .ecdhES, .ecdhESA128KW], contentEncryption: [.a128gcm])
        policy.allowsCompression = true
        decrypter = try JWEDecrypter(externalKeys: [.unwrapper(party), .agreement(party)], policy: policy)
    }

    func run(_ dice: inout Dice, _ tally: inout Tally) async throws {
        var payload = Array(dice.pick(["", "x", #"{"iss":"i"}"#, String(repeating: "y", count: 1_000)]).utf8)
        if dice.once(in: 2) { ByteMutator.change(&payload, &dice) }
        let mood = dice.once(in: 2) ? Party.Mood.good : dice.pick(Party.Mood.allCases)
        if dice.once(in: 2) {
            try await sign(payload, mood, &dice, &tally)
        } else {
            try await decrypt(payload, mood, &dice, &tally)
        }
    }

    private func sign(
        _ payload: [UInt8], _ mood: Party.Mood, _ dice: inout Dice, _ tally: inout Tally
    ) async throws {
        let row = dice.pick(signers)
        row.party.mood = mood
        let token: String
        do { token = try await row.signer.sign(payload, timeout: .seconds(600)) } catch {
            count("signed outside", error, &tally)
            tally.expect(mood != .good, "a good signature from outside is refused: \(error)")
            return
        }
        tally.count("signed outside", nil)
        tally.expect(mood == .good, "what another party answered badly was taken")
        let (refusal, verified) = outcome { () throws(JOSEError) in try row.verifier.verify(token) }
        tally.expect(verified?.payload == payload, "signed outside, and then \(refusal?.rawValue ?? "")")
        let entries = [JSONSigner.Entry(row.signer), .init(row.signer)]
        let json = try await JSONSigner(entries).sign(payload, timeout: .seconds(600))
        let (other, opened) = outcome { () throws(JOSEError) in try row.verifier.verify(json: json) }
        tally.expect(opened?.payload == payload, "signed outside in JSON, and then \(other?.rawValue ?? "")")
        let detached = try await row.signer.sign(detached: payload, timeout: .seconds(600))
        let (third, _) = outcome { () throws(JOSEError) in
            try row.verifier.verify(detached, detachedPayload: payload)
        }
        tally.expect(third == nil, "signed outside, detached, and then \(third?.rawValue ?? "")")
        tally.countToken(before: true, after: false)
    }

    /// Counts an error. A fault of the external key is neither one of the input nor one of the library.
    private func count(_ family: String, _ error: any Error, _ tally: inout Tally) {
        guard let error = error as? JOSEError else { return tally.find("\(family): \(error)") }
        if case .externalKey = error { return tally.count(family + ", by a party at fault", nil) }
        tally.count(family, Refusal(error))
    }

    private func decrypt(
        _ payload: [UInt8], _ mood: Party.Mood, _ dice: inout Dice, _ tally: inout Tally
    ) async throws {
        party.mood = mood
        let isAgreed = dice.once(in: 4)
        var header = Array(
            dice.pick([
                #"{"alg":"A128KW","enc":"A128GCM"}"#,
                #"{"alg":"A128GCMKW","enc":"A128GCM","iv":"AAAAAAAAAAAAAAAA","tag":"AAAAAAAAAAAAAAAAAAAAAA"}"#,
            ]).utf8)
        if isAgreed {
            let point = JSONMutator.split(Array(agreement.publicKey.jwk().utf8)).map { $0.name + ":" + $0.value }
            header = Array(#"{"alg":"ECDH-ES","enc":"A128GCM","epk":{\#(point.joined(separator: ","))}}"#.utf8)
        }
        let isMutated = dice.once(in: 3)
        if isMutated { header = JSONMutator.header.change(header, &dice) }
        // The CEK is the one that the external key returns, whatever the encrypted key is.
        let made = try Forge.encrypted(
            header: header, plaintext: payload, with: .symmetricKey(cek), .dir, .a128gcm)
        var parts = made.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        if !isAgreed {
            let count = parts[0].contains("R0NN") ? 16 : 24
            parts[1] = Forge.encoded([UInt8](repeating: 7, count: dice.once(in: 8) ? dice.below(40) : count))
        }
        var token = Array(parts.joined(separator: ".").utf8)
        let isChanged = dice.once(in: 4)
        if isChanged { token = TokenMutator.change(token, other: token, &dice) }
        let json =
            #"{"protected":"\#(parts[0])","encrypted_key":"\#(parts[1])","iv":"\#(parts[2])","ciphertext":"\#(parts[3])","tag":"\#(parts[4])"}"#
        for isJSON in [false, true] {
            do {
                let text =
                    isJSON
                    ? try await decrypter.decrypt(json: json, timeout: .seconds(600)).plaintext
                    : try await decrypter.decrypt(token, timeout: .seconds(600)).plaintext
                tally.count("decrypted outside", nil)
                tally.expect(text == payload && mood == .good && !isAgreed, "decrypted outside: other content")
            } catch {
                count("decrypted outside", error, &tally)
            }
        }
        tally.countToken(before: isMutated, after: isChanged)
    }
}

/// An external key.
final class Party: ExternalSigner, ExternalUnwrapper, ExternalAgreement, @unchecked Sendable {
    enum Mood: CaseIterable {
        case good, refuses, empty, short, long, zeros, changed
    }
    /// The behavior of the next call. Only one task sets it, between calls.
    var mood = Mood.good
    let publicKey: PublicKey
    private let held: JWK

    init(_ publicKey: PublicKey, _ held: JWK) {
        self.publicKey = publicKey
        self.held = held
    }

    var key: ExternalKeyName { .aes(bits: 128, keyID: nil) }

    func sign(_ request: SigningRequest) async throws -> [UInt8] {
        let parts = request.message.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .map { Forge.decoded(String(decoding: $0, as: UTF8.self)) ?? [] }
        let token = try Forge.signed(header: parts[0], payload: parts[1], with: held, request.algorithm)
        return try answer(Forge.decoded(String(token.split(separator: ".").last ?? "")) ?? []) ?? []
    }

    func unwrap(_ request: UnwrapRequest) async throws -> ExternalSecret? {
        guard case .symmetricKey(let key) = held else { return nil }
        let text = JSONMutator.split(key.exportSecretJWK()).first { $0.name == "\"k\"" }?.value ?? ""
        return try answer(Forge.decoded(String(text.dropFirst().dropLast())) ?? []).map { ExternalSecret($0) }
    }

    func agree(with ephemeralKey: PublicKey) async throws -> ExternalSecret? {
        try answer([UInt8](repeating: 9, count: 32)).map { ExternalSecret($0) }
    }

    private func answer(_ good: [UInt8]) throws -> [UInt8]? {
        switch mood {
        case .good: return good
        case .refuses: return nil
        case .empty: return []
        case .short: return Array(good.dropLast())
        case .long: return good + [0]
        case .zeros: return [UInt8](repeating: 0, count: good.count)
        case .changed: return good.dropLast() + [(good.last ?? 0) ^ 1]
        }
    }
}
