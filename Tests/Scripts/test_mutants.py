"""Tests of mutants.py, with sources written here: `python3 -B test_mutants.py`. `mutants.py --self-check` builds and runs mutants."""
import glob
import importlib.util
import json
import os
import re
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from mutants import build, report, rules, suites, tokens, tree, trial

# The script has the name of the package beside it, which `import` prefers.
SCRIPT = importlib.util.spec_from_file_location("script", os.path.join(os.path.dirname(os.path.abspath(__file__)), "mutants.py"))
script = importlib.util.module_from_spec(SCRIPT)
SCRIPT.loader.exec_module(script)


def texts(source):
    return [token.text for token in tokens.tokens(source)]


def rewritten(source, *kinds):
    """The source with its mutants of these kinds, numbered from 1."""
    mutants = [mutant for mutant in rules.find(source) if not kinds or mutant.kind in kinds]
    for number, mutant in enumerate(mutants, 1):
        mutant.number = number
    return rules.rewrite(source, mutants)[0]


class TokenTests(unittest.TestCase):
    def test_comments_are_left_out_and_strings_are_one_token(self):
        self.assertEqual(texts('a /* b /* c */ d */ + "x // \\" y" // z\n- e'), ["a", "+", '"x // \\" y"', "-", "e"])
        self.assertEqual(texts('"a\\(f("b)", { $0 }))c" x'), ['"a\\(f("b)", { $0 }))c"', "x"])
        self.assertEqual(texts('#"a"b\\(c"# x'), ['#"a"b\\(c"#', "x"])
        self.assertEqual(texts('"""\n a "b" {\n """ x'), ['"""\n a "b" {\n """', "x"])

    def test_operators_are_whole(self):
        self.assertEqual(texts("a?.b ?? c! != !d && e..<f"), ["a", "?", ".", "b", "??", "c", "!", "!=", "!", "d", "&&", "e", "..<", "f"])
        self.assertEqual(texts("try? f(&x) -> [Int]?"), ["try", "?", "f", "(", "&", "x", ")", "->", "[", "Int", "]", "?"])

    def test_angle_brackets_of_types_match_and_comparisons_do_not(self):
        found = tokens.tokens("A<B, C<D>>() < e, f > g")
        self.assertEqual([token.text for token in found if token.partner is not None], ["<", "<", ">", ">", "(", ")"])
        self.assertEqual([token.text for token in found if token.is_binary], ["<", ">"])

    def test_what_is_not_understood_is_refused(self):
        for source in ('"a', "(]", "{", "/* a", "#/a/#"):
            with self.assertRaises(tokens.SourceFault, msg=source):
                tokens.tokens(source)
        self.assertEqual(texts('"a" () {} /* a */'), ['"a"', "(", ")", "{", "}"])


