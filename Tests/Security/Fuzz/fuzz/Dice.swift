/// The random number generator SplitMix64, which gives the same numbers for a seed on every machine.
struct Dice: RandomNumberGenerator {
    private var state: UInt64

    /// Creates the generator of one case. Each case has a seed of its own, so that it can be run alone.
    init(seed: UInt64, case index: Int) {
        state = seed &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(truncatingIfNeeded: index) &* 0xD1B5_4A32_D192_ED03
        _ = next()
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
        return z ^ z >> 31
    }

    /// Returns a number below `count`, which must be above 0.
    mutating func below(_ count: Int) -> Int { Int(next() % UInt64(count)) }
    /// Returns true once in `count` times on average.
    mutating func once(in count: Int) -> Bool { below(count) == 0 }
    mutating func pick<C: RandomAccessCollection>(_ choices: C) -> C.Element {
        choices[choices.index(choices.startIndex, offsetBy: below(choices.count))]
    }
}
