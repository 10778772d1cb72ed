"""prose.py [PATH...]: checks the prose of comments, documents and test names. Prints `file:line: rule: message: text` for each finding
and exits with 1 if there is one. Without paths it checks all files that git lists.

Read are comments, texts and test names of Swift and C below Sources, CShims, Tests and Benchmarks, and the Markdown files. The rules:

backward  a comment begins with words that point back to another comment ("The same", "As above")
headless  a doc comment begins with a word that leaves it without a subject ("Of", "Whose", "Nil")
verb      the doc comment of a public or package function does not begin with a verb in the third person ("Verifies")
retired   a name that the code no longer has
phrase    a phrase that has a term of the field in its place
document  a reference to a document that is not in the repository
path      ARCHITECTURE.md and CONTRIBUTING.md name a path in backticks that does not exist

Tests/prose-allowed.txt lists the exceptions, one a line: path | rule | the line's text, without the space around it | reason. An entry
that no finding needs fails as well.
"""
import functools
import glob
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
ALLOWED = "Tests/prose-allowed.txt"
FOLDERS = ("Sources/", "CShims/", "Tests/", "Benchmarks/")
# Vectors and samples are published by others.
FOREIGN = ("Tests/Vectors/Providers/", "Tests/Vectors/wycheproof/")

BACKWARD = re.compile(r"(The same\b|Whose\b|Why\.|Of what\b|Nothing\.|As it was\b|As above\b)")
HEADLESS = {"Of", "Whose", "Whom", "What", "Who", "Why", "Nothing", "Nor", "Than", "As", "By", "Nil", "Null", "Not", "Where", "Those", "Which",
            "That", "How", "Otherwise", "Besides", "None", "Said", "Told", "Asked"}
# Beginnings that need no subject, though their first word is in the list.
WITH_SUBJECT = re.compile(r"(By default,|As of |Not-|Null terminator)")
# A sentence may begin with these where a clause follows.
PREPOSITIONS = {"For", "With", "Without", "To", "From", "In", "On", "At", "Under", "Among", "Between", "Behind", "Before", "After", "Until",
                "Since", "Beside", "Through", "Beneath", "Above", "Below", "Within", "Across", "Per", "Into"}
RESULTS = re.compile(r"(False|True|Nil|Null|NULL|nil|null|false|true|-?\d+)\s*[:,]")
SECONDS = re.compile(r"(In )?[Ss]econds\b")
# Verbs that do not end in s, and what a function that returns a Boolean value may begin with.
VERBS = {"Must", "May", "Can", "Cannot", "Does"}
# First words that end in s and are no verbs.
NOUNS = {"This", "Its", "As", "Is", "Was", "Has", "Plus", "Less", "Thus", "Always", "Perhaps", "Whose", "Theirs", "Ours", "Besides", "Towards",
         "Bytes", "Keys", "Tokens", "Claims", "Seconds", "Milliseconds", "Nanoseconds", "Members", "Certificates", "Signatures", "Headers",
         "Names", "Numbers", "Values", "Words", "Secrets", "Parameters", "Parts", "Entries", "Requests", "Answers", "Responses", "Threads",
         "Lines", "Texts", "Kinds", "Addresses", "Accounts", "Times", "Rows", "Sets", "Pairs", "Options", "Others", "Digits", "Bits",
         "Connections", "Fetches", "Findings", "Failures", "Errors", "Events", "Files", "Algorithms", "Providers", "Services", "Users",
         "Logins", "Sessions", "Scopes", "Links", "Lanes", "Slots", "Places", "Batches", "Layers", "Vectors", "Samples", "Codes", "Things",
         "Tickets", "Suffixes", "Prefixes"}
NOUN_IF_ALONE = {"Answers", "Sets", "Requests", "Links", "Names", "Places", "Times", "Numbers", "Lines", "Parts", "Batches", "Pairs"}

RETIRED = """
AsyncTokenVerifier AsyncTokenIssuer AsyncSigner AsyncDecrypter AsyncJSONSigner AsyncProfileVerifier AsyncDecryptionKey ClaimSet
DecryptionGate SymmetricKey Unsuitability Malformation KeyOutage KeyChoice Misfit OddSetRule HTTPResponse HTTPField PublishedNow
RelyingPartyFailure LoginParty LoginStart endedCookie DigiDSilence DigiDKeySetLint KeySetRefusal GateCrowd SignatureGate MissBook
SilenceBook SessionBook CarrierBook StoreShelf BatchJudge LanesKey KeyLanes LanesTests LanesChecker LaneScheme laneScheme CJOSELanes
BULLA_LANES LANES_MAX zenKeySeed zenKeyLate iterationCap verifyInPlace refreshUnderWay CarrierAnswer CarrierDiscovery TokenClock
RotationClock heldUntil tokenClock ZenKeyDiscoveryTrips ProviderPlace leastInstanceBytes leastSessionBytes
""".split()
RETIRED_NAME = re.compile(r"(?<![\w.])(" + "|".join(RETIRED) + r")(?!\w)|\bCertificateTrust\.Time\b|\bClaimsRequest\.Wish\b|\bcjose_lanes_\w+")