class CheckTests(unittest.TestCase):
    def test_each_operand_of_a_guard_is_skipped(self):
        self.assertEqual(rewritten("guard a, b == c && !d else { throw .e }", "skip"),
                         "guard Mutant.pass(1, a), Mutant.pass(2, b == c) && Mutant.pass(3, !d) else { throw .e }")
        self.assertEqual(rewritten("guard a || b else { throw .e }", "skip"), "guard Mutant.pass(1, a || b) else { throw .e }")

    def test_each_alternative_of_an_if_that_throws_is_skipped(self):
        self.assertEqual(rewritten("if a || b && c { throw .e }", "skip"), "if Mutant.deny(1, a) || Mutant.deny(2, b && c) { throw .e }")
        self.assertEqual(rewritten("if let a, b { throw .e }", "skip"), "if let a, Mutant.deny(1, b) { throw .e }")
        self.assertEqual(rewritten("if case .a = b { throw .e }", "skip"), "if case .a = b, Mutant.keep(1) { throw .e }")

    def test_negated_parentheses_are_entered(self):
        self.assertEqual(rewritten("if !(a && b) { throw .e }", "skip"), "if !(Mutant.pass(1, a) && Mutant.pass(2, b)) { throw .e }")
        self.assertEqual(rewritten("guard !(a || b) else { throw .e }", "skip"),
                         "guard !(Mutant.deny(1, a) || Mutant.deny(2, b)) else { throw .e }")
        self.assertEqual(rewritten("if !f(a) { throw .e }", "skip"), "if Mutant.deny(1, !f(a)) { throw .e }")

    def test_the_words_before_an_expression_stay_before_it(self):
        self.assertEqual(rewritten("guard try await f(), unsafe g() else { throw .e }", "skip"),
                         "guard try await Mutant.pass(1, f()), unsafe Mutant.pass(2, g()) else { throw .e }")
        self.assertEqual(rewritten("guard let a = try? f() else { throw .e }", "default"),
                         "guard let a = Mutant.or(1, try? f()) else { throw .e }")

    def test_closures_and_ternaries_are_not_divided(self):
        self.assertEqual(rewritten("guard a.allSatisfy({ $0 && b }) else { throw .e }", "skip"),
                         "guard Mutant.pass(1, a.allSatisfy({ $0 && b })) else { throw .e }")
        self.assertEqual(rewritten("guard a ? b && c : d else { throw .e }", "skip"), "guard Mutant.pass(1, a ? b && c : d) else { throw .e }")

    def test_lines_keep_their_numbers(self):
        source = "guard a\n    < b, // c\n    let d = e(\n        f)\nelse { throw .g }\nlet h = 1\n"
        result = rewritten(source)
        self.assertEqual(result.count("\n"), source.count("\n"))
        self.assertEqual(result.split("\n")[-2], "let h = 1")
        self.assertNotIn("c)", result)

    def test_conditions_that_leave_no_branch_are_left_alone(self):
        for source in ("if a { b() }", "while a { throw .b }", "x.if(a) { throw .b }", "f(if: a) { throw .b }", "if #available(macOS 26, *) { return nil }"):
            self.assertEqual(rewritten(source), source)
        self.assertNotEqual(rewritten("if a { throw .b }"), "if a { throw .b }")

    def test_a_loop_and_an_else_that_throw(self):
        self.assertEqual(rewritten("for a in b where c(a) { throw .d }"), "for a in b where Mutant.deny(1, c(a)) { throw .d }")
        self.assertEqual(rewritten("if a { b() } else { throw .c }"), "if Mutant.pass(1, a) { b() } else { throw .c }")

    def test_conditions_within_closures_of_conditions(self):
        self.assertEqual(rewritten("guard a({ if b { return nil }; return c }) else { throw .d }", "skip"),
                         "guard Mutant.pass(1, a({ if Mutant.deny(2, b) { return nil }; return c })) else { throw .d }")


class BoundaryTests(unittest.TestCase):
    def test_comparisons_become_calls(self):
        for operator, name in (("<", "less"), ("<=", "lessOrEqual"), (">", "greater"), (">=", "greaterOrEqual")):
            self.assertEqual(rewritten(f"if a {operator} b + 1 {{ throw .e }}", "boundary"), f"if Mutant.{name}(1, a, b + 1) {{ throw .e }}")
        self.assertEqual(rewritten("guard a == b else { throw .e }", "boundary"), "guard a == b else { throw .e }")

    def test_comparisons_within_checks(self):
        self.assertEqual(rewritten("if let a, !(a >= 0 && a < b) { throw .e }"),
                         "if let a, !(Mutant.pass(1, Mutant.greaterOrEqual(2, a, 0)) && Mutant.pass(3, Mutant.less(4, a, b))) { throw .e }")
        self.assertEqual(rewritten("if a && (b < c) { throw .e }"), "if Mutant.deny(1, a && (Mutant.less(2, b, c))) { throw .e }")


