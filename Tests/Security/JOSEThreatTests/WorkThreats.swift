import Foundation
import JOSE
import TestSupport
import Testing

/// Inputs that repeat one element, so that a parser that compares each with all before it takes quadratic time.
@Suite("Threats: superlinear work") struct WorkThreats {
    private static func key(_ operations: [String], keyID: String = "k") -> String {
        let list = operations.map { "\"\($0)\"" }.joined(separator: ",")
        return """
            {"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",\
            "kid":"\(keyID)","key_ops":[\(list)]}
            """
    }

    @Test("T75 a key with more than 32 key_ops is rejected, and unusable in a key set (RFC 7517, 4.3 and 5)")
    func keyOperations() throws {
        func failure(_ operations: [String]) -> JOSEError? {
            do throws(JOSEError) {
                _ = try JWK(parsing: Self.key(operations))
                return nil
            } catch {
                return error
            }
        }
        let names = (0..<100_000).map { "o\($0)" }
        #expect(failure(["verify"] + names.prefix(31)) == nil)
        for count in [32, 33, 1_000] {
            #expect(failure(["verify"] + names.prefix(count)) == .keyInvalid(.tooManyOperations), "\(count)")
        }
        #expect(failure(["verify"] + names) == .keyInvalid(.tooManyOperations))
        // Below the bound a duplicate name is an error of its own.
        #expect(failure(names.prefix(31) + ["o0"]) == .keyInvalid(.inconsistentUse))

        let set = try KeySet(
            parsing: "{\"keys\":[\(Self.key(Array(names.prefix(33)), keyID: "many")),\(Self.key(["verify"]))]}",
            as: .publicOnly)
        #expect(set.keys.map(\.keyID) == ["k"])
        #expect(set.unusable == [UnusableKey(index: 0, keyID: "many", reason: .keyInvalid(.tooManyOperations))])
    }

    @Test("T75 the error for too many key_ops states the limit")
    func description() {
        #expect("\(JOSEError.keyInvalid(.tooManyOperations))".contains("key_ops has more than 32 values"))
    }

    /// Counts instructions of the parsers whose work was quadratic, and of two controls; `make linear` counts all of them.
    @Test(
        "T75 the work of parsing is proportional to the number of repeated elements",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/valgrind")))
    func linearWork() throws {
        let program = try #require(builtTool("LinearWork"))
        let script = Repository.root.appending(path: "Tests/Scripts/linear.py")
        // Without the trait LinearWork has no shapes of XML, and the script fails for a prefix that no shape has.
        #if SAML
            let xml = ["xml.attributes of an element", "xml.namespaces", "xml.elements in nested"]
        #else
            let xml: [String] = []
        #endif
        let result = try run(
            "python3", ["-B", script.path, "jwk.key_ops", "command.PEM", "apple links."] + xml,
            environment: ["BULLA_PROGRAMS": URL(filePath: program).deletingLastPathComponent().path])
        #expect(result.status == 0, "\(result.stdout)\(result.stderr)")
        #expect(result.stdout.contains("The quadratic control was found."))
        #expect(result.stdout.contains("jwk.key_ops beyond the limit"))
    }
}