PHRASES = {
    "a loud word": "an explicitly named opt-in", "loud word": "an explicitly named opt-in",
    "a twin": "positive control", "mended twin": "positive control", "good twin": "positive control",
    "stands there twice": "duplicate", "stand there twice": "duplicate", "makes no sense": "is invalid",
    "make no sense": "are invalid", "refused by name": "rejected with the error", "keys that change": "remote JWKS; key rotation",
    "tokens that come again": "cached tokens", "come again and again": "repeated", "known tokens": "cached tokens",
    "a word that says so": "an explicitly named opt-in", "nothing before its time": "no data is released before verification",
    "is not believed": "is not trusted", "are not believed": "are not trusted",
    "has not the parts": "wrong number of parts", "its numbers are not a key": "invalid key parameters",
}


def spread(phrase):
    """The phrase, whatever space, line end or comment mark stands between its words."""
    return r"(?:[ \t]+|[ \t]*\n[ \t]*(?:///?|\*|>)?[ \t]*)".join(re.escape(word) for word in phrase.split())


PHRASE = re.compile(r"(?<!\w)(" + "|".join(spread(each) for each in sorted(PHRASES, key=len, reverse=True)) + r")(?!\w)", re.IGNORECASE)
DOCUMENT = re.compile(
    "|".join([spread("seed document") + "s?", spread("seed paper") + "s?", spread("design paper") + "s?",
              spread("README of the provider profiles"), r"\bREADME,? rule \d+", r"(?<![\w.])[Rr]ules? \d+(?![\w.]*\))(?! of the)",
              r"(?<!\w)[Aa]ttacks? \d+", r"(?<!\w)(?:DigiD|MitID|itsme|ZenKey|Entra|CIBA)(?: \w+)? cases? \d+", r"(?<!\w)[Cc]ases \d+"]))
TEST = re.compile(r'@(?:Test|Suite)\(\s*"((?:[^"\\]|\\.)*)"')
DECLARATION = re.compile(
    r"(?P<space>\s*)(?:@\w+(?:\([^)]*\))?\s+)*(?P<words>(?:(?:public|package|open|internal|fileprivate|private|static|class|final|mutating"
    r"|nonmutating|consuming|borrowing|override|convenience|required|nonisolated|isolated|indirect|prefix|postfix|infix|unsafe|consume"
    r"|@\w+)(?:\([^)]*\))?\s+)*)(?P<kind>func|init)\b(?P<rest>.*)")
SCOPE = re.compile(r"(?P<space>\s*)(?:@\w+(?:\([^)]*\))?\s+)*(?:public|package)\s+(?P<kind>protocol|extension)\b")


class Finding:
    def __init__(self, path, line, rule, message, text):
        self.path, self.line, self.rule, self.message, self.text = path, line, rule, message, text

    def __str__(self):
        return f"{self.path}:{self.line}: {self.rule}: {self.message}: {self.text[:100]}"


class Comment:
    """Lines of one comment, one after the other: `mark` is /// or // or /*, `line` the number of the first."""

    def __init__(self, mark, line):
        self.mark, self.line, self.lines = mark, line, []

    def paragraphs(self):
        """The line number and the text of each paragraph, and of the items of lists; fenced code is left out."""
        found, begins, fenced = [], True, False
        for index, text in enumerate(self.lines):
            bare = text.strip()
            if bare.startswith("```"):
                fenced, begins = not fenced, True
            elif fenced:
                continue
            elif not bare:
                begins = True
            elif begins:
                found.append((self.line + index, bare))
                begins = False
            elif re.match(r"- ", bare):
                found.append((self.line + index, bare))
            else:
                found[-1] = (found[-1][0], found[-1][1] + " " + bare)
        return found


