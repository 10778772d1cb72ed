"""Tests of interface.py and names.py, with symbol graphs written here: `python3 test_interface.py`."""
import contextlib
import io
import json
import os
import subprocess
import tempfile
import unittest

import interface
import names


def symbol(path, declaration, kind="struct", access="public", **more):
    return {"kind": {"identifier": f"swift.{kind}"}, "identifier": {"precise": f"s:{path}{more.pop('mangled', '')}"},
            "pathComponents": path.split("."), "accessLevel": access,
            "declarationFragments": [{"kind": "text", "spelling": declaration}]} | more


def conforms(path, name, **more):
    return {"kind": "conformsTo", "source": f"s:{path}", "target": f"s:other.{name}", "targetFallback": f"Swift.{name}"} | more


KEY = symbol("Key", "struct Key")
SIGN = symbol("Key.sign(_:)", "func sign(_ data: String) throws(JOSEError)", "method")


class Graphs(unittest.TestCase):
    """Makes a folder of symbol graphs, and one beside it for what is kept."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.symbols, self.kept = f"{temporary.name}/symbols", f"{temporary.name}/kept"
        os.mkdir(self.kept)

    def graph(self, *symbols, module="Test", relationships=(), file=None):
        os.makedirs(f"{self.symbols}/{module}", exist_ok=True)
        with open(f"{self.symbols}/{module}/{file or module}.symbols.json", "w", encoding="utf-8") as out:
            json.dump({"module": {"name": module}, "symbols": list(symbols), "relationships": list(relationships)}, out)


class InterfaceTests(Graphs):
    def run_mode(self, mode, *modules):
        """The status of a run and what it printed."""
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            status = interface.main(mode, self.symbols, *(modules or ["Test"]), baselines=self.kept)
        return status, printed.getvalue()

    def lines(self, *symbols, relationships=()):
        self.graph(*symbols, relationships=relationships)
        return [line.rstrip("\n") for line in interface.Interface(self.symbols, ["Test"]).lines("Test")]

    def assert_reported(self, *changes):
        status, printed = self.run_mode("--check")
        self.assertEqual(status, 1)
        found = [line for line in printed.splitlines() if line[:1] in ("+", "-") and line[:3] not in ("+++", "---")]
        self.assertEqual(found, list(changes))
        self.assertIn("make interface", printed)

    def written(self, *symbols, relationships=()):
        self.graph(*symbols, relationships=relationships)
        self.assertEqual(self.run_mode("--write")[0], 0)
        self.assertEqual(self.run_mode("--check")[0], 0)

    def test_changed_declaration_is_reported(self):
        self.written(KEY, SIGN)
        self.graph(KEY, symbol("Key.sign(_:)", "func sign(_ data: String) throws", "method"))
        self.assert_reported("-Test | method | Key.sign(_:) | func sign(_ data: String) throws(JOSEError)",
                             "+Test | method | Key.sign(_:) | func sign(_ data: String) throws")

    def test_added_symbol_is_reported(self):
        self.written(KEY)
        self.graph(KEY, SIGN)
        self.assert_reported("+Test | method | Key.sign(_:) | func sign(_ data: String) throws(JOSEError)")

    def test_removed_symbol_is_reported(self):
        self.written(KEY, SIGN)
        self.graph(KEY)
        self.assert_reported("-Test | method | Key.sign(_:) | func sign(_ data: String) throws(JOSEError)")

    def test_a_conformance_that_is_lost_is_reported(self):
        self.written(KEY, relationships=[conforms("Key", "Sendable"), conforms("Key", "Copyable")])
        self.graph(KEY)
        self.assert_reported("-Test | struct | Key | struct Key [Sendable]", "+Test | struct | Key | struct Key")

    def test_a_module_that_went_away_is_reported_until_it_is_accepted(self):
        self.written(KEY)
        self.graph(KEY, module="Other")
        self.assertEqual(self.run_mode("--check", "Other")[0], 1)
        self.assertEqual(self.run_mode("--write", "Other")[0], 0)
        self.assertEqual(os.listdir(self.kept), ["Other.txt"])

    def test_a_new_module_is_reported(self):
        self.written(KEY)
        self.graph(KEY, module="Other")
        status, printed = self.run_mode("--check", "Test", "Other")
        self.assertEqual(status, 1)
        self.assertIn("+Other | struct | Key | struct Key\n", printed)

    def test_a_module_without_symbols_fails(self):
        for mode in ("--check", "--write"):
            with self.assertRaises(SystemExit):
                self.run_mode(mode, "Missing")

    def test_lines_do_not_depend_on_the_order_of_the_graph(self):
        relationships = [conforms("Key", "Sendable"), conforms("Key", "Hashable")]
        forwards = self.lines(KEY, SIGN, symbol("A", "struct A"), relationships=relationships)
        self.assertEqual(forwards, self.lines(symbol("A", "struct A"), SIGN, KEY, relationships=relationships[::-1]))
        self.assertEqual(forwards[:2], ["Test | struct | A | struct A", "Test | struct | Key | struct Key [Hashable; Sendable]"])

    def test_what_is_not_public_or_synthesized_is_left_out(self):
        self.assertEqual(self.lines(symbol("A", "struct A", access="internal"), symbol("B", "struct B", mangled="::SYNTHESIZED::s:A")), [])

    def test_availability_is_part_of_the_line(self):
        old = symbol("Old", "struct Old", availability=[
            {"domain": "macOS", "introduced": {"major": 15, "minor": 0}},
            {"isUnconditionallyDeprecated": True, "message": "Use Key.", "renamed": "Key"}])
        self.assertEqual(self.lines(old), ['Test | struct | Old | @available(*, deprecated, renamed: "Key", message: "Use Key.") '
                                           "@available(macOS, introduced: 15.0) struct Old"])

    def test_conditions_of_an_extension_are_those_that_its_type_has_not(self):
        def constraints(*found):
            return {"constraints": [{"kind": "conformance", "lhs": "Store", "rhs": each} for each in found]}

        box = symbol("Box", "struct Box<Store> where Store : A", swiftGenerics=constraints("A"))
        plain = symbol("Box.a()", "func a()", "method", swiftExtension=constraints("A"))
        narrow = symbol("Box.b()", "func b()", "method", swiftExtension=constraints("A", "B"))
        members = [{"kind": "memberOf", "source": f"s:Box.{name}()", "target": "s:Box"} for name in "ab"]
        self.assertEqual(self.lines(box, plain, narrow, relationships=members)[1:],
                         ["Test | method | Box.a() | func a()", "Test | method | Box.b() | func b() [extension where Store : B]"])

    def test_a_requirement_is_told_from_its_default(self):
        found = self.lines(symbol("P", "protocol P", "protocol"), symbol("P.a()", "func a()", "method"),
                           symbol("P.a()", "func a()", "method", mangled="default"),
                           relationships=[{"kind": "requirementOf", "source": "s:P.a()", "target": "s:P"},
                                          {"kind": "defaultImplementationOf", "source": "s:P.a()default", "target": "s:P.a()"}])
        self.assertEqual(found[1:], ["Test | method (default) | P.a() | func a()", "Test | method (requirement) | P.a() | func a()"])

    def test_a_line_is_one_line(self):
        self.assertEqual(self.lines(symbol("A", "struct A\n    where B")), ["Test | struct | A | struct A where B"])


class NameTests(Graphs):
    def check(self, theirs, allowed):
        for name, text in (("swift-other", theirs), ("allowed", allowed)):
            with open(f"{self.kept}/{name}.txt", "w", encoding="utf-8") as file:
                file.write(f"# A head.\n{text}")
        with contextlib.redirect_stdout(io.StringIO()):
            return names.check(self.symbols, self.kept)

    def test_a_clash_without_a_reason_fails(self):
        self.graph(KEY)
        for allowed in ("", "Key\n", "Key |\n", "Key | \n"):
            found = self.check("Key\nOther\n", allowed)
            self.assertEqual(len(found), 1, allowed)
            self.assertTrue(found[0].startswith("Key"), found)
        self.assertIn("Key of Test is a public name of swift-other too", self.check("Key\n", "")[0])

    def test_a_clash_with_a_reason_passes(self):
        self.graph(KEY)
        self.assertEqual(self.check("Key\nOther\n", "Key | RFC 0\n"), [])

    def test_an_unused_reason_fails(self):
        self.graph(KEY)
        self.assertEqual(len(self.check("Key\nOther\n", "Key | RFC 0\nOther | RFC 0\n")), 1)
        self.assertEqual(len(self.check("Other\n", "Key | RFC 0\n")), 1)

    def test_a_second_reason_fails(self):
        self.graph(KEY)
        self.assertEqual(len(self.check("Key\n", "Key | RFC 0\nKey | RFC 1\n")), 1)

    def test_case_counts_and_nested_names_and_extensions_do_not(self):
        self.graph(KEY, symbol("Key.Other", "struct Other"))
        self.graph(symbol("URL", "extension URL", "extension"), file="Test@Foundation")
        self.assertEqual(self.check("key\nOther\nURL\n", ""), [])

    def test_functions_and_macros_are_compared_without_their_arguments(self):
        self.graph(symbol("Predicate(_:)", "macro Predicate(_ a: Int)", "macro"))
        self.assertEqual(len(self.check("Predicate\n", "")), 1)

    def test_nothing_to_compare_fails(self):
        self.graph(KEY)
        self.assertEqual(len(self.check("", "")), 1)
        os.remove(f"{self.symbols}/Test/Test.symbols.json")
        self.assertEqual(len(self.check("Key\n", "")), 1)

    def test_the_lists_that_are_kept_can_be_read(self):
        theirs = names.their_names(names.LISTS)
        for name in ("URL", "JSONDecoder", "URLSession", "HTTPRequest", "Logger", "Counter", "ByteBuffer", "SymmetricKey", "Verifier",
                     "DER", "Router", "Application", "JWTKeyCollection"):
            self.assertIn(name, theirs)


SOURCE = r'''
// public struct Comment {}
/* /* public struct Inner {} */ public struct Outer {} */
public import struct Other.Imported
@frozen public struct A<T: B> : C { public struct Nested {} }
@available(macOS 15, *)
public
final class D {}
open class E {}; final public class F {}
public indirect enum G { case g(String) }
public nonisolated protocol H {}
public actor I {}
public typealias J = K
@freestanding(expression) public macro L(_ a: Int) = #externalMacro(module: "M", type: "N")
extension O { public struct InExtension {} }
public extension O { struct InPublicExtension {} }
struct Internal {}
package struct Package {}
@_spi(Testing)
@available(macOS 15, *)
public struct SPI {}
let a = "public struct S {} { \(b("}", { c in "\(c)" })) \" {"
let d = [#"{ \" "#, #""""#, #"""{ \#(a("}"))"#, ##""{"#"##, ""]
let d2 = #"""
    { "
    """#
let e = """
    public struct T {} { " \("""
        }
        """)
    """
let f = #/[{"]/#
public func function() { class Local {} }
public struct `Quoted` {}
#if os(Linux)
extension P {
#else
extension Q {
#endif
    public struct InBranch {}
}
#if DEBUG
public struct R {}
#endif
'''


class ListTests(unittest.TestCase):
    def test_public_types_are_those_that_a_service_sees_when_it_imports_the_module(self):
        self.assertEqual(names.public_types(SOURCE), set("ADEFGHIJLR") | {"Quoted"})

    def test_what_is_misread_is_no_list(self):
        for text in ("struct A {", "}", 'let a = "', 'let a = "\\(b', "#endif"):
            with self.assertRaises(names.Unbalanced, msg=text):
                names.public_types(text)

    def test_a_list_has_its_commit_and_the_sorted_names_beneath_its_paths(self):
        with tempfile.TemporaryDirectory() as folder:
            for path, name in (("Sources/B/b.swift", "B"), ("Sources/A/a ä.swift", "A"), ("Tests/T.swift", "T"), ("Sources/n.txt", "N")):
                os.makedirs(os.path.dirname(f"{folder}/{path}"), exist_ok=True)
                with open(f"{folder}/{path}", "w", encoding="utf-8") as file:
                    file.write(f"public struct {name} {{}}\n")
            when = "2026-01-02T03:04:05Z"
            who = [word for key, value in (("user.name", "n"), ("user.email", "e"), ("commit.gpgSign", "false"))
                   for word in ("-c", f"{key}={value}")]
            for command in (["init", "--quiet"], ["add", "."], who + ["commit", "--quiet", "--message", "m"]):
                subprocess.run(["git", "-C", folder, *command], check=True, env=os.environ | {"GIT_COMMITTER_DATE": when})
            found = names.listing("some/package", f"{folder}/.git", "HEAD", ["Sources"]).splitlines()
            self.assertEqual(found[3:], ["A", "B"])
            self.assertIn("some/package", found[0])
            self.assertRegex(found[1], "^# Commit [0-9a-f]{40} of 2026-01-02$")
            with self.assertRaises(SystemExit):
                names.listing("some/package", f"{folder}/.git", "HEAD", ["Empty"])


if __name__ == "__main__":
    unittest.main()