class BindingTests(unittest.TestCase):
    def test_a_value_counts_as_missing_and_a_missing_one_as_empty(self):
        self.assertEqual(rewritten("guard let a = f(b), let c else { throw .e }", "reject"),
                         "guard let a = f(b), Mutant.keep(1), let c, Mutant.keep(2) else { throw .e }")
        self.assertEqual(rewritten("guard let a = f(b), let c else { throw .e }", "default"),
                         "guard let a = Mutant.or(1, f(b)), let c = Mutant.or(2, c) else { throw .e }")
        self.assertEqual(rewritten("guard let self else { throw .e }", "default"), "guard let self else { throw .e }")

    def test_a_pattern_without_a_binding_is_skipped(self):
        self.assertEqual(rewritten("guard case .a = b else { throw .e }", "pattern"), "if case .a = b {} else if !Mutant.skips(1) { throw .e }")
        self.assertEqual(rewritten("guard case .a(let b) = c else { throw .e }", "pattern"), "guard case .a(let b) = c else { throw .e }")

    def test_the_branch_for_a_missing_value_is_counted(self):
        self.assertEqual(rewritten("guard let a else { throw .e }", "branch"), "guard let a else { Mutant.reach(1); throw .e }")
        self.assertEqual(rewritten("guard a else { throw .e }", "branch"), "guard a else { throw .e }")

    def test_cases_that_throw(self):
        switch = "switch a {\ncase .b, .c: throw .e\ncase .d where f: throw .e\n%s}\n"
        self.assertEqual(rewritten(switch % "default: return\n"),
                         "switch a {\ncase .b where Mutant.keep(1), .c where Mutant.keep(1): throw .e\n"
                         "case .d where Mutant.deny(2, f): throw .e\ndefault: return\n}\n")
        self.assertEqual(rewritten(switch % "case .g: return\n"), switch % "case .g: return\n")

    def test_operands_of_returned_values(self):
        self.assertEqual(rewritten("return a && b\nlet c = d && e", "operand"),
                         "return Mutant.pass(1, a) && Mutant.pass(2, b)\nlet c = d && e")
        self.assertEqual(rewritten("var a: Bool { b\n    || c }", "operand"), "var a: Bool { Mutant.deny(1, b)\n    || Mutant.deny(2, c) }")
        self.assertEqual(rewritten("return a == b ? nil : .c", "operand"), "return Mutant.pass(1, Mutant.deny(2, a == b)) ? nil : .c")
        for source in ("return a", "var a: Bool { b }", "return a ? b : c", "func f() { g()\n    h && i }"):
            self.assertEqual(rewritten(source, "operand"), source)

    def test_exits(self):
        exits = lambda source: {mutant.exit for mutant in rules.find(source)}
        self.assertEqual(exits("guard a else { log(); throw .b }"), {"throw"})
        self.assertEqual(exits("guard a else { return try fail(.b) }"), {"throw"})
        self.assertEqual(exits("guard a else { return nil }"), {"answer"})
        self.assertEqual(exits("if a { return .b }"), {"answer"})
        self.assertEqual(exits("guard a else { return }"), {"flow"})
        self.assertEqual(exits("if let a { if b { throw .c } }"), {"flow", "throw"})


class TreeTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.layout = tree.Layout(folder.name, ("Sources/B",), "Sources/A", (r"Policy\.swift$",), os.path.join(folder.name, "scratch"))
        self.write("Sources/B/Policy.swift", "let z = 1\nguard a else { throw .b }\nguard a else { throw .b }\n")
        self.write("Sources/B/Other.swift", "import A\nguard let c else { return }\nguard let d = e() else { throw .b }\n")
        self.write("Package.swift", "x, .strictMemorySafety(), .treatAllWarnings(as: .error),\n")
        os.system(f"git -C {folder.name} init -q")

    def write(self, name, text):
        tree.write(os.path.join(self.layout.root, name), text)

    def copy(self):
        made = tree.MutatedTree(self.layout, lambda mutant: mutant.exit != "flow")
        made.write()
        return made

    def read(self, name):
        return tree.read(os.path.join(self.layout.tree, name))

    def test_the_copy_has_the_switch_and_imports_it(self):
        self.copy()
        self.assertIn("internal import A; let z = 1\nguard Mutant.pass(", self.read("Sources/B/Policy.swift"))
        self.assertTrue(self.read("Sources/B/Other.swift").startswith("import A\nguard let c else { return }\n"))
        self.assertIn("enum Mutant", self.read("Sources/A/Mutant.swift"))
        self.assertEqual(self.read("Package.swift"), "x, .strictMemorySafety(),\n")
        self.assertNotIn("Mutant", tree.read(os.path.join(self.layout.root, "Sources/B/Policy.swift")))

    def test_what_did_not_change_is_not_written_and_what_is_gone_is_removed(self):
        self.copy()
        path = os.path.join(self.layout.tree, "Sources/B/Policy.swift")
        before = os.stat(path).st_mtime_ns
        os.remove(os.path.join(self.layout.root, "Sources/B/Other.swift"))
        self.copy()
        self.assertEqual(os.stat(path).st_mtime_ns, before)
        self.assertFalse(os.path.exists(os.path.join(self.layout.tree, "Sources/B/Other.swift")))

    def test_keys_tell_equal_texts_apart_and_outlive_a_move(self):
        keys = [mutant.key for mutant in self.copy().all]
        self.assertEqual(len(set(keys)), len(keys))
        os.rename(os.path.join(self.layout.root, "Sources/B/Other.swift"), os.path.join(self.layout.root, "Sources/B/Z.swift"))
        self.assertEqual(sorted(mutant.key for mutant in self.copy().all), sorted(keys))

    def test_a_mutant_that_does_not_compile_is_dropped(self):
        made = self.copy()
        line = self.read("Sources/B/Other.swift").split("\n")[2]
        column = line.index("e()") + 1
        error = f"{self.layout.tree}/Sources/B/Other.swift:3:{column}: error: cannot convert\n"
        self.assertEqual(build.drop_failures(made, error + error), 1)
        made.write()
        self.assertNotIn("Mutant.or", self.read("Sources/B/Other.swift"))
        self.assertIn("Mutant.keep", self.read("Sources/B/Other.swift"))
        self.assertEqual([mutant.kind for mutant in self.copy().all if mutant.key in self.copy().dropped], ["default"])
        self.assertEqual(build.drop_failures(made, f"{self.layout.tree}/Sources/C/C.swift:1:1: error: elsewhere\n"), 0)


class PolicyTests(unittest.TestCase):
    def test_each_pattern_of_policy_code_matches_a_file(self):
        names = [name for module in script.MODULES for name in glob.glob(os.path.join(script.ROOT, module, "**", "*.swift"), recursive=True)]
        for pattern in script.POLICY:
            self.assertTrue(any(re.search(pattern, name) for name in names), pattern)

    def test_files_that_decide_are_policy_code_and_others_are_not(self):
        is_policy = script.layout().is_policy
        for name in ("JOSEMitID/MitIDChecks", "JOSEDigiD/Shared/DigiDOpenID+Checks", "JOSEMitID/MitIDParameters+Checks",
                     "JOSERelyingParty/Request/ClaimsRequest+Checks", "JOSEDigiD/Shared/DigiDSession", "JOSEZenKey/PortTokenVerifier",
                     "JOSERelyingParty/Session/RelyingParty+BackChannelLogout", "JOSERelyingParty/Session/RefreshTicket",
                     "JOSERelyingParty/Login/CallbackParameters", "JOSEItsme/ItsmeKeySetValidator"):
            self.assertTrue(os.path.exists(os.path.join(script.ROOT, f"Sources/Login/{name}.swift")), name)
            self.assertTrue(is_policy(f"Sources/Login/{name}.swift"), name)
        for name in ("CertifiedKeys", "JOSEHeader+Parsing", "KeyChecks", "JWSVerifier", "JWSVerifier+JSON", "SignaturePolicy", "VerificationKey"):
            self.assertTrue(is_policy(f"Sources/Core/JOSE/{name}.swift"), name)
        for name in ("JOSEMitID/MitIDParameters+Reading", "JOSEMitID/MitIDTexts", "JOSEDigiD/Shared/DigiDApp",
                     "JOSERelyingParty/Login/LoggedInUser"):
            self.assertFalse(is_policy(f"Sources/Login/{name}.swift"), name)


class Programs:
    """Stands in for test runs: which units fail with which mutant."""

    def __init__(self, failing):
        self.failing, self.ran, self.least, self.noticed = failing, [], 20, set()

    def run(self, units, limit, mutant=None, trace=None):
        self.ran.append(units)
        failed = [unit for unit in units if unit in self.failing]
        return ("failed" if failed else "passed"), 1.0, ", ".join(failed)


