import JOSETesting

/// Changes a token after it was issued.
enum TokenMutator {
    /// Returns a text that differs from `token`. `other` is another token of the same issuer, whose parts may be used.
    static func change(_ token: [UInt8], other: [UInt8], _ dice: inout Dice) -> [UInt8] {
        var result = token
        repeat {
            for _ in 0...dice.below(2) {
                if dice.once(in: 3) {
                    ByteMutator.change(&result, &dice)
                } else {
                    result = changeParts(result, other, &dice)
                }
            }
        } while result == token
        return result
    }

    private static func changeParts(_ token: [UInt8], _ other: [UInt8], _ dice: inout Dice) -> [UInt8] {
        let dot = UInt8(ascii: ".")
        var parts = token.split(separator: dot, omittingEmptySubsequences: false).map { Array($0) }
        let place = dice.below(parts.count)
        switch dice.below(9) {
        case 0: parts.swapAt(place, dice.below(parts.count))
        case 1: parts.insert(parts[place], at: dice.below(parts.count + 1))
        case 2: parts.remove(at: place)
        case 3: parts[place] = []
        case 4, 5:
            let others = other.split(separator: dot, omittingEmptySubsequences: false).map { Array($0) }
            parts[place] = others[min(place, others.count - 1)]
        case 6: parts[place] += Array(dice.pick(["=", "==", "A", "AA", "AAAA", "\n", " ", "+", "/"]).utf8)
        default:
            // Other canonical base64url reaches the code behind the decoder.
            var bytes = Forge.decoded(String(decoding: parts[place], as: UTF8.self)) ?? []
            ByteMutator.change(&bytes, &dice)
            parts[place] = Array(Forge.encoded(bytes).utf8)
        }
        return Array(parts.joined(separator: [dot]))
    }
}
