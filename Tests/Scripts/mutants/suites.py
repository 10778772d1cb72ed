"""Runs of tests: which tests reach which mutants, and whether tests notice one."""
import json
import os
import re
import selectors
import shutil
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from queue import Queue

from .tree import read, write

FAILED = re.compile(rb"\xe2\x9c\x98.*Test ")
# A suite that takes longer than this many seconds is divided into its tests.
LONG = 4.0


class Tests:
    """The test program. Up to `jobs` processes run at a time, each with a folder of its own for temporary files. With a mutant one is
    given ten times its usual time and `least` seconds besides. Only suites that match `chosen` are used."""

    def __init__(self, layout, bundle, jobs, least=20, chosen=""):
        self.layout, self.bundle, self.jobs, self.least, self.chosen = layout, bundle, jobs, least, chosen
        self.noticed = set()
        self.slots = Queue()
        for slot in range(jobs):
            self.slots.put(slot)

    def names(self):
        """The tests of each suite, as the test program lists them."""
        listed = subprocess.run([self.bundle, "--testing-library", "swift-testing", "--list-tests"], check=True, cwd=self.layout.tree,
                                capture_output=True, text=True).stdout.split("\n")
        suites = {}
        for name in listed:
            if not name or not re.search(self.chosen, name):
                continue
            suites.setdefault(name.rsplit("/", 1)[0] if "/" in name else name, []).append(name)
        return suites

    @staticmethod
    def pattern(unit):
        """A filter for one suite or one test. What follows a test is the place of its source."""
        return f"^{re.escape(unit)}" + ("$|" + f"^{re.escape(unit)}/" if "(" in unit else "/")

    def run(self, units, limit, mutant=None, trace=None):
        """Runs suites or tests until one fails. Returns how that ended (passed, failed, crashed, time limit), the seconds, and the line
        that told of the failure."""
        slot = self.slots.get()
        folder = self.layout.file(f"temporary/{slot}")
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        environment = {name: value for name, value in os.environ.items() if not name.startswith("BULLA_MUTANT") and name != "CI"}
        environment.update(TMPDIR=folder, SWIFT_BACKTRACE="enable=no")
        if mutant:
            environment["BULLA_MUTANT"] = str(mutant)
        if trace:
            environment["BULLA_MUTANT_TRACE"] = trace
        arguments = [self.bundle, "--testing-library", "swift-testing", "--no-parallel"]
        for unit in units:
            arguments += ["--filter", self.pattern(unit)]
        begun = time.monotonic()
        process = subprocess.Popen(arguments, cwd=self.layout.tree, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, start_new_session=True)
        try:
            outcome, line = self.watch(process, begun + limit)
        finally:
            # Programs that tests started are in the session too.
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
            process.stdout.close()
            self.slots.put(slot)
        return outcome, time.monotonic() - begun, line

    @staticmethod
    def watch(process, end):
        """Reads what the tests print until one fails, they end, or the time is over."""
        rest, closed = b"", False
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while not closed:
                left = end - time.monotonic()
                if left <= 0:
                    return "time limit", ""
                if not selector.select(min(left, 1)):
                    # A program that a test left behind may hold the output open.
                    if process.poll() is None:
                        continue
                    break
                chunk = os.read(process.stdout.fileno(), 1 << 16)
                closed = not chunk
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    if FAILED.search(line):
                        text = re.sub(r"\x1b\[[0-9;]*m", "", line.decode(errors="replace"))
                        return "failed", text.strip()[:200]
        status = process.wait()
        if status < 0:
            return "crashed", f"signal {-status}"
        return ("passed" if status == 0 else "failed"), ""

    def each(self, function, things):
        """Calls the function for each thing, as many at a time as there are jobs, and yields the results as they come."""
        with ThreadPoolExecutor(self.jobs) as pool:
            yield from pool.map(function, things)


def fingerprint(bundle):
    state = os.stat(bundle)
    return f"{state.st_size} {state.st_mtime_ns}"


class Coverage:
    """Which units (suites, and tests of long suites) reach a mutant with a value that it changes, and how long each takes."""

    def __init__(self):
        self.seconds, self.changed, self.reached, self.bare, self.excluded = {}, {}, {}, set(), []

    def units(self, number):
        return sorted(self.changed.get(number, ()), key=lambda unit: (self.seconds[unit], unit))

    def note(self, unit, seconds, file):
        self.seconds[unit] = round(seconds, 3)
        if not os.path.exists(file):
            return
        for line in set(read(file).split("\n")):
            number, _, letter = line.partition(" ")
            if letter == "d":
                self.changed.setdefault(int(number), []).append(unit)
            elif letter == "r":
                self.reached.setdefault(int(number), []).append(unit)
            elif letter == "n":
                self.bare.add(int(number))

    def store(self, path, name):
        write(path, json.dumps({
            "name": name, "seconds": self.seconds, "changed": self.changed, "reached": self.reached, "bare": sorted(self.bare),
            "excluded": self.excluded,
        }))

    @staticmethod
    def load(path, name):
        if not os.path.exists(path):
            return None
        stored = json.loads(read(path))
        if stored["name"] != name:
            return None
        coverage = Coverage()
        coverage.seconds, coverage.bare, coverage.excluded = stored["seconds"], set(stored["bare"]), stored["excluded"]
        coverage.changed = {int(number): units for number, units in stored["changed"].items()}
        coverage.reached = {int(number): units for number, units in stored["reached"].items()}
        return coverage


def record(tests, path, say, limit=300):
    """Runs every suite once without a mutant, which is also the positive control: one that fails is used for nothing, and named."""
    name = f"{fingerprint(tests.bundle)} {tests.chosen}"
    if stored := Coverage.load(path, name):
        return stored
    coverage, suites = Coverage(), tests.names()
    folder = tests.layout.file("traces")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)

    def one(numbered):
        number, unit = numbered
        file = os.path.join(folder, str(number))
        return unit, file, *tests.run([unit], limit, trace=file)

    def all_of(units, first):
        divided = []
        for unit, file, outcome, seconds, line in tests.each(one, enumerate(units, first)):
            if outcome != "passed":
                # Many checks at a time may exceed the limits of a test that measures time: a failure counts if it is repeated.
                if os.path.exists(file):
                    os.remove(file)
                outcome, seconds, line = tests.run([unit], limit, trace=file)
            if outcome != "passed":
                coverage.excluded.append(unit)
                say(f"not used, because it fails without a mutant: {unit}: {outcome} {line}")
            elif seconds > LONG and len(suites.get(unit, ())) > 1:
                divided += suites[unit]
            else:
                coverage.note(unit, seconds, file)
        return divided

    begun = time.monotonic()
    say(f"recording which of {len(suites)} suites reach which mutants")
    divided = all_of(sorted(suites), 0)
    all_of(divided, len(suites))
    say(f"recorded in {time.monotonic() - begun:.0f} s; {len(divided)} tests of long suites one at a time")
    coverage.store(path, name)
    return coverage
