"""Tests of prose.py, with sources written here: `python3 -B test_prose.py`. Each fault has the same text without it beside it."""
import os
import tempfile
import unittest

import prose


def rules(text, path="Sources/A/A.swift", root=prose.ROOT):
    return [finding.rule for finding in prose.check(path, text, root)]


class CommentTests(unittest.TestCase):
    def assert_rule(self, rule, bad, good, path="Sources/A/A.swift"):
        self.assertEqual(rules(bad, path), [rule], bad)
        self.assertEqual(rules(good, path), [], good)

    def test_a_comment_that_points_back_is_found(self):
        self.assert_rule("backward", "// The same with a key.\n", "// The key is the same.\n")
        self.assert_rule("backward", "/// Creates it.\n///\n/// Whose key it is.\ninit() {}\n", "/// Creates it.\n///\n/// Its key is kept.\ninit() {}\n")
        self.assert_rule("backward", "/* The same in C. */\n", "/* C has it too. */\n", "CShims/A/a.c")
        for text in ("Why.", "Of what it is.", "Nothing.", "As it was given.", "As above."):
            self.assertIn("backward", rules(f"/// {text}\nlet a: Int\n"), text)
        self.assertEqual(rules("/// Whether it is empty.\nlet a: Bool\n"), [])

    def test_a_doc_comment_without_a_subject_is_found(self):
        for text in ("Of the issuer.", "What is signed.", "Nil for a public key.", "Nil: it has none.", "False: out of memory.",
                     "For a public key.", "Seconds since 1970.", "In seconds.", "Where the key lies.", "As `openssl` does it.", "Not JSON."):
            self.assertEqual(rules(f"/// {text}\nlet a: Int\n"), ["headless"], text)
        for text in ("The issuer.", "A value that is nil for a public key.", "`alg` of the token.", "By default, one.", "Seconds of the leap.",
                     "For a public key, the curve is compared as well.", "In a nested token, the inner layer is read."):
            self.assertEqual(rules(f"/// {text}\nlet a: Int\n"), [], text)
        self.assertEqual(rules("// Of the issuer.\nlet a: Int\n"), [], "only doc comments are read alone")
        self.assertEqual(rules("/// The key.\n///\n/// For one token.\nlet a: Int\n"), [], "only a beginning lacks a subject")

    def test_the_comment_of_a_function_begins_with_a_verb(self):
        for declaration in ("public func a() {}", "package init(a: Int) {}", "@discardableResult public func a() -> Int { 1 }",
                            "@inlinable\npublic static func a() {}", "public protocol P {\n    /// It.\n}\npublic func b()"):
            self.assertEqual(rules(f"/// The keys.\n{declaration}\n".replace("/// The keys.\npublic protocol", "public protocol")
                                   .replace("public func b", "/// The keys.\npublic func b")), ["verb"], declaration)
            self.assertEqual(rules(f"/// Returns the keys.\n{declaration}\n"), [], declaration)
        for declaration in ("func a() {}", "private func a() {}", "public var a: Int", "public struct A {}"):
            self.assertEqual(rules(f"/// The keys.\n{declaration}\n"), [], declaration)

    def test_requirements_and_members_of_public_extensions_are_public(self):
        for scope in ("public protocol P {", "package extension P {", "@available(macOS 15, *) public protocol P {"):
            self.assertEqual(rules(f"{scope}\n    /// Keys.\n    func a()\n}}\n"), ["verb"], scope)
            self.assertEqual(rules(f"{scope}\n    /// Keys.\n    private func a()\n    /// Keys.\n    var b: Int\n}}\n/// Keys.\nfunc c()\n"), [])

    def test_a_plural_is_no_verb(self):
        self.assertEqual(rules("/// Keys of the set.\npublic func a() {}\n"), ["verb"])
        self.assertEqual(rules("/// Answers of the server.\npublic func a() {}\n"), ["verb"])
        self.assertEqual(rules("/// Answers the request.\npublic func a() {}\n"), [])

    def test_whether_is_for_functions_that_return_a_boolean(self):
        self.assert_rule("verb", "/// Whether it fits.\npublic func a() -> Int { 1 }\n", "/// Whether it fits.\npublic func a() -> Bool { true }\n")
        self.assertEqual(rules("/// Whether it fits.\npublic func a(\n    b: Int\n) -> Bool { true }\n"), [])

    def test_texts_and_code_are_no_comments(self):
        self.assertEqual(rules('let a = """\n    // The same.\n    """\n// The rest.\n'), [])
        self.assertEqual(rules("/// Runs it:\n/// ```swift\n/// Of(a)\n///\n/// The same\n/// ```\npublic func a() {}\n"), [])


