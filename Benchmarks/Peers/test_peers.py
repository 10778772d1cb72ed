"""Tests of what makes the comparison, without any of the libraries compared: `python3 test_peers.py`."""
import contextlib
import io
import os
import subprocess
import sys
import tempfile
import unittest
from types import SimpleNamespace
from unittest import mock
from xml.etree import ElementTree

import install
from bench_peers import options
from chart import chart
from harness_process import Gone, HarnessProcess
from libraries import HERE, LIBRARIES, Library
from measure import check, rounds
from readme import BEGIN, END, NoMarkers, between_markers
from results import Results
from table import chosen_table, figure, label, tabs, whole

SVG = "{http://www.w3.org/2000/svg}"


def library(identifier, role="peer"):
    return Library(identifier, identifier.title(), "C", None, lambda: "1.2", role=role)


def measured():
    floor, ours, other = library("kept", "floor"), library("bulla", "ours"), library("other")
    results = Results(["verify/RS256", "batch/RS256", "sign/RS256", "encrypt/dir+A256GCM"], [floor, ours, other])
    for rate in (100.0, 50.0, 400.0):
        results.add(floor, "verify/RS256", rate * 1000)
        results.add(ours, "verify/RS256", rate * 900)
        results.add(ours, "batch/RS256", rate * 4000)
        results.add(other, "verify/RS256", rate * 250)
        results.add(ours, "sign/RS256", rate)
    return results


class Fake:
    """A harness that answers these rates, one after the other."""

    def __init__(self, identifier, rates, asked):
        self.library, self.rates, self.asked = library(identifier), iter(rates), asked
        self.proved = {"verify/RS256": "-"}

    def measure(self, operation, seconds):
        self.asked.append(self.library.id)
        rate = next(self.rates)
        if rate is None:
            raise Gone("it ended")
        return rate


class ResultTests(unittest.TestCase):
    def test_rate_is_the_median_of_the_rounds_without_the_first(self):
        asked = []
        results = rounds([Fake("a", [9, 1, 2, 7], asked), Fake("b", [9, 5, 5, 5], asked)], ["verify/RS256"], 0, 3, self.fail)
        self.assertEqual((results.rate("verify/RS256", "a"), results.rate("verify/RS256", "b")), (2, 5))
        self.assertEqual("".join(asked), "abbaabba", "each round runs each library once, and they take turns to be first")

    def test_harness_that_ends_is_left_out_and_the_other_goes_on(self):
        notes = []
        results = rounds([Fake("a", [9, 1, None], []), Fake("b", [9, 5, 6, 7], [])], ["verify/RS256"], 0, 3, notes.append)
        self.assertEqual(results.rates["verify/RS256"]["b"], [5, 6, 7])
        self.assertEqual(notes, ["A is left out from verify/RS256 on: it ended"])

    def test_ratio_is_of_the_same_round(self):
        self.assertAlmostEqual(measured().ratio("verify/RS256", "other"), 0.25)
        self.assertAlmostEqual(measured().ratio("batch/RS256", "bulla"), 4, msg="a batch beside single calls")

    def test_json_holds_every_round(self):
        cell = measured().as_json(rounds=3)["operations"]["verify/RS256"]["bulla"]
        self.assertEqual(cell["rounds"], [90000, 45000, 360000])
        self.assertEqual(cell["perSecond"], 90000)


