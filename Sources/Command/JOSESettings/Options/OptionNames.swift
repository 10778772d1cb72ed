package import JOSE

/// The options of the command that set limits of the library. Texts of errors name the limit of the library, which a
/// user of the command cannot set.
package enum OptionNames {
    package typealias Limit = (
        limit: String, option: Option<Int>, set: @Sendable (inout ParsingLimits, Int) -> Void
    )
    package static let ofLimits: [Limit] = [
        ("ParsingLimits.tokenBytes", Options.maximumTokenBytes, { $0.tokenBytes = $1 }),
        ("ParsingLimits.plaintextBytes", Options.maximumPlaintextBytes, { $0.plaintextBytes = $1 }),
        ("ParsingLimits.signatureBytes", Options.maximumSignatureBytes, { $0.signatureBytes = $1 }),
        ("ParsingLimits.maxPBKDF2Iterations", Options.maximumIterations, { $0.maxPBKDF2Iterations = $1 }),
        ("ParsingLimits.keysInSet", Options.maximumKeys, { $0.keysInSet = $1 }),
        ("ParsingLimits.candidateKeys", Options.maximumCandidates, { $0.candidateKeys = $1 }),
    ]

    /// Returns the text of an error with the options in place of these limits.
    package static func inText(_ text: String) -> String {
        guard text.contains("ParsingLimits.") else { return text }
        return ofLimits.reduce(text) { $0.replacing($1.limit, with: "--\($1.option.spec.name)") }
    }
}