class WordTests(unittest.TestCase):
    def test_retired_names_are_found(self):
        for path in ("Sources/A/A.swift", "Sources/A/A.docc/A.md", "CShims/A/a.h", "README.md"):
            self.assertEqual(rules("// A `ClaimSet` is issued.\n", path), ["retired"])
            self.assertEqual(rules("// A `ClaimSetter` is issued by `JWKSymmetricKey`.\n", path), [])
        self.assertEqual(rules("// CertificateTrust.Time\n"), ["retired"])
        self.assertEqual(rules("// CertificateTrust.Timer\n"), [])

    def test_phrases_are_found_across_lines(self):
        for text in ("// It takes a loud word.\n", "// It takes a loud\n// word.\n", "/// It takes a loud\n    /// word.\n",
                     '@Test("takes a loud word") func a() {}\n', 'case .a: "it stands there twice"\n'):
            self.assertEqual(rules(text), ["phrase"], text)
        self.assertEqual(rules("// The loudest word, a twinkle.\n"), [])

    def test_references_to_what_is_elsewhere_are_found(self):
        for text in ("// As in the seed\n// documents.\n", "// This is rule 7.\n", '@Test("ZenKey case 99: a token") func a() {}\n',
                     '@Test("attack 16: a token") func a() {}\n', "/// The README of the provider profiles has it.\nlet a: Int\n"):
            self.assertEqual(rules(text), ["document"], text)
        for name in ("ZenKey", "Entra", "CIBA"):
            self.assertEqual(rules(f'@Test("{name} case 99: a token") func a() {{}}\n'), ["document"])
        for name in ("ZenKey case 29", "Entra case 12", "CIBA case 12"):
            self.assertEqual(rules(f'@Test("{name}: a token") func a() {{}}\n'), [])
        for text in ("// RFC 7516, 5.2, step 10, and row T21.\n", "switch a { case 23: break }\n", "// The rules of RFC 7515.\n"):
            self.assertEqual(rules(text), [], text)

    def test_markdown(self):
        self.assertEqual(rules("Text.\n\nThe same again.\n", "README.md"), ["backward"])
        self.assertEqual(rules("Text of\nThe same again.\n", "README.md"), [])

    def test_paths_of_two_documents_must_exist(self):
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(f"{root}/Sources/A")
            text = "`Sources/A`, `Sources/*`, `application/json`, `.build/x`, `a / b`\n"
            self.assertEqual(rules(text, "ARCHITECTURE.md", root), [])
            self.assertEqual(rules(text + "`Sources/B.swift`\n", "CONTRIBUTING.md", root), ["path"])
            self.assertEqual(rules(text + "`Sources/B.swift`\n", "README.md", root), [])


class RunTests(unittest.TestCase):
    def run_on(self, text, allowed=""):
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(f"{root}/Sources/A")
            with open(f"{root}/Sources/A/A.swift", "w", encoding="utf-8") as file:
                file.write(text)
            return prose.run(["Sources/A/A.swift"], allowed, root)

    def test_a_finding_has_its_place_and_rule(self):
        found = self.run_on("let a = 1\n/// Of it.\nlet b = 2\n")
        self.assertEqual(len(found), 1)
        self.assertTrue(found[0].startswith("Sources/A/A.swift:2: headless: "), found)

    def test_an_exception_needs_a_reason_and_a_finding(self):
        text, entry = "/// Of it.\nlet b = 2\n", "Sources/A/A.swift | headless | Of it."
        self.assertEqual(self.run_on(text, f"# A head.\n{entry} | RFC 0 says so\n"), [])
        self.assertEqual(len(self.run_on(text, f"{entry}\n")), 2)
        self.assertEqual(len(self.run_on("/// The b.\nlet b = 2\n", f"{entry} | RFC 0 says so\n")), 1)
        self.assertEqual(self.run_on("/// The b.\nlet b = 2\n", "Sources/B.swift | headless | Of it. | RFC 0\n"), [])

    def test_the_files_of_the_repository_are_listed(self):
        files = prose.listed([])
        for path in ("README.md", "Package.swift", "Tests/Scripts/test_prose.py"):
            self.assertEqual(path in files, path == "README.md", path)
        self.assertTrue(any(path.startswith("CShims/") for path in files))
        self.assertEqual(prose.listed(["SECURITY.md"]), ["SECURITY.md"])


if __name__ == "__main__":
    unittest.main()
