"""Builds the mutated tree. Mutants that do not compile are dropped, by the places of the errors, and the build is tried again."""
import glob
import os
import re
import subprocess
import sys

ERROR = re.compile(r"^(/[^:\n]+\.swift):(\d+):(\d+): error: (.*)$", re.M)
TRIES = 40


def command(layout, *options):
    return ["swift", "build", "--package-path", layout.tree, "--scratch-path", layout.file("build"), "--enable-all-traits", "-Xcc", "-O1", *options]


def run(layout, *options):
    """Builds, and returns whether that succeeded and what was printed."""
    # flags.sh says why hashing is deterministic.
    done = subprocess.run(command(layout, *options), capture_output=True, text=True, errors="replace",
                          env=os.environ | {"SWIFT_DETERMINISTIC_HASHING": "1"})
    return done.returncode == 0, done.stdout + done.stderr


def drop_failures(tree, output):
    """Drops the mutants at the places of the errors. Returns how many."""
    dropped = set()
    for path, line, column, message in dict.fromkeys(ERROR.findall(output)):
        name = os.path.relpath(path, tree.layout.tree)
        found = tree.at(name, int(line), int(column))
        if not found and "exhaustive" in message:
            found = tree.cases_after(name, int(line))
        if found and found[0].key not in dropped:
            tree.drop(found[0], message)
            dropped.add(found[0].key)
    return len(dropped)


def build(tree, say):
    """Builds the modules in their order, then the tests. Exits if an error is not at a mutant."""
    steps = [("--target", os.path.basename(module)) for module in tree.layout.modules] + [("--build-tests",)]
    for step in steps:
        for _ in range(TRIES):
            tree.write()
            succeeded, output = run(tree.layout, *step)
            if succeeded:
                break
            dropped = drop_failures(tree, output)
            say(f"{' '.join(step)}: {dropped} mutants do not compile and are dropped")
            if not dropped:
                sys.exit(f"The mutated tree does not compile:\n{output[-6000:]}")
        else:
            sys.exit(f"The mutated tree does not compile after {TRIES} tries.")
        say(f"{' '.join(step)}: built")


def test_bundle(layout):
    """The program that contains all tests."""
    folder = subprocess.run(command(layout, "--show-bin-path"), check=True, capture_output=True, text=True).stdout.strip()
    found = glob.glob(f"{folder}/*PackageTests.xctest")
    if len(found) != 1:
        sys.exit(f"Not one test program in {folder}.")
    return found[0]
