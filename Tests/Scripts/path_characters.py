"""path_characters.py [--check] [FOLDER]: the characters that `bulla serve` takes for equal in paths.

Writes Sources/Command/JOSECommand/Serve/PathCharacters+Table.swift from the files of Unicode's character database in FOLDER; by default
/usr/share/unicode, where Debian's package unicode-data has them. With --check it writes nothing, and compares the file with what Python's
unicodedata says of each character that both versions of Unicode know.

Two tables are written. `compatible` has the compatibility decomposition of each character (NFKD), without combining marks, white space,
formatting characters and ignorable ones. `folded` has for the characters that remain what they become when upper and lower case are not
told apart. U+0345 is a mark whose upper case is a letter, so it is kept by the first table. Hangul syllables are decomposed by arithmetic
and are in neither.
"""
import pathlib
import sys
import unicodedata

TABLE = pathlib.Path(__file__).resolve().parents[2] / "Sources/Command/JOSECommand/Serve/PathCharacters+Table.swift"
HANGUL = range(0xAC00, 0xD7A4)
SURROGATES = range(0xD800, 0xE000)
IOTA_BELOW = 0x345
CHARACTERS = [code for code in range(0x80, 0x110000) if code not in SURROGATES]


class Database:
    """The properties of characters in the files of Unicode's character database."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.version = self.rows("CaseFolding.txt", comment=True).split("CaseFolding-")[1].split(".txt")[0]
        self.decompositions, self.marks, self.formats, self.uppers, self.assigned = {}, set(), set(), {}, set()
        first = 0
        for row in self.rows("UnicodeData.txt"):
            code, name = int(row[0], 16), row[1]
            start = first if name.endswith(", Last>") else code
            first = code
            self.assigned.update(range(start, code + 1))
            if row[3] != "0":
                self.marks.add(code)
            if row[2] == "Cf":
                self.formats.add(code)
            if row[5]:
                self.decompositions[code] = [int(word, 16) for word in row[5].split() if not word.startswith("<")]
            if row[12]:
                self.uppers[code] = [int(row[12], 16)]
        for row in self.rows("SpecialCasing.txt"):
            # A row with a fifth column depends on the language or on the neighbours.
            if not row[4]:
                self.uppers[int(row[0], 16)] = [int(word, 16) for word in row[3].split()]
        self.foldings = {int(row[0], 16): [int(word, 16) for word in row[2].split()] for row in self.rows("CaseFolding.txt") if row[1] in "CF"}
        self.blanks = self.property("PropList.txt", "White_Space")
        self.ignorable = self.property("DerivedCoreProperties.txt", "Default_Ignorable_Code_Point")

    def rows(self, name, comment=False):
        text = (self.folder / name).read_text(encoding="utf-8")
        if comment:
            return text
        lines = [line.split("#")[0].strip() for line in text.splitlines()]
        return [[cell.strip() for cell in line.split(";")] for line in lines if line]

    def property(self, name, wanted):
        codes = set()
        for row in self.rows(name):
            if row[1] == wanted:
                ends = [int(end, 16) for end in row[0].split("..")]
                codes.update(range(ends[0], ends[-1] + 1))
        return codes

    def decomposed(self, code):
        if code not in self.decompositions:
            return [code]
        return [part for inner in self.decompositions[code] for part in self.decomposed(inner)]

    def is_removed(self, code):
        return code in self.blanks or code in self.ignorable or code in self.formats or code in self.marks and code != IOTA_BELOW

    def upper_then_folded(self, code):
        return [fold for upper in self.uppers.get(code, [code]) for fold in self.foldings.get(upper, [upper])]


class Interpreter:
    """The properties of characters in Python's unicodedata, with the interface of Database."""

    def decomposed(self, code):
        return [ord(part) for part in unicodedata.normalize("NFKD", chr(code))]

    def is_removed(self, code):
        character = chr(code)
        isMark = unicodedata.combining(character) != 0 and code != IOTA_BELOW
        return character.isspace() or isMark or unicodedata.category(character) == "Cf"

    def upper_then_folded(self, code):
        return [ord(part) for part in chr(code).upper().casefold()]


def compatible(data, code):
    return [] if data.is_removed(code) else [part for part in data.decomposed(code) if not data.is_removed(part)]


def folded(data, code):
    """Returns a character of `compatible` without its case: until nothing changes, because one step may make characters for another."""
    text = [code]
    for _ in range(8):
        after = [part for one in text for fold in data.upper_then_folded(one) for part in compatible(data, fold)]
        if after == text:
            return text
        text = after
    sys.exit(f"U+{code:04X} has no folded form")


def key(tables, text):
    """Returns what paths are compared by: both tables applied, as PathCharacters.swift does."""
    kept = [part for code in text for part in (hangul(code) or tables[0].get(code, [] if code == 0x20 else [code]))]
    return [part for code in kept for part in tables[1].get(code, [code + 32] if 0x41 <= code <= 0x5A else [code])]


def hangul(code):
    return [ord(part) for part in unicodedata.normalize("NFD", chr(code))] if code in HANGUL else None