class TableTests(unittest.TestCase):
    def test_library_that_lacks_an_operation_shows_a_dash(self):
        rows = {row.split("|")[1].strip(): row for row in chosen_table(measured(), "EPYC").splitlines()}
        self.assertIn("a second, on one core of an EPYC", rows)
        self.assertIn("| 25.0 k | – |", rows["Other 1.2 (C)"])
        self.assertIn("| 90.0 k | 100 |", rows["**Bulla 1.2 (C)**"])
        self.assertIn("| 400 k | – |", rows["**Bulla, batches 1.2 (C)**"])

    def test_nested_tokens_in_batches_have_lines_of_their_own(self):
        floor, ours = library("kept", "floor"), library("bulla", "ours")
        names = [group + "/RSA-OAEP+A128CBC-HS256+RS256" for group in ("nested", "nested-batch", "vectorized")]
        results = Results(names, [floor, ours])
        results.add(floor, names[0], 50.0)
        for rate, name in zip((60.0, 70.0, 120.0), names):
            results.add(ours, name, rate)
        rows = [row.split("|")[1:3] for row in chosen_table(results, "EPYC").splitlines()[2:]]
        self.assertEqual([[cell.strip() for cell in row] for row in rows], [
            ["Kept 1.2 (C)", "50"], ["**Bulla, batches, vectorized private keys 1.2 (C)**", "120"],
            ["**Bulla, batches 1.2 (C)**", "70"], ["**Bulla 1.2 (C)**", "60"]])
        self.assertAlmostEqual(results.ratio(names[2], "bulla"), 2.4, msg="beside single calls")

    def test_operation_that_none_has_is_no_column(self):
        self.assertNotIn("Encrypt", whole(measured()))
        self.assertIn("Sign", whole(measured()))

    def test_release_that_is_not_current_has_its_year(self):
        line = {"name": "cjose", "version": "0.6.2.1", "builtOn": "C, OpenSSL"}
        self.assertEqual(label(line), "cjose 0.6.2.1 of 2022 (C, OpenSSL)")
        self.assertEqual(label({**line, "version": "9.9"}), "cjose 9.9 (C, OpenSSL)")

    def test_three_digits_that_mean_something(self):
        self.assertEqual([figure(rate) for rate in (None, 4414.2, 12345, 634000, 1.57e6)], ["–", "4414", "12.3 k", "634 k", "1.57 M"])

    def test_tabs_have_a_line_for_each_measurement(self):
        lines = tabs(measured()).splitlines()
        self.assertEqual(len(lines), 1 + 5)
        self.assertEqual(lines[1].split("\t"), ["kept", "Kept", "1.2", "verify/RS256", "100000", "1.000"])


class ChartTests(unittest.TestCase):
    def setUp(self):
        self.root = ElementTree.fromstring(chart(measured(), "a < b"))

    def test_bars_are_as_long_as_the_rates_and_named(self):
        bars = {bar.get("class"): float(bar.get("width")) for bar in self.root.iter(SVG + "rect")}
        self.assertAlmostEqual(bars["batch"] / bars["peer"], 16, places=1)
        words = [text.text for text in self.root.iter(SVG + "text")]
        for word in ("Bulla", "Bulla, batches", "Other (C)", "25.0 k", "a < b"):
            self.assertIn(word, words)

    def test_has_colours_for_dark_and_light_and_no_script(self):
        style = next(self.root.iter(SVG + "style")).text
        self.assertIn("prefers-color-scheme:dark", style)
        allowed = {"svg", "title", "style", "rect", "text", "line"}
        self.assertEqual({element.tag.removeprefix(SVG) for element in self.root.iter()} - allowed, set())
        self.assertFalse([name for element in self.root.iter() for name in element.attrib if name.startswith("on") or "href" in name])


class ReadmeTests(unittest.TestCase):
    def test_only_what_is_between_the_markers_changes(self):
        text = f"before\n{BEGIN}\nold\n{END}\nafter\n"
        self.assertEqual(between_markers(text, "new\n"), f"before\n{BEGIN}\nnew\n{END}\nafter\n")
        self.assertEqual(between_markers(between_markers(text, "x"), "old"), text)

    def test_refuses_a_document_without_them_or_in_another_order(self):
        for text in ("no markers", f"{END}{BEGIN}", f"{BEGIN}{BEGIN}{END}"):
            with self.assertRaises(NoMarkers):
                between_markers(text, "new")

    def test_the_readme_has_them(self):
        with open(os.path.join(HERE, "..", "..", "README.md"), encoding="utf-8") as file:
            between_markers(file.read(), "new")


HARNESS = """
import sys
sys.path.insert(0, {folder!r})
from harness import CLAIMS, serve
class Library:
    def verifier(self, alg):
        def verify(token):
            if {lax} or token == "good":
                return CLAIMS
            raise ValueError(token)
        return verify
    def signer(self, alg):
        return lambda: "made"
serve(Library())
"""


