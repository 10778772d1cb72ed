"""The trial of one mutant: whether the tests that reach it notice it."""
import json
import os
import threading

# The outcomes that count as noticed, and those that count as not noticed.
KILLED = ("killed", "crashed", "time limit")
SURVIVED = ("survived", "value never changed", "never reached")
# The first process runs tests of about this many seconds, and each further one three times as many.
FIRST = 1.5


def batches(units, seconds):
    """Groups of units for one process each: short ones first, so that most mutants are noticed in one short process."""
    group, total, most = [], 0.0, FIRST
    for unit in units:
        if group and total + seconds[unit] > most:
            yield group, total
            group, total, most = [], 0.0, most * 3
        group.append(unit)
        total += seconds[unit]
    if group:
        yield group, total


def trial(mutant, coverage, tests):
    """The outcome, the unit or line that noticed it, and the seconds that the trial took."""
    units = coverage.units(mutant.number)
    if mutant.kind == "branch":
        return ("killed" if units else "never reached"), "", 0.0
    if not units:
        if mutant.number in coverage.bare:
            return "no default", "", 0.0
        return ("value never changed" if mutant.number in coverage.reached else "never reached"), "", 0.0
    spent = 0.0
    for group, seconds in batches(units, coverage.seconds):
        outcome, took, line = tests.run(group, tests.least + 10 * seconds, mutant=mutant.number)
        spent += took
        if outcome != "passed":
            tests.noticed.update(group)
            return ("killed" if outcome == "failed" else outcome), line or group[0], spent
    return "survived", f"{len(units)} suites", spent


def control(coverage, tests, say):
    """Runs without a mutant all units that noticed one. Returns those that fail, so that what they noticed is not certain."""
    units = sorted(tests.noticed)
    say(f"running {len(units)} suites and tests that noticed a mutant once more, without one")
    runs = tests.each(lambda unit: tests.run([unit], tests.least + 10 * coverage.seconds[unit])[0], units)
    return [unit for unit, outcome in zip(units, runs) if outcome != "passed"]


class Results:
    """Outcomes by the key of the mutant, in a file to which each is appended, so that a run that was stopped goes on where it was. One
    counts as long as the source of the mutant stays as it was."""

    def __init__(self, path):
        self.path, self.found, self.lock = path, {}, threading.Lock()
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                for line in file:
                    if line.endswith("\n"):
                        result = json.loads(line)
                        self.found[result["key"]] = result

    def of(self, mutant):
        result = self.found.get(mutant.key)
        return result["outcome"] if result and result["source"] == mutant.source else None

    def add(self, mutant, outcome, by, seconds):
        result = {"key": mutant.key, "source": mutant.source, "outcome": outcome, "by": by,
                  "seconds": round(seconds, 1), "path": mutant.path, "line": mutant.line, "kind": mutant.kind, "text": mutant.text}
        with self.lock:
            self.found[mutant.key] = result
            with open(self.path, "a", encoding="utf-8") as file:
                file.write(json.dumps(result) + "\n")
        return result
