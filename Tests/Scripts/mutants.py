#!/usr/bin/env python3
"""mutants.py [OPTION...]: breaks conditions of the sources on purpose, one at a time, and tells which of these mutants no test notices.

All mutants are in one build of a copy of the tree (.build/mutants/tree); the variable BULLA_MUTANT chooses one. A run of each suite
without a mutant records which suites reach which mutants with a value that the mutant changes; then those suites run for each mutant,
short ones first, until a test fails. mutants/rules.py has the kinds of mutants, mutants/Mutant.swift what they do.

Results are kept (.build/mutants/results.jsonl) as long as the source of the mutant does not change, so that a run which was stopped goes
on where it was: use --fresh to begin anew, for tests may have changed, and --again to try the survivors once more after a test was
written. A mutant has a key that stays the same as long as its text does.

The exit status is 1 if the run is not valid: a test that noticed a mutant also fails without one. Survivors do not fail it."""
import argparse
import hashlib
import os
import re
import sys
import time

from mutants import build, fixture, report, suites, tree, trial

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# JOSEEntra is left out, because it sees what is public alone, and the switch between mutants is not.
MODULES = ("Sources/Core/JOSE", "Sources/Core/JOSETokens", "Sources/KeySets/JOSEKeySets", "Sources/Login/JOSERelyingParty",
           "Sources/Login/JOSEDigiD", "Sources/Login/JOSEItsme", "Sources/Login/JOSEMitID", "Sources/Login/JOSEZenKey")
# The suites of other modules, which reach no mutant, are not run. Those of the sandbox reach what those of the relying party reach, and
# take minutes for a mutant that none of them notices.
SUITES = r"^(?!JOSESupportTests|JOSECryptoTests|AppLinksTests|JOSESandboxTests)"
# What decides whether a token, a key, a key set or a login is accepted, other than parsers: each pattern must match a file. The first one
# is by the word with which the name ends, so that a new file of these kinds is included.
POLICY = (
    r"(Policy|Profile|Checks?|Verifier|Validator|Trust)(\+\w+)?\.swift$", r"/VerifierAdditions", r"/Prechecks", r"/JOSEHeader\+Parsing",
    r"/SignatureRequirement", r"/TypeRule", r"/(Verification|Decryption)Key\.swift$", r"/KeySelection", r"/CandidateKeys", r"/KeyBinding",
    r"/WeakModulus", r"/KeyCertificates", r"/CertifiedKeys", r"/CertificateRevocation", r"/JWEDecrypter\.swift$",
    r"/Claim(Run(\+\w+)?|Rule|Checker)\.swift$", r"/KeyConfirmation", r"/InMemoryReplayStore", r"/ClaimedIssuer", r"/IssuerTable",
    r"/KeySetReader", r"/CompromisedKeys", r"/RemovedExpirations",
    r"/TokenKind", r"/LocalPath", r"/RelyingParty\+UserInfo",
    r"JOSERelyingParty/Profile/", r"JOSERelyingParty/BackChannel/", r"/TokenReader", r"/CallbackParameters", r"/RelyingParty\+Complete",
    r"/RelyingParty\+Calls", r"/CallDeadline", r"/TokenRules\+Order",
    r"/RelyingParty\+BackChannelLogout", r"/RelyingParty\+ZenKeyHandover", r"/RefreshTicket", r"/ClientSigner", r"/DigiDSession",
    r"/MitID(Provider|Age|CPRMatch)\.swift$", r"/AltIDBackChannel\.swift$",
)


def layout():
    return tree.Layout(ROOT, MODULES, "Sources/Core/JOSESupport", POLICY)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--count", type=int, default=0, help="this many by random choice")
    parser.add_argument("--seed", default="15", help="of the random choice; the same one chooses the same mutants of the same text")
    parser.add_argument("--policy", action="store_true", help="all of the policy code")
    parser.add_argument("--all-of", action="append", default=[], metavar="PATTERN", help="all in files whose path matches")
    parser.add_argument("--only", action="append", default=[], metavar="KEY", help="one mutant, by its key or FILE:LINE")
    parser.add_argument("--within", metavar="PATTERN", default="", help="restricts --count to files whose path matches")
    parser.add_argument("--again", action="store_true", help="try survivors of earlier runs once more")
    parser.add_argument("--fresh", action="store_true", help="forget earlier results")
    parser.add_argument("--list", action="store_true", help="list what is chosen, and stop")
    parser.add_argument("--report", nargs="?", const=".build/MUTANTS.md", metavar="FILE", help="write the results to a file")
    parser.add_argument("--suites", metavar="PATTERN", default=SUITES,
                        help="use only suites whose names match, for a first look: with more of them, more mutants are killed")
    parser.add_argument("--minutes", type=float, default=0, help="begin no mutant after this time")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time")
    parser.add_argument("--self-check", action="store_true", help="run the tool on a package with known results")
    return parser.parse_args()


