import Foundation
import JOSE
import TestSupport

/// A folder with the keys of the table of tokens, and the policy of each form in the options of the command.
struct MatrixWorkplace {
    let matrix: TokenMatrix
    let tool: String
    private let folder: TemporaryFolder
    var path: String { folder.url.path }

    init() throws {
        matrix = try TokenMatrix.shared.get()
        guard let tool = builtTool("bulla") else { throw Script.Complaint(description: "bulla is not built") }
        self.tool = tool
        folder = try TemporaryFolder()
        let other = matrix.keys.ofOtherIssuer.publicKey
        try write("keys.json", MatrixKeys.text(matrix.keys.verification))
        try write("other.json", MatrixKeys.text([.publicKey(other)]))
        try write("decryption.json", MatrixKeys.text(matrix.keys.decryption))
        try write("root.pem", matrix.keys.root)
    }

    func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: folder.url.appending(path: name))
    }

    /// Returns the command of a form, and the options of its policy.
    ///
    /// - Parameter verb: The command; nil for the one that verifies tokens of this form.
    func words(_ form: MatrixForm, _ verb: String? = nil) -> [String] {
        var words = [verb ?? (form == .encrypted ? "decrypt" : "verify")]
        if form.isSigned {
            words += ["--keys", path + "/keys.json", "--alg", MatrixPolicy.signatures.joined(separator: ",")]
        }
        if form.isEncrypted {
            words += [
                "--decrypt-keys", path + "/decryption.json", "--key-alg",
                MatrixPolicy.keyManagement.joined(separator: ","), "--enc",
                MatrixPolicy.contentEncryption.joined(separator: ","),
            ]
        }
        if form == .nested { words.append("--nested") }
        if form == .certified { words += ["--trust", path + "/root.pem"] }
        return words + [
            "--iss", MatrixPolicy.issuer, "--aud", MatrixPolicy.audience, "--typ", MatrixPolicy.type,
            "--crit", MatrixPolicy.critical, "--max-lifetime", "\(MatrixPolicy.maximumLifetime)",
            "--claim", "role=\(MatrixPolicy.role)", "--require", MatrixPolicy.required.joined(separator: ","),
            "--forbid", MatrixPolicy.forbidden, "--max-token-bytes", "\(MatrixPolicy.tokenBytes)",
            "--max-plaintext-bytes", "\(MatrixPolicy.plaintextBytes)",
            "--max-signature-bytes", "\(MatrixPolicy.signatureBytes)",
        ]
    }

    /// Returns the rows of a form as lines of JSON, whose ids are the numbers of the rows.
    func lines(_ form: MatrixForm) -> String {
        matrix.rows(of: form).enumerated().map { number, row in
            #"{"id":\#(number),"token":\#(JSON.string(row.token).text)}"# + "\n"
        }.joined()
    }

    /// Runs the command once for each row of a form, all from one shell.
    ///
    /// - Parameter isOperand: Whether the token is the operand; otherwise it is on standard input.
    /// - Returns: For each row the status, and the last line of standard output.
    func each(_ form: MatrixForm, _ words: [String], isOperand: Bool) throws -> [(status: Int32, line: String)] {
        let rows = matrix.rows(of: form)
        for (number, row) in rows.enumerated() { try write("token.\(form.rawValue).\(number)", row.token) }
        let call =
            isOperand ? #""$@" "$(cat "$file.$number")" </dev/null"# : #""$@" - <"$file.$number""#
        let script = """
            file=$1; count=$2; shift 2; number=0
            while [ "$number" -lt "$count" ]; do
                status=0
                output=$(\(call) 2>/dev/null) || status=$?
                printf '%s %s\\n' "$status" "$(printf '%s\\n' "$output" | tail -n 1)"
                number=$((number + 1))
            done
            """
        let place = "\(path)/token.\(form.rawValue)"
        let done = try run("/bin/sh", ["-c", script, "sh", place, "\(rows.count)", tool] + words)
        return try done.stdout.split(separator: "\n").map { line in
            let words = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
            guard words.count == 2, let status = Int32(words[0]) else {
                throw Script.Complaint(description: "no status: \(line)")
            }
            return (status, String(words[1]))
        }
    }
}

extension MatrixRow {
    /// Whether `bulla` takes the text as a token where it is an operand: it has three or five parts, and the first one
    /// encodes text that begins as a JSON object does.
    var isOperand: Bool {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 || parts.count == 5 else { return false }
        return bytes(base64URL: String(parts[0]))?.first == UInt8(ascii: "{")
    }

    /// Returns what differs between the answer in JSON and the expected one: the result, the code or the claims.
    func difference(_ json: JSON, from answer: MatrixAnswer) -> String? {
        switch (json["result"]?.string, json["error"]?.string) {
        case ("valid", nil) where answer == .valid:
            guard let payload = try? JSON(payload), json["claims"] == payload else { return "\(name): other claims" }
            return nil
        case ("invalid", let code?) where answer == .rejected(code): return nil
        default: return "\(name): \(json.text), not \(answer)"
        }
    }
}
