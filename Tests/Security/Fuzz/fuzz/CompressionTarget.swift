import JOSE
import JOSETesting

/// DEFLATE streams, mutated before they are encrypted.
final class CompressionTarget {
    private static let most = 2_000
    private let key: SecretKey
    private let decrypter: JWEDecrypter
    private let compressing: JWEEncrypter
    private let streams: [[UInt8]]

    init() throws {
        key = try .generate(bits: 128)
        var policy = EncryptionPolicy(keyManagement: [.dir], contentEncryption: [.a128gcm])
        policy.allowsCompression = true
        policy.limits.plaintextBytes = Self.most
        decrypter = try JWEDecrypter(keys: KeySet(key), policy: policy)
        var header = HeaderParameters()
        header.compresses = true
        compressing = try JWEEncrypter(key: key, keyManagement: .dir, contentEncryption: .a128gcm, header: header)
        streams = Seeds.streams.map { Forge.decoded($0) ?? [] }
    }

    func run(_ dice: inout Dice, _ tally: inout Tally) throws {
        if dice.once(in: 3) { return try roundTrip(&dice, &tally) }
        var stream = dice.pick(streams)
        let isMutated = !dice.once(in: 8)
        if isMutated { for _ in 0...dice.below(4) { ByteMutator.change(&stream, &dice) } }
        let name = dice.once(in: 16) ? dice.pick(["def", "GZIP", ""]) : "DEF"
        let token = try Forge.encrypted(
            header: #"{"alg":"dir","enc":"A128GCM","zip":"\#(name)"}"#, plaintext: stream, with: .symmetricKey(key),
            .dir, .a128gcm)
        let (refusal, opened) = outcome { () throws(JOSEError) in try decrypter.decrypt(token) }
        tally.count("compressed JWE", refusal)
        if let opened { tally.expect(opened.plaintext.count <= Self.most, "more text than allowed") }
        tally.expect(name == "DEF" || refusal == .headerInvalid, "another compression: \(refusal?.rawValue ?? "")")
        tally.expect(
            opened != nil || [.headerInvalid, .decompressionFailed, .tooLarge].contains(refusal),
            "compressed: \(refusal?.rawValue ?? "")")
        tally.countToken(before: isMutated, after: false)
    }

    private func roundTrip(_ dice: inout Dice, _ tally: inout Tally) throws {
        var text: [UInt8] = []
        for _ in 0..<dice.below(4) {
            switch dice.below(3) {
            case 0: text += [UInt8](repeating: UInt8(dice.below(256)), count: dice.below(1_500))
            case 1: text += (0..<dice.below(700)).map { _ in UInt8(dice.below(256)) }
            default: text += Array(dice.pick(["the same again, ", "{\"iss\":\"i\"}", "x"]).utf8)
            }
        }
        let token = try compressing.encryptBytes(text.span)
        let (refusal, opened) = outcome { () throws(JOSEError) in try decrypter.decrypt(token) }
        tally.count("compressed here", refusal)
        // The stream of incompressible text may exceed the limit.
        let isLong = text.count > Self.most - 32
        tally.expect(opened.map { $0.plaintext == text } ?? isLong, "compressed here: \(refusal?.rawValue ?? "")")
        tally.countToken(before: true, after: false)
    }
}
