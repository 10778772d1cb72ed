/// The options of the command that set limits of the library. Texts of errors name the limit of the library, which a
/// user of the command cannot set.
package enum OptionNames {
    private static let ofLimits: [(limit: String, option: OptionSpec)] = [
        ("ParsingLimits.tokenBytes", Options.maximumTokenBytes.spec),
        ("ParsingLimits.plaintextBytes", Options.maximumPlaintextBytes.spec),
        ("ParsingLimits.signatureBytes", Options.maximumSignatureBytes.spec),
        ("ParsingLimits.maxPBKDF2Iterations", Options.maximumIterations.spec),
        ("ParsingLimits.keysInSet", Options.maximumKeys.spec),
        ("ParsingLimits.candidateKeys", Options.maximumCandidates.spec),
    ]

    /// Returns the text of an error with the options in place of these limits.
    package static func inText(_ text: String) -> String {
        guard text.contains("ParsingLimits.") else { return text }
        return ofLimits.reduce(text) { $0.replacing($1.limit, with: "--\($1.option.name)") }
    }
}
