"""Tests of instructions.py; make test runs them."""
import contextlib
import io
import json
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import instructions


class InstructionsTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def file(self, name, rows, machine="x86_64, Swift 6.3"):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"machine": machine, "rows": rows}, file)
        return path

    def run_main(self, *arguments):
        out, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            status = instructions.main(list(arguments))
        return status, out.getvalue(), errors.getvalue()

    def test_a_row_has_changed_beyond_two_percent_and_sixty_instructions(self):
        for base, head, expected in [
            ([10_000], [10_200], "same"), ([10_000], [10_201], "slower"), ([10_000], [9_799], "faster"),
            ([100], [160], "same"), ([100], [161], "slower"), ([-10_000], [-9_799], "slower"),
            # Ranges that overlap prove no difference.
            ([10_000, 10_400], [10_450, 10_900], "same"), ([10_000, 10_100], [10_400, 10_900], "slower"),
            ([], [5], "new"), ([5], [], "gone"),
        ]:
            self.assertEqual(instructions.verdict(base, head), expected, (base, head))

    def test_the_slower_rows_come_first_and_unchanged_ones_are_counted(self):
        base = self.file("base", {"a": 1_000, "b": 1_000, "c": 1_000, "gone": 1})
        head = self.file("head", {"a": 1_001, "b": 500, "c": 2_000, "new": 1})
        path = os.path.join(self.folder, "table.md")
        status, out, _ = self.run_main("--base", base, "--head", head, "--markdown", path)
        self.assertEqual(status, 0)
        self.assertEqual([line.split()[0] for line in out.splitlines()[1:5]], ["c", "b", "new", "gone"])
        self.assertIn("5 rows: 1 more instructions, 1 fewer instructions, 1 new, 1 removed, 1 not changed.", out)
        with open(path, encoding="utf-8") as file:
            table = file.read()
        self.assertIn("| c | 1000 | 2000 | +1000 (+100.0 %) | more instructions |", table)
        self.assertNotIn("| a |", table)

    def test_strict_fails_for_a_slower_row_alone(self):
        base, head = self.file("base", {"a": 1_000}), self.file("head", {"a": 2_000})
        self.assertEqual(self.run_main("--base", base, "--head", head, "--strict")[0], 1)
        self.assertEqual(self.run_main("--base", head, "--head", base, "--strict")[0], 0)

    def test_other_machines_and_other_files_are_rejected(self):
        base, head = self.file("base", {"a": 1}), self.file("head", {"a": 1}, machine="arm64, Swift 6.3")
        status, _, errors = self.run_main("--base", base, "--head", head)
        self.assertEqual(status, 2)
        self.assertIn("different machines", errors)
        for text in ["", "[]", "{}", '{"machine": "m", "rows": []}']:
            path = os.path.join(self.folder, "other")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            self.assertEqual(self.run_main("--base", path, "--head", path)[0], 2, text)
        self.assertEqual(self.run_main("--base", base, "--head", os.path.join(self.folder, "none"))[0], 2)


if __name__ == "__main__":
    unittest.main()
