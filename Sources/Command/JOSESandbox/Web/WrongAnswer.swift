/// A way in which a test provider, or the app of a user, answers wrongly. The raw values are the only table: pages and
/// tests read it.
package protocol WrongAnswer: RawRepresentable, CaseIterable, Sendable where RawValue == WrongAnswerRow {}

/// A row of such a table, written as `name: title -> failure`.
package struct WrongAnswerRow: Equatable, Sendable, ExpressibleByStringLiteral {
    /// The name in forms.
    let name: String
    /// The title on the page.
    let title: String
    /// The error code with which a relying party must reject the answer; nil if it gets no answer, or must accept it, or
    /// if no test reads it here. A name in parentheses is the value that the reason carries; `|` separates the codes of
    /// different logins.
    let failure: String?

    package init(stringLiteral text: String) {
        let parts = text.split(separator: " -> ", maxSplits: 1).map(String.init)
        let words = parts[0].split(separator: ": ", maxSplits: 1).map(String.init)
        (name, title) = (words[0], words[1])
        failure = parts.count > 1 ? parts[1] : nil
    }
}

extension WrongAnswer {
    package var name: String { rawValue.name }
    package var title: String { rawValue.title }
    package var failure: String? { rawValue.failure }

    static func named(_ name: String) -> Self? { allCases.first { $0.name == name } }
}

extension FormFields {
    /// Returns the answer that a form chooses: `.some(nil)` for the right one, and nil if the form names an answer that
    /// does not exist.
    func answer<Answer: WrongAnswer>(of: Answer.Type) -> Answer?? {
        let name = self["misbehaviour"] ?? ""
        return name.isEmpty ? .some(nil) : Answer.named(name).map(Optional.some)
    }

    /// The person whom a form chooses.
    var person: Person? { Person.all.first { $0.id == self["person"] } }
}