class HarnessTests(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)
        os.mkdir(os.path.join(self.place.name, "verify"))
        files = {
            "claims.json": '{"iss":"i","aud":"a","sub":"s"}', "operations": "verify/RS256\nsign/RS256\nverify/PS256\n",
            "verify/RS256.token": "good", "verify/RS256.refused": "cryptography\ta changed signature\tbad\n"}
        for name, text in files.items():
            with open(os.path.join(self.place.name, name), "w") as file:
                file.write(text)

    def harness(self, lax):
        program = HARNESS.format(folder=os.path.join(HERE, "python"), lax=lax)
        made = HarnessProcess(library("python"), [sys.executable, "-B", "-c", program, self.place.name], log=subprocess.DEVNULL)
        self.addCleanup(made.process.stdout.close)
        self.addCleanup(made.close)
        made.prove()
        return made

    def test_one_that_refuses_the_broken_token_is_measured(self):
        made = self.harness(lax=False)
        self.assertEqual(made.proved, {"verify/RS256": "-", "sign/RS256": "made"})
        self.assertGreater(made.measure("verify/RS256", 0.01), 0)

    def test_one_that_takes_it_is_not(self):
        made, notes = self.harness(lax=True), []
        self.assertEqual(made.proved, {"sign/RS256": "made"})
        check(made, None, notes.append)
        self.assertEqual(notes, ["Python takes a broken token, verify/RS256: a changed signature"])

    def test_operation_without_a_token_is_left_out(self):
        self.assertIn("verify/PS256", self.harness(lax=False).left_out)

    def test_what_is_made_and_is_no_token_is_not_measured(self):
        made, notes = self.harness(lax=False), []
        check(made, SimpleNamespace(fault=lambda operation, token: f"{token} is no token"), notes.append)
        self.assertEqual(made.proved, {"verify/RS256": "-"})
        self.assertEqual(notes, ["Python makes no token, sign/RS256: made is no token"])

    def test_one_that_ends_is_gone(self):
        ended = HarnessProcess(library("none"), [sys.executable, "-c", ""])
        self.addCleanup(ended.process.stdout.close)
        self.addCleanup(ended.close)
        with self.assertRaises(Gone):
            ended.prove()


class InstallTests(unittest.TestCase):
    """apt knows good-dev alone."""

    def setUp(self):
        self.there, self.asked, self.notes = {"there-dev"}, [], []
        for name, stand_in in {
                "has_package": self.there.__contains__, "has_wheel": lambda name: True, "apt": self.apt, "agreed": lambda: True}.items():
            patch = mock.patch.object(install, name, stand_in)
            patch.start()
            self.addCleanup(patch.stop)
        patch = mock.patch.object(install.shutil, "which", lambda name: name)
        patch.start()
        self.addCleanup(patch.stop)

    def apt(self, packages):
        self.asked.append(packages)
        if packages == ["good-dev"]:
            self.there.add("good-dev")
        return packages == ["good-dev"]

    def needing(self, package):
        return Library(package, package.title(), "C", None, None, debian=(package,))

    def test_what_cannot_be_had_is_named_and_the_others_are_installed(self):
        wanted = [self.needing(package) for package in ("bad-dev", "good-dev", "there-dev")]
        present = install.install(wanted, self.notes.append)
        self.assertEqual([each.id for each in present], ["good-dev", "there-dev"])
        self.assertEqual(self.asked, [["bad-dev", "good-dev"], ["bad-dev"], ["good-dev"]], "in one go, then each")
        self.assertEqual(self.notes[-1], "Bad-Dev is left out: bad-dev could not be had")

    def test_nothing_is_installed_where_all_is_there(self):
        present = install.install([self.needing("there-dev")], self.notes.append)
        self.assertEqual((len(present), self.asked, self.notes), (1, [], []))

    def test_library_from_packages_is_left_out_unless_their_folder_is_named(self):
        wanted = [Library("swift", "Swift", "Swift", None, None, from_packages=True)]
        with mock.patch.dict(os.environ, {"BULLA_PACKAGES": "folder"}):
            self.assertEqual(install.install(wanted, self.notes.append), wanted)
        with mock.patch.dict(os.environ, {"BULLA_PACKAGES": ""}):
            self.assertEqual(install.install(wanted, self.notes.append), [])
        self.assertEqual(self.notes, ["Swift is left out: the folder BULLA_PACKAGES could not be had"])


class OptionTests(unittest.TestCase):
    """The table of the README is of all libraries, and those of Swift come from a folder."""

    def chosen(self, packages, *arguments):
        with mock.patch.dict(os.environ, {"BULLA_PACKAGES": packages}):
            return options([*arguments, "--bench", "bench", "--out", "out"])

    def refusal(self, *arguments):
        with contextlib.redirect_stderr(io.StringIO()) as said, self.assertRaises(SystemExit):
            self.chosen(*arguments)
        return said.getvalue()

    def test_the_readme_is_not_written_without_the_folder(self):
        self.assertTrue(self.chosen("folder", "--readme").readme)
        self.assertIn("BULLA_PACKAGES", self.refusal("", "--readme"))
        self.assertFalse(self.chosen("").readme)

    def test_the_readme_is_not_written_for_a_part(self):
        self.assertIn("all libraries", self.refusal("folder", "--readme", "--only", "bulla"))


class LibraryTests(unittest.TestCase):
    def test_names_are_told_apart(self):
        self.assertEqual(len({each.id for each in LIBRARIES}), len(LIBRARIES))
        self.assertEqual([each.role for each in LIBRARIES].count("ours"), 1)


if __name__ == "__main__":
    unittest.main()
