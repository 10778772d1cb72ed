internal import JOSEDigiD
internal import JOSERelyingParty

/// The fields of forms on the providers' pages.
enum FormParts {
    /// Returns the choice of a person, of whom the page shows the name and a remark.
    static func people(_ people: [Person] = Person.all, _ remark: (Person) -> String = { _ in "" }) -> Markup {
        let rows: [Markup] = people.enumerated().map { index, person in
            let checked: Markup = index == 0 ? " checked" : ""
            return """
                <label><input type="radio" name="person" value="\(person.id)"\(checked)> \
                \(person.name)\(remark(person))</label>
                """
        }
        return "<fieldset><legend>Log in as</legend>\n\(rows)\n</fieldset>"
    }

    /// Returns the levels of assurance, of which `substantieel` is chosen.
    static func levels(_ levels: [(level: DigiDLevel, title: String)]) -> Markup {
        let rows: [Markup] = levels.map { level, title in
            let checked: Markup = level == .substantieel ? " checked" : ""
            return "<label><input type=\"radio\" name=\"level\" value=\"\("\(level)")\"\(checked)> \(title)</label>"
        }
        return "<fieldset><legend>With</legend>\n\(rows)\n</fieldset>"
    }

    /// Returns the choice between a right answer and wrong ones.
    static func answers(_ answers: [any WrongAnswer]) -> Markup {
        let options: [Markup] = answers.map { "<option value=\"\($0.name)\">\($0.title)</option>" }
        return """
            <p><label for="misbehaviour">Answer</label>
            <select id="misbehaviour" name="misbehaviour"><option value="">rightly</option>
            \(options)
            </select></p>
            """
    }
}
