#!/usr/bin/env python3
"""linear.py [PREFIX...]: tests that the work of parsers grows in proportion to their input.

A shape is a kind of input that repeats one thing, together with the parser that reads it. The shapes of the library are in
Tests/Programs/LinearWork, those of the command in COMMANDS below. With prefixes only shapes whose names begin with one of them are run;
the two controls are run always.

callgrind counts the instructions that the parser takes for n, 2n and 4n things. The growth of a shape is

    (count at 4n - count at 2n) / (count at 2n - count at n)

which is 2 for linear work and 4 for quadratic work, and counts as 0 if its numerator is next to nothing. More than MOST is a
failure. For a bounded shape the growth is printed and not compared: its parser must accept 4n things and reject 8n, so that its work is
bounded whatever the growth.

These are failures too, so that no check can vanish:
- control.quadratic, whose work is quadratic, grows by no more than MOST, or control.linear by more;
- a shape is accepted that is to be rejected, or rejected that is to be accepted;
- a shape that LinearWork or COMMANDS lists is not counted three times, two shapes have one name, or no shape has a given prefix;
- LinearWork or the command cannot be run."""
import concurrent.futures, glob, json, os, re, subprocess, sys, tempfile

MOST = 2.25
CONTROLS = ("control.linear", "control.quadratic")
PROGRAMS = os.environ.get("BULLA_PROGRAMS", ".build/debug")


class Shape:
    """A shape of the command: its arguments, the text of its input for n things, and the exit status that is expected. The input is in
    the file that is the argument FILE, or is read from standard input."""

    def __init__(self, name, count, arguments, status, text):
        self.name, self.count, self.arguments, self.status, self.text = name, count, arguments, status, text


SPKI = """-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
-----END PUBLIC KEY-----
"""
INSPECT = ["key", "inspect", "FILE"]


def path_shape(name, count, status, path):
    """A shape of the reader of paths in `bulla serve`: one policy is for the path, which no limit for the heads of requests shortens."""
    issuer = {"iss": "a", "aud": "b", "alg": ["EdDSA"], "keys": "keys.pem"}
    return Shape(f"command.path with {name}", count, ["serve", "--check", "FILE"], status, lambda n: json.dumps(
        {"listen": ["127.0.0.1:0"], "issuers": {"main": issuer}, "policies": [{"path": path(n), "public": True}]}))


COMMANDS = [
    Shape("command.keys of a PEM file", 32, INSPECT, 0, lambda n: n * SPKI),
    Shape("command.PEM blocks of parameters", 128, INSPECT, 0,
          lambda n: n * "-----BEGIN EC PARAMETERS-----\nAA==\n-----END EC PARAMETERS-----\n" + SPKI),
    Shape("command.PEM blocks of another label", 128, INSPECT, 2,
          lambda n: n * "-----BEGIN A-----\nAA==\n-----END A-----\n" + SPKI),
    Shape("command.PEM blocks that do not end", 256, INSPECT, 2, lambda n: n * "-----BEGIN A-----\n"),
    Shape("command.text between PEM blocks", 128, INSPECT, 0, lambda n: SPKI + n * "- text\n" + SPKI),
    Shape("command.dashes between PEM blocks", 128, INSPECT, 0, lambda n: SPKI + n * "------------\n" + SPKI),
    Shape("command.lines to verify", 64, ["verify", "--jobs", "1", "--keys", "KEYS", "--alg", "EdDSA", "--any-issuer",
                                          "--any-audience"], 1, lambda n: n * "a.b.c\n"),
    Shape("command.requests to check", 64, ["check", "--jobs", "1"], 0,
          lambda n: n * '{"n":1,"op":"jwk-parse","token":"{}","options":{}}\n'),
    path_shape("segments", 128, 0, lambda n: n * "/a"),
    path_shape("segments beyond ASCII", 128, 0, lambda n: n * "/\u00e9"),
    path_shape("characters that become several", 128, 0, lambda n: "/" + n * "\ufb03"),
    path_shape("marks that are removed", 128, 0, lambda n: "/a" + n * "\u0301"),
    path_shape("dots at the end of a segment", 128, 0, lambda n: "/a" + n * "."),
    path_shape("dots in a segment", 128, 0, lambda n: "/" + n * "." + "a"),
    path_shape("path parameters", 128, 2, lambda n: "/a" + n * ";"),
    path_shape("segments that compatible slashes make", 128, 2, lambda n: "/a" + n * "\uff0fa"),
    path_shape("percent signs to decode again", 128, 2, lambda n: "/a" + n * "%25x"),
    path_shape("empty segments after a blank", 128, 2, lambda n: "/a" + n * "/%20"),
]


def callgrind(folder, name, *command, stdin=None):
    """Runs the command under callgrind, and returns its exit status and the files that it wrote."""
    out = f"{folder}/{name}"
    environment = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    # Each run has the same hashes and the same work of the allocator.
    environment |= {"SWIFT_DETERMINISTIC_HASHING": "1", "GLIBC_TUNABLES": "glibc.malloc.tcache_count=4096"}
    done = subprocess.run(["valgrind", "--tool=callgrind", "--quiet", f"--callgrind-out-file={out}", *command],
                          env=environment, stdin=stdin or subprocess.DEVNULL, capture_output=True, text=True)
    return done, sorted(glob.glob(glob.escape(out) + "*"))


def total(text):
    found = re.findall(r"^(?:totals|summary): (\d+)", text, re.M)
    return int(found[-1]) if found else None


