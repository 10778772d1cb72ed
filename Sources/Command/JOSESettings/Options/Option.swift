/// An option of a command, as the command line and the help name it. A member of a configuration file has the same
/// name.
package struct OptionSpec: Sendable {
    package let name: String
    /// The placeholder of the value in the help, or nil for an option without a value.
    package let placeholder: String?
    package let help: String
    /// Whether the option may be given more than once.
    package let repeats: Bool

    package init(_ name: String, _ placeholder: String? = nil, _ help: String, repeats: Bool = false) {
        self.name = name
        self.placeholder = placeholder
        self.help = help
        self.repeats = repeats
    }

    /// The name and the placeholder.
    package var label: String { name + (placeholder.map { " " + $0 } ?? "") }

    /// Whether the value is the path of a file, or may be one.
    package var namesFile: Bool { placeholder?.hasPrefix("FILE") ?? false }
}

/// An option with a value, and the function that reads the value from text.
package struct Option<Value: Sendable>: Sendable {
    package let spec: OptionSpec
    /// Returns the value, or nil if the text is not one.
    let read: @Sendable (String) -> Value?

    package init(
        _ name: String, _ placeholder: String, _ help: String, repeats: Bool = false,
        _ read: @escaping @Sendable (String) -> Value?
    ) {
        spec = OptionSpec(name, placeholder, help, repeats: repeats)
        self.read = read
    }
}
