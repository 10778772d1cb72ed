/// A command of a program, of one word or of two.
package struct Command: Sendable {
    package let name: String
    /// The operands in the usage line of the help.
    let operands: String
    let maximumOperands: Int
    let summary: String
    /// The text between the summary and the options in the help.
    let details: String
    let options: [OptionSpec]
    /// The signals after which the command finishes what it began. They are blocked before anything else of the process
    /// runs.
    let blocked: BlockedSignals
    let run: @Sendable (Arguments) throws(CommandFailure) -> ExitStatus

    package init(
        _ name: String, operands: String = "", maximumOperands: Int = 0, summary: String, details: String = "",
        options: [OptionSpec], blocked: BlockedSignals = .none,
        run: @escaping @Sendable (Arguments) throws(CommandFailure) -> ExitStatus
    ) {
        self.name = name
        self.operands = operands
        self.maximumOperands = maximumOperands
        self.summary = summary
        self.details = details
        self.options = options + [Options.helpAll, Options.help]
        self.blocked = blocked
        self.run = run
    }
}

package enum ExitStatus: Int32, Sendable {
    case valid = 0
    /// A token is invalid, or at least one token of a stream is.
    case invalid = 1
    /// The usage is wrong, input or keys could not be read, or output could not be written.
    case unusable = 2
    /// The verification of a token could not be completed, and the token may be sent again; in a stream, that of at
    /// least one token, whatever the other tokens are. The number is EX_TEMPFAIL of sysexits.h.
    case retry = 75
    /// SIGTERM arrived before the end of the input, and every line that was read was answered. A shell reports this
    /// number for a command that SIGTERM ended.
    case terminated = 143
}
