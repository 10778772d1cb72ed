import Foundation
import JOSE
import TestSupport
import Testing

/// Tests of `--input jsonl`: one answer for each row of JSON, with the id of the row.
@Suite("Rows of JSON Lines") struct JSONRowTests {
    private struct Run {
        let status: Int32
        let lines: [String]
        let errors: String
    }
    private static let invalidRow = #"{"id":null,"result":"invalid","error":"row_invalid"}"#

    private let folder: TemporaryFolder
    private let tool: String
    private let key: SecretKey
    private let token: String
    private let policy: [String]

    init() throws {
        tool = try #require(builtTool("bulla"))
        folder = try TemporaryFolder()
        key = try SecretKey(bytes: Array(0..<32))
        token = try JWSSigner(key: key, algorithm: .hs256).sign(#"{"iss":"i","aud":"a","exp":4000000000}"#)
        let path = folder.url.appending(path: "key").path
        try Data(key.exportSecretJWK()).write(to: URL(filePath: path))
        policy = ["verify", "--keys", path, "--alg", "HS256", "--iss", "i", "--aud", "a"]
    }

    private func file(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
        let url = folder.url.appending(path: name)
        try Data(bytes).write(to: url)
        return url.path
    }

    private func answers(_ input: some Sequence<UInt8>, _ words: [String]) throws -> Run {
        let result = try run(tool, words + ["--input", "jsonl", file("rows", input)])
        #expect(result.stdout.isEmpty || result.stdout.hasSuffix("\n"))
        return Run(
            status: result.status, lines: result.stdout.components(separatedBy: "\n").dropLast(),
            errors: result.stderr)
    }

    private static func valid(_ id: String) -> String { #"{"id":\#(id),"result":"valid"}"# }
    private static func invalid(_ id: String, _ error: String) -> String {
        #"{"id":\#(id),"result":"invalid","error":"\#(error)"}"#
    }

    @Test("T80 jsonl: each output line has the id of its row byte for byte, and the result for that row")
    func ids() throws {
        let ids = [
            "1", "-1", "-0", "123456789012345678901234567890", "-98765432109876543210", #""""#, #""a""#,
            #""\u0041\n\"\\\/""#, #""é\ud83d\ude00""#, #""{\"id\":7}""#,
        ]
        var rows = ids.map { #"{"id":\#($0),"token":"\#(token)"}"# }
        // The rows have white space, other members, another order, names with escapes, and a token that is written in escapes.
        rows += [
            #" { "token" : "\#(token)" , "id" : 77 , "at" : [1, {"id": 3}] } "#,
            #"{"\u0069d":78,"\u0074oken":"\#(token.utf8.map { "\\u00" + String($0, radix: 16) }.joined())"}"#,
        ]
        let wanted = (ids + ["77", "78"]).map(Self.valid)
        for (end, last) in [("\n", "\n"), ("\r\n", "\r\n"), ("\n", "")] {
            let run = try answers((rows.joined(separator: end) + last).utf8, policy + ["--quiet"])
            #expect(run.status == 0 && run.lines == wanted && run.errors.isEmpty)
        }
        // Rows are answered in JSON whatever --output is, and a payload is shown if it is requested.
        let row = Array(rows[0].utf8)
        let claims = #"{"id":1,"result":"valid","claims":{"iss":"i","aud":"a","exp":4000000000}}"#
        for (words, answer) in [
            ([], wanted[0]), (["--output", "none"], wanted[0]), (["--output", "json"], wanted[0]),
            (["--output", "payload"], claims), (["--show-claims"], claims),
        ] {
            #expect(try answers(row, policy + ["--quiet"] + words).lines == [answer], "\(words)")
        }
    }

    @Test("T80 jsonl: a row without exactly one valid id is answered without an id, one without a token under its id")
    func faults() throws {
        let nameless = [
            #"{"token":"\#(token)"}"#, #"{"id":null,"token":"\#(token)"}"#, #"{"id":1.0,"token":"\#(token)"}"#,
            #"{"id":1e3,"token":"\#(token)"}"#, #"{"id":{"a":1},"token":"\#(token)"}"#,
            #"{"id":[1],"token":"\#(token)"}"#, #"{"id":true,"token":"\#(token)"}"#,
            #"{"id":1,"id":1,"token":"\#(token)"}"#, #"{"id":1,"\u0069d":2,"token":"\#(token)"}"#,
            #"{"id":01,"token":"\#(token)"}"#, #"{"id":1,"token":"\#(token)"}{}"#, #"{"id":1,"token":"\#(token)""#,
            #"{"id":"\ud800","token":"\#(token)"}"#, "[1]", "1", token, "", " ", "\0",
            "\u{FEFF}{\"id\":1,\"token\":\"\(token)\"}",
        ]
        let tokenless = [
            #"{"id":5}"#, #"{"id":5,"token":null}"#, #"{"id":5,"token":7}"#, #"{"id":5,"token":["a"]}"#,
            #"{"id":5,"token":{"payload":""}}"#, #"{"id":5,"Token":"\#(token)"}"#,
        ]
        let input = (nameless + tokenless + [#"{"id":5,"token":""}"#, #"{"id":6,"token":"\#(token)"}"#, ""])
            .joined(separator: "\n")
        let run = try answers(input.utf8, policy)
        let wanted =
            nameless.map { _ in Self.invalidRow } + tokenless.map { _ in Self.invalid("5", "row_invalid") }
            + [Self.invalid("5", "malformed"), Self.valid("6")]
        #expect(run.status == 1 && run.lines == wanted)
        let summary = "28 tokens: 1 valid, 27 invalid (malformed 1, row_invalid 26; the first in line 1)"
        #expect(run.errors.hasPrefix("bulla verify: \(summary)"))
    }

    @Test(
        "T80 jsonl: rows of arbitrary bytes do not affect the rows around them, and each input line has one output line"
    )
    func neighbours() throws {
        var random = SeededRandom(seed: 80)
        let large = String(repeating: "a", count: 300_000)
        for jobs in ["1", "3"] {
            var input: [UInt8] = []
            var wanted: [String] = []
            for number in 0..<600 {
                input += #"{"id":\#(number),"token":"\#(token)"}"#.utf8
                input.append(0x0A)
                wanted.append(Self.valid(String(number)))
                let id = #""odd-\#(number)""#
                let row = Array(#"{"id":\#(id),"token":"\#(token)"}"#.utf8)
                let within = row.count - 2 - Int.random(in: 1..<token.utf8.count, using: &random)
                func cut(by byte: UInt8) -> [UInt8] { row[..<within] + [byte] + row[within...] }
                switch Int.random(in: 0..<(number % 40 == 0 ? 11 : 10), using: &random) {
                case 0:
                    input += cut(by: 0x0A)
                    wanted += [Self.invalidRow, Self.invalidRow]
                case 1, 2:
                    input += cut(by: [0x00, 0x08, 0x0D, 0x1F, 0xFF].randomElement(using: &random) ?? 0)
                    wanted.append(Self.invalidRow)
                case 3:
                    let escape = [#"\n"#, #"\r"#, #"\u0000"#, #"\u000a"#].randomElement(using: &random) ?? ""
                    input += row[..<within] + escape.utf8 + row[within...]
                    wanted.append(Self.invalid(id, "malformed"))
                case 4:
                    input += Array(#"{"id":\#(id),"token":null}"#.utf8)
                    wanted.append(Self.invalid(id, "row_invalid"))
                case 5:
                    input += Array(#"{"id":\#(id),"token":"\#(large)"}"#.utf8)
                    wanted.append(Self.invalid(id, "limit_exceeded"))
                case 6:
                    input += row.dropLast(Int.random(in: 1..<row.count, using: &random))
                    wanted.append(Self.invalidRow)
                case 7:
                    let count = Int.random(in: 0..<200, using: &random)
                    input += [0x7B] + (0..<count).map { _ in UInt8.random(in: 0x0B...0xFF, using: &random) } + [0x7B]
                    wanted.append(Self.invalidRow)
                case 8:
                    input += row + row
                    wanted.append(Self.invalidRow)
                case 9: wanted.append(Self.invalidRow)
                default:
                    input += row.dropLast() + Array(repeating: 0x20, count: 6 * 262_144 + 65_536) + [0x7D]
                    wanted.append(Self.invalid("null", "limit_exceeded"))
                }
                input.append(0x0A)
            }
            let run = try answers(input, policy + ["--quiet", "--jobs", jobs])
            #expect(run.status == 1)
            #expect(run.lines.count == wanted.count && run.lines == wanted)
        }
    }

    @Test("T80 jsonl: a row over the size limit is skipped in bounded memory, and the next row is processed")
    func longRow()
        throws
    {
        let good = #"{"id":1,"token":"\#(token)"}"#
        let endless = #"{"id":2,"token":""# + String(repeating: "a", count: 60_000_000)
        // The largest token fits even if all of it is escaped.
        let most = #"{"id":3,"token":"\#(String(repeating: #"\u0061"#, count: 262_144))"}"#
        let input = try file("rows", [good, endless, good, most, good].joined(separator: "\n").utf8)
        let output = folder.url.appending(path: "out").path
        let words = policy + ["--quiet", "--input", "jsonl"]
        let long = try Spawned(words, input: input, output: output)
        #expect(long.status == 1)
        let lines = try String(contentsOfFile: output, encoding: .utf8).components(separatedBy: "\n").dropLast()
        #expect(
            lines == [
                Self.valid("1"), Self.invalid("null", "limit_exceeded"), Self.valid("1"),
                Self.invalid("3", "malformed"),
                Self.valid("1"),
            ])
        let short = try Spawned(words, input: try file("short", good.utf8))
        #expect(short.status == 0)
        guard !tool.contains("/sanitize/") else { return }
        #expect(long.memory < short.memory + 30_000_000, "\(short.memory) and \(long.memory) bytes")
    }

    @Test("T80 jsonl: decrypted bytes are a string if they are UTF-8, and base64url otherwise") func bytes()
        throws
    {
        let path = try file("dir", #"{"kty":"oct","k":"AAECAwQFBgcICQoLDA0ODw"}"#.utf8)
        let encrypter = try JWEEncrypter(
            key: SecretKey(bytes: Array(0..<16)), keyManagement: .dir, contentEncryption: .a128gcm)
        let payloads: [(bytes: [UInt8], member: String)] = [
            (Array("text".utf8), #""payload":"text""#), ([], #""payload":"""#),
            (Array("a\n\"é\0".utf8), #""payload":"a\n\"é\u0000""#), ([0xFF, 0x0A], #""payload_b64url":"_wo""#),
            ([0xED, 0xA0, 0x80], #""payload_b64url":"7aCA""#),
        ]
        var rows = ""
        for (index, payload) in payloads.enumerated() {
            rows += #"{"id":\#(index),"token":"\#(try encrypter.encrypt(payload.bytes))"}"# + "\n"
        }
        let words = ["decrypt", "--bytes", "--decrypt-keys", path, "--key-alg", "dir", "--enc", "A128GCM"]
        let shown = try answers(rows.utf8, words + ["--show-claims"])
        #expect(shown.status == 0)
        #expect(
            shown.lines
                == payloads.enumerated().map { #"{"id":\#($0.offset),"result":"valid",\#($0.element.member)}"# })
        #expect(try answers(rows.utf8, words).lines == payloads.indices.map { Self.valid(String($0)) })
    }

    @Test("T80 jsonl: a token in the JSON serialization may be an object, or a string that contains it")
    func serializations() throws {
        let json = try JSONSigner(JWSSigner(key: key, algorithm: .hs256)).sign("{}")
        let text = json.replacing("\"", with: "\\\"")
        let rows = #"{"id":1,"token":\#(json)}"# + "\n" + #"{"id":2,"token":"\#(text)"}"# + "\n"
        let words = Array(policy.prefix(5)) + ["--json", "--quiet"]
        let run = try answers(rows.utf8, words)
        #expect(run.status == 0 && run.lines == [Self.valid("1"), Self.valid("2")])
        // Without --json a token is a string in the compact serialization.
        let compact = try answers(rows.utf8, Array(policy.prefix(5)) + ["--bytes", "--quiet"])
        #expect(compact.lines == [Self.invalid("1", "row_invalid"), Self.invalid("2", "malformed")])
    }

    @Test("T80 jsonl: wrong usage and empty input are reported") func usage() throws {
        for words in [
            ["--input", "csv"], ["--input", "jsonl", token], ["--input", "jsonl", "--lines", "--json"],
            ["--input", "jsonl", "--detached", "x"], ["--input", "jsonl"],
        ] {
            let run = try run(tool, policy + words)
            #expect(run.status == 2 && run.stdout.isEmpty && !run.stderr.isEmpty, "\(words)")
        }
        #expect(try answers(#"{"id":1,"token":"\#(token)"}"#.utf8, policy).status == 0)
    }
}
