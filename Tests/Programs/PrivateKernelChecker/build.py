"""build.py TOOLS PLACE FORM...: builds forms of the checker and of the kernels, with the compiler in TOOLS, into PLACE.

Each form is a program PLACE/FORM, whose objects are in PLACE/FORM.objects, except `objects`: the arithmetic as a release build
compiles it, whose options for hardening are in the variable HARDENING, and leaks.c, each with and without a frame pointer."""
import concurrent.futures
import glob
import os
import pathlib
import subprocess
import sys

CHECKER = pathlib.Path("Tests/Programs/PrivateKernelChecker")
KERNELS = "CJOSEPrivateKernels"
DICE = pathlib.Path("Tests/Programs/KernelChecker/dice.c")
COMMON = "-std=gnu17 -Wall -Wextra -Werror -DCJOSE_ACCELERATED"
SANITIZERS = "-fsanitize=address,undefined"
# Functions between which the linker puts those of hooks.c.
WRAPPED = "-Wl," + ",".join(f"--wrap={name}" for name in (
    "private_random", "private_digits", "private_power_of_libcrypto", "munmap"))
MARKED = "-gdwarf-4 -DCJOSE_MARKED_MEMORY"


class Form:
    def __init__(self, options, link="", arithmetic="", is_marked=False):
        self.options, self.link, self.arithmetic, self.is_marked = options, link, arithmetic, is_marked


FORMS = {
    "plain": Form("-O2"),
    # With the places in a pass where a fault can be injected.
    "faulty": Form("-O2 -DCJOSE_PRIVATE_FAULTS"),
    # Checks of each pointer of the unrolled arithmetic would take most of the time.
    "sanitized": Form(f"-g -O1 {SANITIZERS} -fno-sanitize-recover=all -DCJOSE_PRIVATE_FAULTS", SANITIZERS,
                      "-fno-sanitize=pointer-overflow,null,alignment,object-size"),
    # With secrets marked, and without libcrypto: for MemorySanitizer and, without vector instructions, for valgrind.
    "memory": Form(f"-O2 -fsanitize=memory -fno-sanitize-memory-param-retval {MARKED}", "-fsanitize=memory", is_marked=True),
    "words": Form(f"-O2 -DCJOSE_LANES_OF_WORDS {MARKED}", is_marked=True),
}
FRAMES = ("-fomit-frame-pointer", "-fno-omit-frame-pointer")


class Builder:
    """Compiles with the sources of the kernels in the folder `shims`."""

    def __init__(self, tools, place, shims="CShims"):
        self.tools, self.place, self.shims = pathlib.Path(tools), pathlib.Path(place), pathlib.Path(shims)

    def run(self, command):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(" ".join(map(str, command)) + "\n" + done.stdout + done.stderr)

    def clang(self, *options):
        self.run([self.tools / "clang", *(part for each in options for part in str(each).split())])

    def includes(self):
        return f"-I{self.shims}/{KERNELS}/include -I{self.shims}/CJOSEKernels/include -I{self.shims}/CJOSEKernels/src"

    def objects(self, form):
        return self.place / f"{form}.objects"

    def sources(self, form):
        """The sources of a form, except those of the public kernels, which compute inputs whose results are known."""
        kernels = sorted((self.shims / KERNELS / "src").glob("*.c"))
        if not FORMS[form].is_marked:
            return [*kernels, *sorted(CHECKER.glob("*.c")), DICE]
        without = ("private_libcrypto.c", "private_sign.c")
        return [*(each for each in kernels if each.name not in without), *sorted((CHECKER / "Secrets").glob("*.c")), DICE]

    def compile(self, form, source, out, more=""):
        is_arithmetic = source.name == "private_arithmetic.c"
        self.clang(COMMON, self.includes(), FORMS[form].options, FORMS[form].arithmetic if is_arithmetic else "", more,
                   "-c", source, "-o", out)

    def link(self, form, objects, out):
        libraries = ""
        if not FORMS[form].is_marked:
            objects = [*objects, *sorted(self.public().glob("*.o"))]
            libraries = WRAPPED + " " + subprocess.run(
                ["pkg-config", "--libs", "libcrypto"], check=True, capture_output=True, text=True).stdout + " -lm"
        self.clang(FORMS[form].link, *objects, libraries, "-lpthread", "-o", out)

    def public(self):
        return self.place / "public"

    def public_sources(self):
        """The public kernels' own checker is kernels.sh."""
        found = [each for name in ("rsa_*.c", "sha2_ifma.c", "kernel_form.c") for each in glob.glob(f"CShims/CJOSEKernels/src/{name}")]
        return [pathlib.Path(each) for each in sorted(found)]

    def compile_public(self, source):
        self.clang(COMMON, self.includes(), "-O2 -c", source, "-o", self.public() / (source.stem + ".o"))

    def release(self, frame, source, out, more=""):
        """Compiles as SwiftPM's release build does, with the options by which it is hardened."""
        self.clang("-target x86_64-unknown-linux-gnu -O2 -DSWIFT_PACKAGE=1 -fblocks -DCJOSE_ACCELERATED -Wall -Werror -fPIC -g",
                   self.includes(), f"-I{self.shims}/{KERNELS}/src", frame, os.environ["HARDENING"], more, "-c", source, "-o", out)

    def release_name(self, frame, stem):
        return self.place / f"{stem}{frame}.o"


def build(builder, forms):
    """Compiles all sources of the forms beside each other, then links."""
    builder.public().mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        waiting = []
        for form in forms:
            if form == "objects":
                arithmetic = builder.shims / KERNELS / "src/private_arithmetic.c"
                for frame in FRAMES:
                    waiting.append(pool.submit(builder.release, frame, arithmetic, builder.release_name(frame, "arithmetic")))
                    waiting.append(pool.submit(
                        builder.release, frame, CHECKER / "Secrets/leaks.c", builder.release_name(frame, "leaks"), "-fno-stack-protector"))
                continue
            builder.objects(form).mkdir(parents=True, exist_ok=True)
            # What takes longest begins first.
            for source in sorted(builder.sources(form), key=lambda each: each.name != "private_arithmetic.c"):
                waiting.append(pool.submit(builder.compile, form, source, builder.objects(form) / (source.stem + ".o")))
        if any(form != "objects" and not FORMS[form].is_marked for form in forms):
            waiting += [pool.submit(builder.compile_public, source) for source in builder.public_sources()]
        for each in waiting:
            each.result()
        programs = [form for form in forms if form != "objects"]
        for each in [pool.submit(builder.link, form, [builder.objects(form) / (source.stem + ".o") for source in builder.sources(form)],
                                 builder.place / form) for form in programs]:
            each.result()


if __name__ == "__main__":
    build(Builder(*sys.argv[1:3]), sys.argv[3:])
