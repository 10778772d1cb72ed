import Foundation
import JOSE
import TestSupport
import Testing

/// Tests that the commands give the answers of the table of tokens, which the drivers of the library give as well.
@Suite("The commands give the answers of the library's drivers") struct DriverMatrixCommandTests {
    private let place: MatrixWorkplace

    init() throws { place = try MatrixWorkplace() }

    @Test("verify and decrypt give the answer of the table for one token", arguments: MatrixForm.allCases)
    func one(_ form: MatrixForm) throws {
        let rows = place.matrix.rows(of: form)
        let answers = try place.each(
            form, place.words(form) + ["--output", "json", "--show-claims", "--quiet"], isOperand: true)
        try #require(answers.count == rows.count)
        var differences: [String] = []
        for (row, answer) in zip(rows, answers) {
            guard row.isOperand else {
                // Such an operand is wrong usage: it may be the name of a file.
                if answer.status != 2 || !answer.line.isEmpty { differences.append("\(row): \(answer)") }
                continue
            }
            if answer.status != (row.answer == .valid ? 0 : 1) { differences.append("\(row): \(answer.status)") }
            if let difference = row.difference(try JSON(answer.line.utf8), from: row.answer) {
                differences.append(difference)
            }
        }
        #expect(differences.isEmpty, "\(differences)")
        #expect(rows.contains { $0.isOperand && $0.answer == .valid })
    }

    @Test(
        "a stream of rows, and one of lines, give the answers of the table in their order (RFC 7519, 7.2)",
        arguments: MatrixForm.allCases)
    func stream(_ form: MatrixForm) throws {
        let rows = place.matrix.rows(of: form)
        let words = place.words(form) + ["--show-claims", "--quiet"]
        let texts = rows.map { $0.token + "\n" }.joined()
        let jsonl = ["--input", "jsonl"]
        let vectorized = form.isEncrypted ? [(jsonl + ["--vectorized-private-keys"], place.lines(form), "id")] : []
        for (more, stdin, name) in vectorized + [
            (jsonl, place.lines(form), "id"), (["--output", "json", "-"], texts, "n"),
        ] {
            let done = try run(place.tool, words + more, stdin: stdin)
            #expect(done.status == 1 && done.stderr.isEmpty, "\(done.stderr)")
            let answers = try done.stdout.split(separator: "\n").map { try JSON($0.utf8) }
            try #require(answers.count == rows.count)
            // Lines are counted from 1.
            let first = name == "n" ? 1 : 0
            #expect(answers.map { $0[name] } == rows.indices.map { .number(Double($0 + first)) })
            let differences = zip(rows, answers).compactMap { $0.difference($1, from: $0.answer) }
            #expect(differences.isEmpty, "\(differences)")
        }
    }

    @Test("explain gives the verdict of the table", arguments: MatrixForm.allCases)
    func explain(_ form: MatrixForm) throws {
        let rows = place.matrix.rows(of: form)
        let answers = try place.each(form, place.words(form, "explain"), isOperand: false)
        try #require(answers.count == rows.count)
        var differences: [String] = []
        for (row, answer) in zip(rows, answers) {
            // Input without a token is wrong usage.
            let (status, line): (Int32, String) =
                row.token.isEmpty ? (2, "") : row.answer.code.map { (1, "invalid: \($0)") } ?? (0, "valid")
            if answer != (status, line) { differences.append("\(row): \(answer), not \(status) \(line)") }
        }
        #expect(differences.isEmpty, "\(differences)")
    }

    // There is no option for trusted roots.
    @Test(
        "check gives the answers of the table, as far as its options state the policy",
        arguments: [MatrixForm.signed, .nested, .encrypted])
    func check(_ form: MatrixForm) throws {
        let rows = place.matrix.rows(of: form)
        let requests = try rows.enumerated().map { number, row in
            try request(form, row).with("n", .number(Double(number)))
        }
        let answers = try Driver.answers(requests)
        try #require(answers.count == rows.count)
        #expect(answers.map(\.n) == rows.indices.map { .number(Double($0)) })
        var differences: [String] = []
        for (row, found) in zip(rows, answers) {
            // The operation of a form without a signature decrypts, and reads no claims.
            let isDecrypted = form == .encrypted && row.stage > .decryption
            let answer = isDecrypted ? .valid : row.answer([.checkOptions])
            let code = found.result == "unsupported" ? found.result : found.error
            if MatrixAnswer(code: code) != answer { differences.append("\(row): \(found), not \(answer)") }
            // Of a token that contains another one, the plaintext is that one.
            if answer == .valid, row.answer == .valid || row.stage > .claimsText, found.payload != row.payload {
                differences.append("\(row): another payload")
            }
        }
        #expect(differences.isEmpty, "\(differences)")
    }

    /// Returns the request for a row, without its number.
    private func request(_ form: MatrixForm, _ row: MatrixRow) throws -> JSON {
        let keys = place.matrix.keys
        let all = (form.isSigned ? keys.verification : []) + (form.isEncrypted ? keys.decryption : [])
        func list(_ texts: [String]) -> JSON { .array(texts.map { .string($0) }) }
        var options: [String: JSON] = [
            "algs": list(MatrixPolicy.signatures), "key_algs": list(MatrixPolicy.keyManagement),
            "encs": list(MatrixPolicy.contentEncryption), "crit": list([MatrixPolicy.critical]),
            "typ": .string(MatrixPolicy.type),
            "max_token_bytes": .number(Double(MatrixPolicy.tokenBytes)),
            "max_plaintext_bytes": .number(Double(MatrixPolicy.plaintextBytes)),
            "max_signature_bytes": .number(Double(MatrixPolicy.signatureBytes)),
        ]
        if form.isSigned {
            options["iss"] = .string(MatrixPolicy.issuer)
            options["aud"] = .string(MatrixPolicy.audience)
            options["require"] = list(["exp"] + MatrixPolicy.required)
            options["claim"] = .object(["role": .string(MatrixPolicy.role)])
        }
        let operation =
            switch form {
            case .encrypted: "jwe-decrypt"
            case .nested: "nested-verify"
            case .signed, .certified: "jwt-verify"
            }
        return .object([
            "op": .string(operation), "token": .string(row.token), "keys": try JSON(MatrixKeys.text(all).utf8),
            "options": .object(options),
        ])
    }
}