class TrialTests(unittest.TestCase):
    def setUp(self):
        self.coverage = suites.Coverage()
        self.coverage.seconds = {"slow": 9.0, "fast": 0.2, "middle": 1.0}
        self.coverage.changed = {1: ["slow", "fast", "middle"]}
        self.coverage.reached = {2: ["fast"], 3: ["fast"]}
        self.coverage.bare = {3}

    def outcome(self, number, failing=(), kind="skip"):
        mutant = rules.Mutant(kind, "throw", 1, "a", number=number)
        self.programs = Programs(failing)
        return trial.trial(mutant, self.coverage, self.programs)[0]

    def test_short_suites_run_first_and_the_first_failure_ends_a_trial(self):
        self.assertEqual(self.outcome(1, ["fast"]), "killed")
        self.assertEqual(self.programs.ran, [["fast", "middle"]])
        self.assertEqual(self.programs.noticed, {"fast", "middle"})
        self.assertEqual(self.outcome(1, ["slow"]), "killed")
        self.assertEqual(self.outcome(1), "survived")
        self.assertEqual(self.programs.ran, [["fast", "middle"], ["slow"]])

    def test_what_no_test_reaches_is_not_run(self):
        for number, outcome in ((2, "value never changed"), (3, "no default"), (4, "never reached")):
            self.assertEqual(self.outcome(number), outcome)
            self.assertEqual(self.programs.ran, [])

    def test_results_are_kept_after_a_line_that_was_cut(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "results.jsonl")
            mutant = rules.Mutant("skip", "throw", 1, "a", path="A.swift", key="k1", source="s1")
            trial.Results(path).add(mutant, "killed", "", 1.0)
            with open(path, "a", encoding="utf-8") as file:
                file.write('{"key": "k2"')
            self.assertEqual(list(trial.Results(path).found), ["k1"])
            self.assertEqual(trial.Results(path).of(mutant), "killed")
            mutant.source = "s2"
            self.assertIsNone(trial.Results(path).of(mutant), "its source changed")

    def test_a_trace_is_read(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trace")
            tree.write(path, "7 d\n8 r\n9 n\n7 r\n")
            coverage = suites.Coverage()
            coverage.note("unit", 0.5, path)
            self.assertEqual((coverage.changed, coverage.reached, coverage.bare), ({7: ["unit"]}, {8: ["unit"], 7: ["unit"]}, {9}))
            coverage.store(os.path.join(folder, "stored"), "name")
            self.assertIsNone(suites.Coverage.load(os.path.join(folder, "stored"), "other"))
            self.assertEqual(suites.Coverage.load(os.path.join(folder, "stored"), "name").units(7), ["unit"])

    def test_a_filter_has_one_suite_or_one_test(self):
        matches = lambda unit, name: bool(suites.re.search(suites.Tests.pattern(unit), name))
        self.assertTrue(matches("A.B", "A.B/c()/B.swift:1:1"))
        self.assertFalse(matches("A.B", "A.BC/c()"))
        self.assertTrue(matches("A.B/c()", "A.B/c()/B.swift:1:1"))
        self.assertFalse(matches("A.B/c()", "A.B/c(d:)"))


class ReportTests(unittest.TestCase):
    def test_defaults_without_a_value_do_not_count_and_explained_survivors_do(self):
        layout = tree.Layout(tempfile.gettempdir(), ("M",), "L", (r"Policy",))
        mutants = [rules.Mutant("skip", "throw", 1, "a", path=f"M/{name}.swift", key=name) for name in ("k", "Policy", "late", "n")]
        outcomes = {"k": "killed", "Policy": "survived", "late": "time limit", "n": "no default"}
        made = report.Report(layout, mutants, outcomes, {}, suites.Coverage(), "4 mutants")
        made.explained = {"Policy": "It is equivalent."}
        self.assertEqual(made.summary(), "2 of 3 mutants killed (66.7 %), 1 survivors explained, 0 others")
        self.assertEqual(made.row(lambda mutant: True).percent_with_explained, 100.0)
        self.assertIn("Explained: It is equivalent.", made.text())
        self.assertIn("- `M/Policy.swift`", made.text())


if __name__ == "__main__":
    unittest.main()
