"""Bulla beside other libraries, in one run. `make bench-peers` starts this; --help has the options."""
import argparse
import json
import os
import platform
import re
import subprocess
import sys
import time

from chart import chart
from install import MAKER, ROOT, has_wheel, install
from libraries import HERE, LIBRARIES, Place
from measure import check, rounds, start
from readme import rewrite
from table import chosen_table, tabs, whole

QUICK = "openssl,bulla,cjose"


def options(arguments):
    parser = argparse.ArgumentParser(prog="make bench-peers ARGS='…'", description=__doc__)
    parser.add_argument("--seconds", type=float, default=0.15, help="of one library in one round (%(default)s)")
    parser.add_argument("--rounds", type=int, default=7, help="%(default)s, and one before them that does not count")
    parser.add_argument("--only", metavar="ID,ID", help="of these libraries: " + ", ".join(library.id for library in LIBRARIES))
    parser.add_argument("--operations", metavar="TEXT", default="", help="those whose name holds the text, as verify/ or RS256")
    parser.add_argument("--quick", action="store_true", help="some seconds: three libraries, RS256 and ES256, two short rounds")
    parser.add_argument("--readme", action="store_true", help="rewrite the table in README.md, Benchmarks/peers.md and .svg")
    parser.add_argument("--core", type=int, default=max(available()), help="to keep them all on (%(default)s)")
    parser.add_argument("--no-install", action="store_true", help="take what is there")
    parser.add_argument("--bench", required=True, help="the command that is Bulla's harness")
    parser.add_argument("--out", required=True, help="folder for what is built and written")
    chosen = parser.parse_args(arguments)
    if chosen.readme and (chosen.quick or chosen.only or chosen.operations):
        parser.error("the README's table is of all libraries and operations")
    if chosen.readme and not os.environ.get("BULLA_PACKAGES"):
        parser.error("the README's table has rows of Swift libraries: set BULLA_PACKAGES to the folder of their git repositories")
    if chosen.quick:
        chosen.seconds, chosen.rounds, chosen.only = 0.02, 2, chosen.only or QUICK
        chosen.operations = chosen.operations or "verify/"
    return chosen


def available():
    return os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else {0}


def note(text):
    print(text, file=sys.stderr, flush=True)


def progress(text):
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def processor():
    """Families tell generations apart whose names are the same: 25 is AMD's Zen 3 and 4, 26 is Zen 5."""
    try:
        with open("/proc/cpuinfo") as file:
            about = dict(re.split(r"\s*:\s*", line.strip(), maxsplit=1) for line in file.read().split("\n\n")[0].split("\n") if ":" in line)
        return f"{about['model name']}, family {about['cpu family']}, model {about['model']}"
    except (OSError, KeyError):
        return platform.processor() or platform.machine()


def chosen_libraries(only):
    if not only:
        return LIBRARIES
    known = {library.id: library for library in LIBRARIES}
    unknown = [name for name in only.split(",") if name not in known]
    if unknown:
        sys.exit(f"no such library: {', '.join(unknown)}; there are {', '.join(known)}")
    return [library for library in LIBRARIES if library.id in only.split(",")]


def fixtures(out):
    """Made anew each time: two of the broken tokens are broken by their time."""
    folder = os.path.join(out, "fixtures")
    subprocess.run([sys.executable, os.path.join(HERE, "fixtures.py"), folder], check=True)
    with open(os.path.join(folder, "operations")) as file:
        return folder, file.read().split()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main(arguments):
    chosen = options(arguments)
    os.makedirs(chosen.out, exist_ok=True)
    libraries = chosen_libraries(chosen.only)
    if not chosen.no_install:
        libraries = install(libraries, note)
    if not has_wheel(MAKER):
        sys.exit(f"{MAKER} makes the tokens, and could not be had")
    folder, operations = fixtures(chosen.out)
    from made import MadeTokens  # jwcrypto is there by now
    with open(os.path.join(chosen.out, "harnesses.log"), "w") as log:
        harnesses = start(libraries, Place(chosen.out, chosen.bench), folder, chosen.core, log, note)
        for harness in harnesses:
            check(harness, MadeTokens(folder), note)
        begun = time.time()
        wanted = [operation for operation in operations if chosen.operations in operation]
        results = rounds(harnesses, wanted, chosen.seconds, chosen.rounds, note, progress)
        for harness in harnesses:
            harness.close()
    progress("")
    if not results.measured():
        sys.exit("nothing could be measured")
    publish(results, chosen, time.time() - begun)
    return 1 if any(harness.accepted for harness in harnesses) else 0


def publish(results, chosen, taken):
    caption = f"{processor()}; median of {chosen.rounds} rounds of {chosen.seconds} s, all in one run"
    picture = chart(results, caption)
    said = {"processor": processor(), "system": platform.platform(), "seconds": chosen.seconds, "rounds": chosen.rounds}
    document = f"# Libraries side by side\n\nOperations a second on one core. {caption}. `make bench-peers` makes these tables.\n\n{whole(results)}"
    for ending, text in (("md", document), ("svg", picture), ("tsv", tabs(results)),
                         ("json", json.dumps(results.as_json(**said), indent=1, ensure_ascii=False) + "\n")):
        write(os.path.join(chosen.out, "peers." + ending), text)
    print(whole(results))
    print(f"{taken:.0f} s of measuring. Also as {chosen.out}/peers.md, .json, .tsv and .svg.")
    if chosen.readme:
        write(os.path.join(ROOT, "Benchmarks/peers.md"), document)
        write(os.path.join(ROOT, "Benchmarks/peers.svg"), picture)
        rewrite(os.path.join(ROOT, "README.md"), chosen_table(results, processor()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