def listed(program):
    """Returns the names of all shapes of Tests/Programs/LinearWork."""
    done = subprocess.run([program, "list"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"LinearWork list failed ({done.returncode}):\n{done.stderr[-4000:]}")
    return done.stdout.splitlines()


def library(folder, program, certificate, prefixes):
    """Counts shapes of Tests/Programs/LinearWork. Returns for each name n, the three counts (None for one that is missing), whether each
    outcome was as expected, and whether the shape is bounded."""
    done, files = callgrind(folder, "library", "--instr-atstart=no", program, "count", certificate, *prefixes)
    if done.returncode != 0:
        sys.exit(f"LinearWork failed ({done.returncode}):\n{done.stderr[-4000:]}")
    found = {}
    for file in files:
        with open(file) as opened:
            text = opened.read()
        title = re.search(r"^desc: Trigger: Client Request: (.*) (\d+) (\d+) (free|bounded) (true|false)$", text, re.M)
        if not title:
            continue
        name, factor, count, kind, good = title.groups()
        row = found.setdefault(name, [int(count), {}, True, kind == "bounded"])
        row[1][int(factor)] = total(text)
        row[2] = row[2] and good == "true"
    return {name: (count, [counts.get(factor) for factor in (1, 2, 4)], good, bounded)
            for name, (count, counts, good, bounded) in found.items()}


def command(folder, program, shape, keys):
    """Counts one shape of the command. Returns its name, and what library() returns for a name. The counts are those of whole processes:
    what does not depend on n is in all three, and the growth is of their differences."""
    counts, good = [], True
    for factor in (1, 2, 4):
        # The names have equal length, because the length of the arguments changes heap addresses, and with them the work.
        path = f"{folder}/{factor}-{shape.name.replace(' ', '-')}"
        with open(path, "w") as file:
            file.write(shape.text(factor * shape.count))
        with open(path) as file:
            arguments = [{"KEYS": keys, "FILE": path}.get(word, word) for word in shape.arguments]
            done, files = callgrind(folder, f"command-{factor}-{shape.name.replace(' ', '-')}", program, *arguments,
                                    stdin=None if path in arguments else file)
        good = good and done.returncode == shape.status
        if done.returncode != shape.status:
            print(f"{shape.name}: exit status {done.returncode}\n{done.stderr[-600:]}", file=sys.stderr)
            counts.append(None)
            continue
        with open(files[0]) as file:
            counts.append(total(file.read()))
    return shape.name, (shape.count, counts, good, False)


def growth(count, counts):
    """Returns the growth of three counts, for n, 2n and 4n things."""
    first, second, third = counts
    # An input that is rejected early is still copied, which takes a few instructions for each thing, in steps of pages. Quadratic work
    # takes n instructions or more for each.
    if third - second < max(3_000, first // 1_000, 32 * 2 * count):
        return 0.0
    return (third - second) / max(second - first, (third - second) / 99, 1)


def main():
    prefixes = sys.argv[1:]
    os.makedirs(".build/linear", exist_ok=True)
    with tempfile.TemporaryDirectory(dir=".build/linear") as folder:
        programs = {}
        for name in ("LinearWork", "bulla"):
            programs[name] = f"{folder}/{name}"
            # valgrind cannot read the debugging information of Swift.
            subprocess.run(["strip", "-g", "-o", programs[name], f"{PROGRAMS}/{name}"], check=True)
        certificate, keys = f"{folder}/certificate.pem", f"{folder}/keys.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=linear", "-days", "2",
                        "-keyout", f"{folder}/key.pem", "-out", certificate], check=True, capture_output=True)
        with open(keys, "w") as file:
            file.write(SPKI)
        starts = (*CONTROLS, *prefixes) if prefixes else ()
        chosen = [shape for shape in COMMANDS if shape.name.startswith(starts or "")]
        expected = [name for name in listed(programs["LinearWork"]) if name.startswith(starts or "")]
        expected += [shape.name for shape in chosen]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            commands = pool.map(lambda shape: command(folder, programs["bulla"], shape, keys), chosen)
            found = library(folder, programs["LinearWork"], certificate, starts)
            found |= dict(commands)
    faults = []
    print(f"{'shape':64} {'n':>6} {'at n':>12} {'at 2n':>12} {'at 4n':>12}  growth")
    for name, (count, counts, good, bounded) in found.items():
        if None in counts or len(counts) != 3:
            faults.append(f"{name}: not counted")
            continue
        factor = growth(count, counts)
        mark = "  bounded" if bounded else "" if factor <= MOST else "  more than linear"
        print(f"{name:64} {count:6} {counts[0]:12} {counts[1]:12} {counts[2]:12}  {factor:6.2f}{mark}")
        if not good:
            faults.append(f"{name}: accepted where it is to be rejected, or rejected where it is to be accepted, or not bounded")
        if not bounded and (factor > MOST) != (name == "control.quadratic"):
            faults.append(f"{name}: grows by {factor:.2f}, and " + ("must not" if factor > MOST else "should"))
    for name in sorted(set(expected).union(CONTROLS) - set(found)):
        faults.append(f"{name}: not counted")
    for name in sorted(name for name in set(expected) if expected.count(name) > 1):
        faults.append(f"{name}: two shapes have this name")
    for prefix in prefixes:
        if not any(name.startswith(prefix) for name in found):
            faults.append(f"{prefix}: no shape has this prefix")
    if faults:
        sys.exit("\n".join(faults))
    print(f"{len(found) - 1} shapes: linear work. The quadratic control was found.")


main()
