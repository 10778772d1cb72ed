internal import JOSERelyingParty

/// The fields of forms on the providers' pages.
enum FormParts {
    static var people: Markup {
        let people: [Markup] = Person.all.enumerated().map { index, person in
            let checked: Markup = index == 0 ? " checked" : ""
            return """
                <label><input type="radio" name="person" value="\(person.id)"\(checked)> \(person.name)</label>
                """
        }
        return "<fieldset><legend>Log in as</legend>\n\(people)\n</fieldset>"
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
    static func answers(_ rows: [(value: String, title: String)]) -> Markup {
        let options: [Markup] = rows.map { "<option value=\"\($0.value)\">\($0.title)</option>" }
        return """
            <p><label for="misbehaviour">Answer</label>
            <select id="misbehaviour" name="misbehaviour"><option value="">rightly</option>
            \(options)
            </select></p>
            """
    }
}
