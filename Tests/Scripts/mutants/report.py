"""The summary of all results, and .build/MUTANTS.md."""
import datetime
import os
import subprocess

from .tree import read, write
from .trial import KILLED, SURVIVED

KINDS = {
    "skip": "a check is skipped", "boundary": "equal values are treated the other way", "default": "a missing value is replaced by an empty one",
    "reject": "a value that is there counts as missing", "pattern": "a guard without a binding is skipped", "case": "a case that throws does not match",
    "operand": "an operand of a returned value is fixed",
}
EXPLAINED = "Tests/mutants-explained.txt"


def explanations(path):
    """Reasons why survivors may survive: lines of a key, a space and the reason. Lines with `#` are comments."""
    if not os.path.exists(path):
        return {}
    lines = [line.strip() for line in read(path).split("\n") if line.strip() and not line.startswith("#")]
    return dict(line.split(" ", 1) for line in lines)


class Row:
    """Counts of one group of mutants. Those that cannot have a default value are no mutants, so they are not counted."""

    def __init__(self, pairs, explained):
        outcomes = [outcome for _, outcome in pairs if outcome != "no default"]
        self.count = len(outcomes)
        self.killed = sum(outcome in KILLED for outcome in outcomes)
        self.crashed, self.late = outcomes.count("crashed"), outcomes.count("time limit")
        self.survived = [mutant for mutant, outcome in pairs if outcome in SURVIVED]
        self.explained = sum(mutant.key in explained for mutant in self.survived)

    @property
    def percent(self):
        return 100.0 * self.killed / self.count if self.count else 100.0

    @property
    def percent_with_explained(self):
        return 100.0 * (self.killed + self.explained) / self.count if self.count else 100.0

    def cells(self, name):
        open_ones = len(self.survived) - self.explained
        return (f"| {name} | {self.count} | {self.killed} | {self.crashed} | {self.late} | {self.explained} | {open_ones} "
                f"| {self.percent:.1f} % | {self.percent_with_explained:.1f} % |")


class Report:
    def __init__(self, layout, mutants, outcomes, dropped, coverage, sample):
        """`mutants` are those that were tried, with their outcomes by key; `sample` says how they were chosen."""
        self.layout, self.outcomes, self.dropped, self.coverage, self.sample = layout, outcomes, dropped, coverage, sample
        self.mutants = [mutant for mutant in mutants if mutant.kind != "branch"]
        self.branches = [mutant for mutant in mutants if mutant.kind == "branch"]
        self.explained = explanations(os.path.join(layout.root, EXPLAINED))

    def row(self, chosen):
        return Row([(mutant, self.outcomes[mutant.key]) for mutant in self.mutants if chosen(mutant)], self.explained)

    def table(self):
        rows = ["| mutants | tried | killed | of these by a crash | by the time limit | survivors explained | others | killed | with explained |",
                "|---|---|---|---|---|---|---|---|---|", self.row(lambda mutant: True).cells("all")]
        groups = [("policy code", lambda mutant: self.layout.is_policy(mutant.path))]
        groups += [(os.path.basename(module), lambda mutant, module=module: mutant.path.startswith(module + "/")) for module in self.layout.modules]
        groups += [(f"{kind}: {text}", lambda mutant, kind=kind: mutant.kind == kind) for kind, text in KINDS.items()]
        for name, chosen in groups:
            row = self.row(chosen)
            if row.count:
                rows.append(row.cells(name))
        return rows

    def survivors(self):
        lines = []
        for mutant in self.row(lambda mutant: True).survived:
            reason = self.explained.get(mutant.key)
            text = f"`{mutant.key}` `{mutant.path}:{mutant.line}` {mutant.kind} ({mutant.exit}), {self.outcomes[mutant.key]}: `{mutant.text}`"
            lines.append(f"- {text}" + (f". Explained: {reason}" if reason else ""))
        return lines

    def summary(self):
        row = self.row(lambda mutant: True)
        return (f"{row.killed} of {row.count} mutants killed ({row.percent:.1f} %), {row.explained} survivors explained, "
                f"{len(row.survived) - row.explained} others")

    def branch_lines(self):
        missed = [mutant for mutant in self.branches if self.outcomes.get(mutant.key) == "never reached"]
        lines = [f"Of {len(self.branches)} branches for a value that is missing or of another form, tests reach "
                 f"{len(self.branches) - len(missed)}. The others:"]
        return lines + [f"- `{mutant.path}:{mutant.line}`: `{mutant.text}`" for mutant in missed]

    def text(self):
        git = lambda *arguments: subprocess.run(["git", *arguments], cwd=self.layout.root, capture_output=True, text=True).stdout.strip()
        changed = " with changes" if git("status", "--porcelain", "--", *self.layout.modules) else ""
        policy = sorted({mutant.path for mutant in self.mutants if self.layout.is_policy(mutant.path)})
        reasons = {}
        for message in self.dropped.values():
            reasons[message] = reasons.get(message, 0) + 1
        lines = [
            "# Mutants", "",
            "Conditions of the sources are broken on purpose, and the tests run: a mutant that no test notices survives. `make mutants` writes",
            "this file. `Tests/Scripts/mutants/rules.py` says which conditions are broken, and how. The policy code is the files of the last section.", "",
            f"{datetime.date.today().isoformat()}, revision `{git('rev-parse', '--short', 'HEAD')}`{changed}. {self.sample}.", "",
            f"**{self.summary()}.** {len(self.dropped)} mutants of the build do not compile and were dropped. "
            f"{sum(outcome == 'no default' for outcome in self.outcomes.values())} defaults have no empty value of their type, and are not counted.", "",
            *self.table(), "", "## Survivors", "", *(self.survivors() or ["None."]), "", "## Branches", "", *self.branch_lines(), "",
            "## Suites not used", "",
            *([f"- `{unit}`" for unit in self.coverage.excluded] or ["None: every suite passes without a mutant."]), "",
            "## Policy code", "", *[f"- `{path}`" for path in policy], "",
        ]
        return "\n".join(lines)

    def write(self, path):
        write(path, self.text())
