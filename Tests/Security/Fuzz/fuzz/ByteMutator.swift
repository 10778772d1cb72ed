/// Changes bytes at random, without regard to their meaning.
enum ByteMutator {
    private static let interesting: [UInt8] = [
        0, 1, 9, 10, 13, 31, 32, 34, 39, 43, 44, 45, 46, 47, 48, 57, 58, 61, 65, 91, 92, 93, 95, 101, 117, 123, 125,
        127, 128,
        191, 192, 237, 239, 244, 255,
    ]
    private static let words: [[UInt8]] = [
        ".", "..", "\"", "\\", "\\u0000", "\\ud800", "\\u0061", "{}", "[]", ",", ":", "null", "1e999", "-0", "=", "==",
        "+/",
        "\u{301}", "\r\n", "-----BEGIN ", "-----END ", "-----", "\u{feff}",
    ].map { Array($0.utf8) }

    static func change(_ bytes: inout [UInt8], _ dice: inout Dice) {
        guard !bytes.isEmpty else {
            bytes = dice.once(in: 2) ? dice.pick(words) : [dice.pick(interesting)]
            return
        }
        let place = dice.below(bytes.count)
        switch dice.below(10) {
        case 0: bytes[place] ^= 1 << UInt8(dice.below(8))
        case 1: bytes[place] = dice.pick(interesting)
        case 2: bytes[place] = UInt8(dice.below(256))
        case 3: bytes.insert(dice.pick(interesting), at: place)
        case 4: bytes.remove(at: place)
        case 5: bytes.insert(contentsOf: dice.pick(words), at: place)
        case 6:
            let count = min(1 + dice.below(16), bytes.count - place)
            bytes.removeSubrange(place..<place + count)
        case 7:
            let count = min(1 + dice.below(32), bytes.count - place)
            bytes.insert(contentsOf: Array(bytes[place..<place + count]), at: dice.below(bytes.count + 1))
        case 8: bytes.removeSubrange(place...)
        default: bytes.swapAt(place, dice.below(bytes.count))
        }
    }
}
