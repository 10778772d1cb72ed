"""The control of the tool itself: a package whose mutants have known results."""
import os

from . import build, suites, tree, trial

HERE = os.path.join(tree.HERE, "fixture")
# The outcome of each mutant, by its kind and text. What is not here was not expected.
EXPECTED = {
    ("skip", "number < 10"): "killed",
    ("boundary", "number < 10"): "killed",
    ("skip", "size > 100"): "killed",
    ("boundary", "size > 100"): "value never changed",
    ("skip", "flag != 0"): "survived",
    ("skip", "left % 2 == 1"): "killed",
    ("skip", "right % 2 == 1"): "value never changed",
    ("skip", "index >= list.count"): "crashed",
    ("boundary", "index >= list.count"): "crashed",
    ("skip", "step != 0"): "time limit",
    ("reject", "let text"): "killed",
    ("default", "let text"): "killed",
    ("reject", "let opaque"): "killed",
    ("default", "let opaque"): "no default",
    ("reject", "let unique = Unique(number)"): "killed",
    ("case", "case 2"): "killed",
    ("skip", "count == 7"): "never reached",
    ("skip", "value < 0"): "killed",
    ("boundary", "value < 0"): "value never changed",
}
DROPPED = [("default", "let unique = Unique(number)")]


def check(root, say):
    """Runs the tool on the package. Returns 0 if all results are the expected ones."""
    where = tree.Layout(HERE, ("Sources/Upper",), "Sources/Lowest", folder=os.path.join(root, ".build", "mutants-fixture"))
    os.makedirs(where.scratch, exist_ok=True)
    for name in ("dropped.json", "coverage.json"):
        if os.path.exists(where.file(name)):
            os.remove(where.file(name))
    copy = tree.MutatedTree(where, lambda mutant: True)
    build.build(copy, lambda text: None)
    tests = suites.Tests(where, build.test_bundle(where), 2, least=5)
    coverage = suites.record(tests, where.file("coverage.json"), lambda text: None)
    real = [mutant for mutant in copy.mutants if mutant.kind != "branch"]
    outcomes = tests.each(lambda mutant: trial.trial(mutant, coverage, tests)[0], real)
    found = {(mutant.kind, mutant.text): outcome for mutant, outcome in zip(real, outcomes)}
    wrong = [f"{pair}: {found.get(pair)} and not {EXPECTED.get(pair)}" for pair in sorted(set(found) | set(EXPECTED))
             if found.get(pair) != EXPECTED.get(pair)]
    dropped = [(mutant.kind, mutant.text) for mutant in copy.all if mutant.key in copy.dropped]
    if dropped != DROPPED:
        wrong.append(f"dropped: {dropped}")
    if coverage.excluded != ["UpperTests.BrokenTests"]:
        wrong.append(f"not used: {coverage.excluded}")
    say("\n".join(["The control of make mutants is wrong:", *wrong]) if wrong else f"The control is right: {len(found)} mutants of a fixture.")
    return 1 if wrong else 0
