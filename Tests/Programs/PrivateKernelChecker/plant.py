"""plant.py TOOLS PLACE SEED KEYS NUMBERS [NAME...]: plants the faults of planted.txt, or those whose names contain a NAME, in copies of
the kernels, one at a time, and runs the checks that must find each, with what build.py has built. KEYS has keys for the checker, and
NUMBERS the numbers of a key for the checker of secrets, which has no libcrypto. The checks must also pass without a fault. Fails where a
fault is not found, where the lines that it replaces are not in the source once, and where a check has no fault."""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

import build

# The form that each check is built in, and the part of the checker that it runs.
PARTS = {name: ("plain", name) for name in ("keys", "edges", "random", "oaep", "signatures", "processes", "traces")}
PARTS.update({name: ("faulty", name) for name in ("blinding", "faults")})
PARTS.update({"sanitized-edges": ("sanitized", "edges"), "sanitized-oaep": ("sanitized", "oaep")})
CHECKS = {**{name: form for name, (form, _) in PARTS.items()}, "memory": "memory", "memcheck": "words", "objects": "objects"}
SECONDS = 600


class Fault:
    def __init__(self, name):
        self.name, self.checks, self.file, self.old, self.new = name, {}, None, [], []

    @property
    def folder(self):
        return re.sub(r"\W+", "-", self.name)


def read_faults(path):
    faults = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("fault: "):
            faults.append(Fault(line[7:]))
        elif line.startswith("found by: "):
            faults[-1].checks = dict(re.findall(r'([\w-]+) "([^"]+)"', line))
        elif line.startswith("in: "):
            faults[-1].file = line[4:]
        elif line.startswith("-"):
            faults[-1].old.append(line[1:])
        elif line.startswith("+"):
            faults[-1].new.append(line[1:])
        elif line and not line.startswith("#"):
            raise SystemExit(f"{path}:{number}: unknown: {line}")
    for fault in faults:
        unknown = fault.checks.keys() - CHECKS.keys()
        if unknown or not fault.checks or not fault.file or not fault.old:
            raise SystemExit(f"{path}: {fault.name}: incomplete, or of another check: {sorted(unknown)}")
    missing = CHECKS.keys() - {check for fault in faults for check in fault.checks}
    if missing:
        raise SystemExit(f"{path}: no fault for the checks {sorted(missing)}")
    return faults


class Planter:
    def __init__(self, tools, place, seed, keys, numbers):
        self.real, self.seed, self.keys, self.numbers = build.Builder(tools, place), seed, keys, numbers
        self.folder = self.real.place / "planted"

    def plant(self, fault):
        """Copies the kernels with the fault, and returns a builder of the copy and the sources that change."""
        place = self.folder / fault.folder
        place.mkdir(parents=True)
        for name in (build.KERNELS, "CJOSEKernels"):
            shutil.copytree(self.real.shims / name, place / name)
        path, old = place / fault.file, "\n".join(fault.old)
        text = path.read_text(encoding="utf-8")
        if text.count(old) != 1:
            raise ValueError(f"its lines are in {fault.file} {text.count(old)} times")
        path.write_text(text.replace(old, "\n".join(fault.new)), encoding="utf-8")
        return build.Builder(self.real.tools, place, place), None if path.suffix == ".h" else path.name

    def program(self, fault, planted, changed, form):
        """Builds a form of which only the sources that changed are compiled again."""
        objects = []
        for source in planted.sources(form):
            is_kernel = source.is_relative_to(planted.shims)
            object_file = self.real.objects(form) / (source.stem + ".o")
            if is_kernel and changed in (None, source.name):
                object_file = planted.place / f"{form}-{source.stem}.o"
                # A fault may leave a variable unused.
                planted.compile(form, source, object_file, "-w")
            objects.append(object_file)
        out = planted.place / form
        self.real.link(form, objects, out)
        return out

    def command(self, check, program):
        """The command of a check, and what it reads."""
        if check in PARTS:
            return [program, "--part", PARTS[check][1], self.seed, self.keys], os.devnull
        valgrind = "valgrind --quiet --error-exitcode=9 --exit-on-first-error=yes".split() if check == "memcheck" else []
        return [*valgrind, program, "2048"], self.numbers

    def objects_command(self, builder, frame):
        name = builder.release_name(frame, "arithmetic")
        return [sys.executable, "-B", build.CHECKER / "objects.py", builder.tools / "llvm-objdump", name,
                self.real.release_name(frame, "leaks"), builder.shims / build.KERNELS / "src"]

    def run(self, command, path=os.devnull):
        with open(path, encoding="utf-8") as numbers:
            done = subprocess.run(command, stdin=numbers, capture_output=True, timeout=SECONDS)
        return done.returncode, (done.stdout + done.stderr).decode(errors="replace")

    def check(self, fault, check, planted, changed):
        if CHECKS[check] == "objects":
            frame = build.FRAMES[0]
            source = planted.shims / build.KERNELS / "src/private_arithmetic.c"
            planted.release(frame, source, planted.release_name(frame, "arithmetic"), "-w")
            return self.run(self.objects_command(planted, frame))
        return self.run(*self.command(check, self.program(fault, planted, changed, CHECKS[check])))

    def find(self, fault):
        """Returns what went wrong, or None."""
        try:
            planted, changed = self.plant(fault)
            for check, expected in fault.checks.items():
                status, output = self.check(fault, check, planted, changed)
                if status == 0:
                    return f"{check} does not find it:\n{output}"
                if not re.search(expected, output):
                    return f"{check} finds something else, and not {expected}:\n{output}"
        except (ValueError, OSError, subprocess.TimeoutExpired, SystemExit) as error:
            return str(error)
        shutil.rmtree(planted.place)
        return None

    def control(self, check):
        """Returns what a check finds in kernels without a fault, or None."""
        if CHECKS[check] == "objects":
            command = self.objects_command(self.real, build.FRAMES[0]), os.devnull
        else:
            command = self.command(check, self.real.place / CHECKS[check])
        status, output = self.run(*command)
        return None if status == 0 else output


def main(tools, place, seed, keys, numbers, *only):
    faults = read_faults(build.CHECKER / "planted.txt")
    if only:
        faults = [fault for fault in faults if any(each in fault.name for each in only)]
    if not faults:
        print("No planted fault has such a name.")
        return 1
    planter = Planter(tools, place, seed, keys, numbers)
    shutil.rmtree(planter.folder, ignore_errors=True)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        # Where all are planted, the script has just run memcheck, which takes the longest, with the same program.
        controls = [check for check in CHECKS if only or check != "memcheck"]
        for check, wrong in zip(controls, pool.map(planter.control, controls)):
            if wrong is not None:
                print(f"{check} fails without a fault:\n{wrong}")
                failed += 1
        for fault, wrong in zip(faults, pool.map(planter.find, faults)):
            if wrong is None:
                print(f"found: {fault.name} ({', '.join(fault.checks)})", flush=True)
            else:
                print(f"A planted fault was not found: {fault.name}: {wrong}", flush=True)
                failed += 1
    if failed == 0:
        print(f"planted: {len(faults)} faults, each found by its checks, which pass without it")
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