def runs(table):
    """Writes a table as lines of words: `FIRST-LAST/STEP` and `=` with what all of them become, or `+` with what the first becomes, and each
    following one by the step more. Where that is not shorter, `FIRST=` has what each of consecutive characters becomes, with `;` between
    them."""
    lines, left, list_end = [""], sorted(table), None
    while left:
        first = left[0]
        best = (1, 1, "=")
        for step in (1, 2):
            for sign in "=+":
                if sign == "+" and len(table[first]) != 1:
                    continue
                count = 1
                while count < len(left) and left[count] == first + count * step:
                    wanted = table[first] if sign == "=" else [table[first][0] + count * step]
                    if table[left[count]] != wanted:
                        break
                    count += 1
                if count > best[0]:
                    best = (count, step, sign)
        count, step, sign = best
        texts = [",".join(f"{part:X}" for part in table[code]) for code in left[:count]]
        word = f"{first:X}-{first + (count - 1) * step:X}" + ("" if step == 1 else f"/{step}") + sign + texts[0]
        listed = ";".join(texts)
        is_list = count == 1 or step == 1 and len(listed) < len(word)
        if is_list and list_end == first and len(lines[-1]) + len(listed) < 105:
            lines[-1] += ";" + listed
        else:
            word = f"{first:X}=" + listed if is_list else word
            if len(lines[-1]) + len(word) > 105:
                lines.append("")
            lines[-1] += f" {word}" if lines[-1] else word
        list_end = first + count if is_list else None
        left = left[count:]
    return lines


def parsed(words):
    table = {}
    for word in words:
        sign = "=" if "=" in word else "+"
        place, texts = word.split(sign)
        ends, _, step = place.partition("/")
        first, _, last = ends.partition("-")
        texts = [[int(part, 16) for part in parts.split(",") if part] for parts in texts.split(";")]
        last = int(last, 16) if last else int(first, 16) + len(texts) - 1
        for count, code in enumerate(range(int(first, 16), last + 1, int(step or 1))):
            parts = texts[count % len(texts)]
            table[code] = parts if sign == "=" else [parts[0] + count * int(step or 1)]
    return table


def written():
    """Reads the version and the tables of the Swift file."""
    version, tables, lines = None, [], None
    for line in TABLE.read_text().splitlines():
        if "unicodeVersion" in line:
            version = line.split('"')[1]
        elif line.endswith('"""') and lines is None:
            lines = []
        elif line.strip() == '"""':
            tables.append(parsed(" ".join(lines).split()))
            lines = None
        elif lines is not None:
            lines.append(line.strip())
    return version, tables


def literal(name, comment, lines):
    body = "\n".join(f"        {line}" for line in lines)
    return f'    /// {comment}\n    static let {name}: StaticString = """\n{body}\n        """\n'


def write(folder):
    data = Database(folder)
    first = {code: compatible(data, code) for code in CHARACTERS if code not in HANGUL and code not in range(0x80, 0xA0)}
    first = {code: text for code, text in first.items() if text != [code]}
    kept = {code for code in CHARACTERS if code not in first and code not in HANGUL}
    second = {code: folded(data, code) for code in kept}
    second = {code: text for code, text in second.items() if text != [code]}
    TABLE.write_text(
        "// swift-format-ignore-file\n"
        "// Written by Tests/Scripts/path_characters.py, and not by hand.\n\n"
        "extension PathCharacters {\n"
        f'    /// The version of the Unicode Standard that the tables are from.\n    static let unicodeVersion = "{data.version}"\n'
        + literal("compatible", "The compatible characters of each character, without those that readers of paths remove.", runs(first))
        + literal("folded", "The form of characters without their case.", runs(second)) + "}\n")
    assert written()[1] == [first, second]
    faults = [f"U+{code:04X} {way}" for code in data.assigned if code >= 0x80 and code not in SURROGATES
              for way, text in ways(chr(code)) if key((first, second), [code]) != key((first, second), map(ord, text))]
    # A character that Python's version does not know is its own upper case there.
    print(f"Unicode {data.version}: {len(first)} and {len(second)} characters, {len(faults)} faults", *faults[:20])
    sys.exit(1 if faults else 0)


def ways(character):
    """Yields what programs make of a character that they equate with it."""
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        yield form, unicodedata.normalize(form, character)
    yield from [("upper", character.upper()), ("lower", character.lower()), ("fold", character.casefold()), ("title", character.title())]


def check():
    version, tables = written()
    data = Interpreter()
    isNewer = tuple(map(int, unicodedata.unidata_version.split("."))) > tuple(map(int, version.split(".")))
    faults, count = [], 0
    for code in CHARACTERS:
        if unicodedata.category(chr(code)) in ("Cn", "Cc") or code in HANGUL:
            continue
        isKnown = code in tables[0] or code in tables[1]
        character = chr(code)
        if not isKnown and character.lower() == character == character.upper() and not unicodedata.decomposition(character):
            # What is left to compare is whether the table should remove it.
            count += 1
            if data.is_removed(code) and not isNewer:
                faults.append(f"U+{code:04X} is not removed")
            continue
        wanted = compatible(data, code)
        found = tables[0].get(code, [code])
        # Python does not say which characters are ignorable, and a newer version knows more characters.
        if found == [] and wanted == [code] and unicodedata.category(chr(code)) in ("Mn", "Lo", "Cf", "So"):
            continue
        if isNewer and not isKnown:
            continue
        count += 1
        if found != [part for part in wanted if tables[0].get(part) != []]:
            faults.append(f"U+{code:04X} compatible")
        for way, text in ways(character):
            # A newer version may have added an upper case letter to a lower case one.
            isNew = isNewer and any(ord(part) >= 0x80 and ord(part) not in tables[0] and ord(part) not in tables[1]
                                    and part.casefold() != part for part in text)
            if not isNew and key(tables, [code]) != key(tables, map(ord, text)):
                faults.append(f"U+{code:04X} {way}")
    print(f"{count} characters of Unicode {version} compared with Python's {unicodedata.unidata_version}: {len(faults)} differ", *faults[:20])
    sys.exit(1 if faults or count < 100_000 else 0)


if "--check" in sys.argv:
    check()
write(*(sys.argv[1:] or ["/usr/share/unicode"]))