def comments(text):
    """The comments that have lines of their own; texts of several lines are left out."""
    found, current, quoted, starred = [], None, False, False
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.strip()
        if starred:
            current.lines.append(re.sub(r"^\*(?!/) ?|\*/$", "", bare))
            starred = "*/" not in bare
            continue
        mark = None if quoted else re.match(r"///?(?!/)|/\*", bare)
        if not mark:
            current = None
            quoted ^= line.count('"""') % 2 == 1
            continue
        if not current or current.mark != mark[0] or mark[0] == "/*":
            current = Comment(mark[0], number)
            found.append(current)
        current.lines.append(re.sub(r"\*/$", "", bare[len(mark[0]):]))
        starred = mark[0] == "/*" and "*/" not in bare
    return found


def first_sentence(text):
    return re.split(r"(?<=[.:;])\s", text, maxsplit=1)[0]


def headless(text):
    """Why a doc comment that begins so has no subject, or None."""
    word = re.match(r"[A-Za-z-]+", text)
    if RESULTS.match(text):
        return "begins with a result instead of a sentence"
    if SECONDS.match(text) and not re.match(r"Seconds? (of|that|which)\b", text):
        return "begins with its unit: name the thing, and use Duration or NumericDate"
    if not word or WITH_SUBJECT.match(text):
        return None
    if word[0] in HEADLESS:
        return f'begins with "{word[0]}": name the thing, or begin with a verb'
    if word[0] in PREPOSITIONS and "," not in first_sentence(text):
        return f'begins with "{word[0]}" and has no main clause: name the thing, or begin with a verb'
    return None


def is_verb(text, rest):
    word = re.match(r"[A-Za-z]+", text)
    if not word:
        return False
    if word[0] == "Whether":
        return bool(re.search(r"->\s*(async\s+)?Bool\b", rest))
    if word[0] in NOUN_IF_ALONE:
        return not re.match(r"\w+( of| that| which| in|[.,;:]|$)", text)
    return word[0] in VERBS or (word[0].endswith("s") and not word[0].endswith("ss") and word[0] not in NOUNS)


def exposed(lines):
    """For each line whether it stands directly in a public or package protocol or extension."""
    found, scope = [], None
    for line in lines:
        if scope is not None and line.startswith(scope + "}"):
            scope = None
        found.append(scope is not None and line.startswith(scope + "    ") and line[len(scope) + 4:len(scope) + 5] != " ")
        match = SCOPE.match(line)
        if match and scope is None and "}" not in line:
            scope = match["space"]
    return found


def function_after(lines, index, inside):
    """The declaration of a public or package function that begins at or behind line `index`, attributes apart, or None."""
    while index < len(lines) and re.match(r"\s*(@\w+(\(.*\))?\s*$|#(if|else|endif))", lines[index]):
        index += 1
    match = DECLARATION.match(lines[index]) if index < len(lines) else None
    if not match:
        return None
    words = match["words"].split()
    hidden = {"private", "fileprivate", "internal"} & set(words)
    if not ({"public", "package", "open"} & set(words) or (inside[index] and not hidden)):
        return None
    # The result stands behind the parameters, perhaps some lines below.
    return " ".join(line.strip() for line in lines[index:index + 8])


def check_source(path, text):
    found, lines = [], text.splitlines()
    swift = path.endswith(".swift")
    inside = exposed(lines) if swift else []
    for comment in comments(text):
        paragraphs = comment.paragraphs()
        for number, paragraph in paragraphs:
            match = BACKWARD.match(paragraph)
            if match:
                found.append(Finding(path, number, "backward", f'a comment begins with "{match[0]}"', paragraph))
        if comment.mark != "///" or not paragraphs:
            continue
        number, paragraph = paragraphs[0]
        fault = headless(paragraph)
        if fault and not BACKWARD.match(paragraph):
            found.append(Finding(path, number, "headless", fault, paragraph))
        function = function_after(lines, comment.line - 1 + len(comment.lines), inside) if swift else None
        if function and not fault and not BACKWARD.match(paragraph) and not is_verb(paragraph, function):
            found.append(Finding(path, number, "verb", "a function's comment begins with a verb in the third person", paragraph))
    for match in TEST.finditer(text):
        if BACKWARD.match(match[1]):
            found.append(Finding(path, line_of(text, match.start(1)), "backward", "a test name points back", match[1]))
    return found + check_words(path, text)


def check_markdown(path, text):
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        match = BACKWARD.match(line)
        previous = text.splitlines()[number - 2].strip() if number > 1 else ""
        if match and not previous:
            found.append(Finding(path, number, "backward", f'a paragraph begins with "{match[0]}"', line))
    return found + check_words(path, text)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


