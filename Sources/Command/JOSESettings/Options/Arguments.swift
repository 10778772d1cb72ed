/// The arguments of a command: options with their values, from the command line or from a file, and operands.
package struct Arguments: Sendable {
    package let command: String
    package let operands: [String]
    /// Reports what is no failure, and what the user should know.
    package let report: @Sendable (String) -> Void
    private let given: [String: [String]]

    /// Creates the arguments.
    ///
    /// - Parameter options: The values of each option by its name; none for an option without a value.
    package init(
        command: String, options: [String: [String]], operands: [String] = [],
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.command = command
        self.operands = operands
        self.report = report
        given = options
    }

    package func has(_ option: OptionSpec) -> Bool { given[option.name] != nil }
    package func has<Value>(_ option: Option<Value>) -> Bool { has(option.spec) }

    package func value<Value>(_ option: Option<Value>) throws(CommandFailure) -> Value? {
        guard let text = given[option.spec.name]?.last else { return nil }
        return try read(text, option)
    }

    /// Returns the elements that all occurrences of a list option give, or nil without the option.
    package func list<Element>(_ option: Option<[Element]>) throws(CommandFailure) -> [Element]? {
        guard let texts = given[option.spec.name] else { return nil }
        var all: [Element] = []
        for text in texts { all += try read(text, option) }
        return all
    }

    private func read<Value>(_ text: String, _ option: Option<Value>) throws(CommandFailure) -> Value {
        guard let value = option.read(text) else {
            throw .usage("--\(option.spec.name) takes \(option.spec.placeholder ?? "no value"), not '\(text)'")
        }
        return value
    }
}