def wants(where):
    """Conditions that leave without an answer are mutated in policy code alone: elsewhere they choose between equal ways."""
    return lambda mutant: mutant.exit != "flow" or where.is_policy(mutant.path)


def choose(options, where, mutants):
    """The mutants to try: those that are named, and a sample of the others. A sample is by the hash of the key and the seed."""
    rank = lambda mutant: hashlib.sha256(f"{options.seed}|{mutant.key}".encode()).digest()
    real = [mutant for mutant in mutants if mutant.kind != "branch"]
    named = [mutant for mutant in real
             if options.policy and where.is_policy(mutant.path) or any(re.search(one, mutant.path) for one in options.all_of)
             or any(one == mutant.key or f"/{mutant.path}:{mutant.line}".endswith("/" + one) for one in options.only)]
    sample = sorted((mutant for mutant in real if mutant.exit in ("throw", "answer") and re.search(options.within, mutant.path)), key=rank)
    keys = {mutant.key for mutant in named} | {mutant.key for mutant in sample[:options.count]}
    return sorted((mutant for mutant in real if mutant.key in keys), key=rank)


def sampled(options, chosen):
    parts = [f"{options.count} by random choice (seed {options.seed})" if options.count else "",
             "all of the policy code" if options.policy else "", *[f"all of `{one}`" for one in options.all_of],
             *[f"`{one}`" for one in options.only]]
    return f"{len(chosen)} mutants: " + ", ".join(filter(None, parts))


def say(text):
    print(text, flush=True)


def attempt(options, chosen, coverage, tests, results):
    """Tries what has no result yet, and prints each survivor."""
    todo = [mutant for mutant in chosen if not results.of(mutant) or options.again and results.of(mutant) in trial.SURVIVED]
    end = time.monotonic() + options.minutes * 60 if options.minutes else None
    done = 0

    def one(mutant):
        if end and time.monotonic() > end:
            return None
        return results.add(mutant, *trial.trial(mutant, coverage, tests))

    for result in tests.each(one, todo):
        if result is None:
            continue
        done += 1
        if result["outcome"] not in ("killed", "no default"):
            say(f"{result['outcome']}: {result['key']} {result['path']}:{result['line']} {result['kind']}: {result['text']}")
        if done % 25 == 0:
            say(f"{done} of {len(todo)}")


def main():
    options = arguments()
    if options.self_check:
        sys.exit(fixture.check(ROOT, say))
    where = layout()
    os.makedirs(where.scratch, exist_ok=True)
    copy = tree.MutatedTree(where, wants(where))
    for pattern in POLICY:
        if not any(re.search(pattern, name) for name in copy.names if name.startswith(MODULES)):
            sys.exit(f"No file of policy code matches {pattern}: correct POLICY in Tests/Scripts/mutants.py.")
    if options.list:
        for mutant in choose(options, where, copy.mutants):
            say(f"{mutant.key} {mutant.path}:{mutant.line} {mutant.kind} {mutant.exit}: {mutant.text}")
        return
    build.build(copy, say)
    tests = suites.Tests(where, build.test_bundle(where), options.jobs, chosen=options.suites)
    coverage = suites.record(tests, where.file("coverage.json"), say)
    chosen = choose(options, where, copy.mutants)
    if options.fresh and os.path.exists(where.file("results.jsonl")):
        os.remove(where.file("results.jsonl"))
    results = trial.Results(where.file("results.jsonl"))
    say(f"{len(copy.mutants)} mutants in the build, {len(chosen)} chosen")
    attempt(options, chosen, coverage, tests, results)
    tried = [mutant for mutant in chosen if results.of(mutant)]
    outcomes = {mutant.key: results.of(mutant) for mutant in tried}
    branches = [mutant for mutant in copy.mutants if mutant.kind == "branch" and mutant.exit != "flow"]
    outcomes.update({mutant.key: trial.trial(mutant, coverage, tests)[0] for mutant in branches})
    written = report.Report(where, tried + branches, outcomes, copy.dropped, coverage, sampled(options, tried))
    say("\n".join(["", *written.table(), "", *written.survivors(), ""]))
    if options.report:
        written.write(os.path.join(ROOT, options.report))
    if unsure := trial.control(coverage, tests, say) if tests.noticed else []:
        sys.exit("These noticed a mutant, and fail without one as well: " + ", ".join(unsure))
    say(written.summary())


if __name__ == "__main__":
    main()
