/// An error that ends a command with one line for its user.
package struct CommandFailure: Error {
    package let message: String

    /// Creates an error, whose text names the options of the command in place of limits of the library.
    package init(_ message: String) { self.message = OptionNames.inText(message) }

    /// Creates the error of wrong usage: other arguments would have been accepted.
    package static func usage(_ message: String) -> CommandFailure { CommandFailure(message) }

    /// Returns the result of `body`, whose error becomes a failure of the same text.
    package static func inWords<Value, Failure: Error>(
        _ body: () throws(Failure) -> Value
    ) throws(CommandFailure) -> Value {
        do throws(Failure) { return try body() } catch { throw CommandFailure("\(error)") }
    }

    /// The message for a configuration file, whose members have the names of the options without dashes.
    package var textOfMembers: String {
        // The example at the end is for the command line, and is left out.
        let text = message.split(separator: "; for example: --", maxSplits: 1).first.map(String.init) ?? message
        return (text.hasPrefix("--") ? String(text.dropFirst(2)) : text).replacing(" --", with: " ")
    }
}
