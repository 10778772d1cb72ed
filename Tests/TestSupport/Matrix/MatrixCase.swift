internal import JOSE

/// The table of tokens: with every kind of layer, without a fault and with each kind of fault.
package struct TokenMatrix: Sendable {
    package let keys: MatrixKeys
    package let rows: [MatrixRow]

    /// The table, which is made once in a process.
    package static let shared = Result { try TokenMatrix() }

    private init() throws {
        let keys = try MatrixKeys()
        var recipes: [String: (form: MatrixForm, recipe: MatrixRecipe)] = [:]
        rows = try MatrixCase.all.enumerated().map { number, one in
            let tokenID = "\(number)"
            if let form = one.form {
                recipes[one.name] = (form, try one.recipe(keys, tokenID))
            }
            guard let (form, recipe) = recipes[one.control ?? one.name] else {
                throw CertificateMaker.Failure(description: "\(one.name) has no control")
            }
            return try one.row(form, recipe, keys, tokenID)
        }
        self.keys = keys
    }

    /// Returns the rows of a form, in the order of the table.
    package func rows(of form: MatrixForm) -> [MatrixRow] { rows.filter { $0.form == form } }
}

/// One line of the table, of which a row is made.
struct MatrixCase: Sendable {
    typealias Change = @Sendable (inout MatrixRecipe, MatrixKeys) throws -> Void

    let name: String
    /// The form of a token without a fault; nil for one with a fault, which has the form of its control.
    fileprivate let form: MatrixForm?
    fileprivate let control: String?
    private let stage: MatrixStage
    private let answer: MatrixAnswer
    private var exceptions: [MatrixCircumstance: MatrixAnswer] = [:]
    private let layers: @Sendable (MatrixKeys) throws -> (Signing?, Sealing?)
    private let change: Change
    private let edit: @Sendable (inout CompactText) -> Void

    /// Returns the line of a token without a fault.
    static func honest(
        _ name: String, _ form: MatrixForm, _ layers: @escaping @Sendable (MatrixKeys) throws -> (Signing?, Sealing?)
    ) -> Self {
        Self(
            name: name, form: form, control: nil, stage: .passed, answer: .valid, layers: layers,
            change: { _, _ in }, edit: { _ in })
    }

    /// Returns the line of a token that is made of the parts of its control, with one change.
    ///
    /// - Parameters:
    ///   - control: The name of the token without the fault.
    ///   - stage: The step that finds the fault.
    ///   - code: The code of the error; nil for a token that is rejected under a circumstance only.
    ///   - exceptions: The answers under circumstances.
    static func fault(
        _ name: String, of control: String, _ stage: MatrixStage, _ code: String?,
        _ exceptions: [MatrixCircumstance: MatrixAnswer] = [:], _ change: @escaping Change
    ) -> Self {
        Self(
            name: name, form: nil, control: control, stage: stage, answer: MatrixAnswer(code: code),
            exceptions: exceptions, layers: { _ in (nil, nil) }, change: change, edit: { _ in })
    }

    /// Returns the line of a token whose text is that of its control, with one change.
    static func edited(
        _ name: String, of control: String, _ stage: MatrixStage, _ code: String,
        _ exceptions: [MatrixCircumstance: MatrixAnswer] = [:], _ edit: @escaping @Sendable (inout CompactText) -> Void
    ) -> Self {
        Self(
            name: name, form: nil, control: control, stage: stage, answer: .rejected(code), exceptions: exceptions,
            layers: { _ in (nil, nil) }, change: { _, _ in }, edit: edit)
    }

    fileprivate func recipe(_ keys: MatrixKeys, _ tokenID: String) throws -> MatrixRecipe {
        let (signing, sealing) = try layers(keys)
        return MatrixRecipe(claims: MatrixClaims(tokenID: tokenID), signing: signing, sealing: sealing)
    }

    /// Makes the row.
    ///
    /// - Parameters:
    ///   - recipe: The parts of the token without a fault.
    ///   - tokenID: The `jti` of the token.
    fileprivate func row(
        _ form: MatrixForm, _ recipe: MatrixRecipe, _ keys: MatrixKeys, _ tokenID: String
    ) throws -> MatrixRow {
        var recipe = recipe
        let original = recipe.claims["jti"]
        recipe.claims["jti"] = "\"\(tokenID)\""
        try change(&recipe, keys)
        // The value stands for that of the control.
        if recipe.claims["jti"] == Self.ofControl { recipe.claims["jti"] = original }
        var text = CompactText(try recipe.token())
        edit(&text)
        let isHidden = text.parts.count == 5 && recipe.sealing?.issuer == nil
        return MatrixRow(
            name: name, form: form, token: text.text, control: control, answer: answer, stage: stage,
            exceptions: exceptions, payload: recipe.claims.bytes, keyID: recipe.signing?.key.keyID,
            namesIssuer: !isHidden)
    }

    /// The `jti` of a token that repeats that of its control.
    static let ofControl = "the same"

    /// All lines, those of the controls before those of the tokens that differ from them.
    static let all = signed + signedText + claims + nested + nestedFaults + encrypted + certified
}