@functools.cache
def listed_cases():
    """The cases of Tests/Login/CASES.md, such as `ZenKey case 29`. Tests and documents may name them."""
    rows = re.compile(r"^\| (\w+ case \d+) \|", re.M)
    return frozenset(rows.findall((Path(ROOT) / "Tests/Login/CASES.md").read_text(encoding="utf-8")))


def check_words(path, text):
    """Names, phrases and references, wherever in the file they stand."""
    found, lines = [], text.splitlines()

    def note(match, rule, message):
        number = line_of(text, match.start())
        found.append(Finding(path, number, rule, message, lines[number - 1].strip()))

    for match in RETIRED_NAME.finditer(text):
        note(match, "retired", f"{match[0]} is no name any more")
    for match in PHRASE.finditer(text):
        words = " ".join(word for word in re.split(r"[\s/*>]+", match[0].lower()) if word)
        note(match, "phrase", f'"{words}": write "{PHRASES[words]}"')
    for match in DOCUMENT.finditer(text):
        if " ".join(match[0].split()) in listed_cases():
            continue
        # Code has cases and numbers too: only comments, documents and names of tests refer to anything.
        line = lines[line_of(text, match.start()) - 1]
        if path.endswith(".md") or re.match(r"\s*(///?|/?\*)", line) or "//" in line or "@Test(" in line or "@Suite(" in line \
                or re.match(r'\s*"', line):
            note(match, "document", f'"{" ".join(match[0].split())}" is nowhere in the repository')
    return found


def check_paths(path, text, root=ROOT):
    """Paths in backticks must exist. A name without a folder is one of the folder of the path before it, and is not looked at."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        for name in re.findall(r"`([A-Za-z.][\w.+*-]*/[\w./+*-]*)`", line):
            if name.startswith((".build", "application/")):
                continue
            if not glob.glob(os.path.join(glob.escape(root), name)):
                found.append(Finding(path, number, "path", "there is no such file or folder", name))
    return found


def check(path, text, root=ROOT):
    if path.endswith(".md"):
        found = check_markdown(path, text)
        if path in ("ARCHITECTURE.md", "CONTRIBUTING.md"):
            found += check_paths(path, text, root)
        return found
    return check_source(path, text)


def is_read(path):
    if path.startswith(FOREIGN):
        return False
    return path.endswith(".md") or (path.startswith(FOLDERS) and path.endswith((".swift", ".c", ".h")))


def listed(paths, root=ROOT):
    """The files that git tracks or would add, beneath the paths where some are given."""
    names = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *paths],
                           check=True, capture_output=True, text=True).stdout.split("\0")
    return sorted({name for name in names if name and is_read(name) and os.path.isfile(os.path.join(root, name))})


def allowed_lines(text, complaints):
    """The exceptions as path, rule and text; one without a reason is a complaint."""
    found = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = [part.strip() for part in line.split(" | ")]
        if len(parts) < 4 or not parts[-1]:
            complaints.append(f"{ALLOWED}:{number}: path | rule | text | reason is what a line has")
            continue
        found[(parts[0], parts[1], " | ".join(parts[2:-1]))] = number
    return found


def run(files, allowed="", root=ROOT):
    """The findings in these files that are not allowed, and the complaints about the list of those that are."""
    complaints, unused = [], {}
    exceptions = allowed_lines(allowed, complaints)
    unused = {key: number for key, number in exceptions.items() if key[0] in files}
    for path in files:
        with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
            text = file.read()
        lines = text.splitlines()
        for finding in check(path, text, root):
            line = re.sub(r"^(///?|/\*)\s*", "", lines[finding.line - 1].strip())
            key = (path, finding.rule, line)
            if key in exceptions:
                unused.pop(key, None)
            else:
                complaints.append(str(finding))
    complaints += [f"{ALLOWED}:{number}: no finding needs it: delete that line" for number in unused.values()]
    return complaints


def main(arguments):
    paths = [os.path.relpath(os.path.abspath(path), ROOT) for path in arguments]
    files = listed(paths)
    if not files:
        sys.exit("no file to check")
    allowed = ""
    if os.path.exists(os.path.join(ROOT, ALLOWED)):
        with open(os.path.join(ROOT, ALLOWED), encoding="utf-8") as file:
            allowed = file.read()
    complaints = run(files, allowed)
    if complaints:
        print("\n".join(complaints))
        sys.exit(f"{len(complaints)} findings in {len(files)} files. The rules: python3 Tests/Scripts/prose.py --help")
    print(f"The prose of {len(files)} files keeps to the rules.")


if __name__ == "__main__":
    if sys.argv[1:2] in (["--help"], ["-h"]):
        print(__doc__)
    else:
        main(sys.argv[1:])
