import JOSETesting

/// Compares base64url with a simple decoder.
enum Base64Target {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    static func run(_ dice: inout Dice, _ tally: inout Tally) {
        let bytes = (0..<dice.below(dice.pick([4, 50, 400]))).map { _ in UInt8(dice.below(256)) }
        let text = Forge.encoded(bytes)
        tally.expect(Forge.decoded(text) == bytes, "base64url does not come back")
        var changed = Array(text.utf8)
        ByteMutator.change(&changed, &dice)
        // A Swift string is UTF-8, so that other bytes are not an input of this target.
        guard let changedText = String(validating: changed, as: UTF8.self) else { return }
        let decoded = Forge.decoded(changedText)
        tally.count("base64url", decoded == nil ? .malformed : nil)
        tally.expect(decoded == reference(changed), "base64url reads otherwise: \(changedText)")
    }

    /// Decodes base64url bit by bit (RFC 4648, 5).
    private static func reference(_ text: [UInt8]) -> [UInt8]? {
        var result: [UInt8] = []
        var (bits, count) = (0, 0)
        for byte in text {
            guard let value = alphabet.firstIndex(of: byte) else { return nil }
            (bits, count) = (bits << 6 | value, count + 6)
            if count >= 8 {
                count -= 8
                result.append(UInt8(bits >> count & 255))
                bits &= 1 << count - 1
            }
        }
        return text.count % 4 == 1 || bits != 0 ? nil : result
    }
}
