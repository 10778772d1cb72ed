import JOSESupport

/// The characters that paths are compared by, for those beyond ASCII.
///
/// Two texts that a program may take for equal, because it normalizes them (NFC, NFD, NFKC or NFKD), ignores case,
/// accents or invisible characters, have equal forms here. The tables are made by `Tests/Scripts/path_characters.py`.
struct PathCharacters: Sendable {
    static let shared = PathCharacters()

    private let compatible = Table(Self.compatible)
    private let folded = Table(Self.folded)

    /// Appends the characters that a character beyond ASCII is compared by. They may be none, and may be ASCII
    /// characters.
    ///
    /// - Parameter foldsCase: Whether upper and lower case are equal. ASCII letters are left to the caller.
    func append(_ scalar: UInt32, foldsCase: Bool, to output: inout [UInt32]) {
        let start = output.count
        if (0xAC00..<0xD7A4).contains(scalar) {
            // Hangul syllables are composed by arithmetic (The Unicode Standard, 3.12).
            let index = scalar - 0xAC00
            output += [0x1100 + index / 588, 0x1161 + index % 588 / 28]
            if index % 28 != 0 { output.append(0x11A7 + index % 28) }
            return
        }
        compatible.append(scalar, to: &output)
        guard foldsCase else { return }
        let kept = output[start...]
        guard kept.contains(where: { folded.contains($0) }) else { return }
        output.removeSubrange(start...)
        for scalar in kept { folded.append(scalar, to: &output) }
    }

    /// A table of replacements, which is searched by bisection.
    private struct Table {
        /// Characters at equal distances, with what replaces them.
        private struct Run {
            var first: UInt32 = 0
            var last: UInt32 = 0
            var step: UInt32 = 1
            /// Whether the replacement of each character is as far from that of the first as the character is.
            var advances = false
            var texts = 0..<0
        }
        private var runs: [Run] = []
        private var texts: [UInt32] = []

        /// Reads words such as `C0-C5=41`, `178-179+59` and `100-12E/2+101`, and lists of what consecutive characters
        /// become, such as `BC=31,2044,34;31,2044,32`; numbers are hexadecimal.
        init(_ text: StaticString) {
            var run = Run()
            var number: UInt32 = 0
            var hasDigits = false
            var isStep = false
            for byte in (text.description + " ").utf8 {
                if let digit = byte.hexadecimalDigit {
                    number = number << 4 | UInt32(digit)
                    hasDigits = true
                    continue
                }
                switch byte {
                case UInt8(ascii: "-"): run.first = number
                case UInt8(ascii: "/"):
                    run.last = number
                    isStep = true
                case UInt8(ascii: "="), UInt8(ascii: "+"):
                    if isStep { run.step = number } else { run.last = number }
                    if run.first == 0 { run.first = run.last }
                    run.advances = byte == UInt8(ascii: "+")
                    run.texts = texts.count..<texts.count
                case UInt8(ascii: ","): texts.append(number)
                default:
                    if hasDigits { texts.append(number) }
                    run.texts = run.texts.lowerBound..<texts.count
                    runs.append(run)
                    let next = byte == UInt8(ascii: ";") ? run.last + 1 : 0
                    run = Run(first: next, last: next, texts: texts.count..<texts.count)
                    isStep = false
                }
                number = 0
                hasDigits = false
            }
        }

        private func run(of scalar: UInt32) -> Run? {
            var (low, high) = (0, runs.count)
            while low < high {
                let middle = (low + high) / 2
                if runs[middle].last < scalar { low = middle + 1 } else { high = middle }
            }
            return low < runs.count ? runs[low] : nil
        }

        func contains(_ scalar: UInt32) -> Bool {
            guard let run = run(of: scalar) else { return false }
            return run.first <= scalar && (scalar - run.first) % run.step == 0
        }

        /// Appends what replaces a character, or the character.
        func append(_ scalar: UInt32, to output: inout [UInt32]) {
            guard let run = run(of: scalar), run.first <= scalar, (scalar - run.first) % run.step == 0 else {
                return output.append(scalar)
            }
            let distance = run.advances ? scalar - run.first : 0
            for text in texts[run.texts] { output.append(text + distance) }
        }
    }
}
