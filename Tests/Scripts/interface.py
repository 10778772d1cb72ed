"""interface.py --check|--write FOLDER MODULE...: the public interface of these modules, of their symbol graphs in FOLDER.

Tests/Interface/<MODULE>.txt has one line for each public symbol: its module, kind, path and declaration, with what a type conforms
to, with availability, and with the conditions of the extension that it stands in. --write makes these files; --check fails, and
prints the difference, where they differ from the symbol graphs.

What no symbol graph has is not compared: the raw value of a case, and whether a type is ~Copyable.
"""
import difflib
import glob
import json
import os
import sys

BASELINES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Interface")
# The compiler lists these conformances for some of the types that have them, and not for others.
IMPLIED = {"Copyable", "Escapable", "SendableMetatype"}
SIGNS = {"conformance": ":", "superclass": ":", "sameType": "=="}


def graphs(folder, module):
    """Yields the symbol graphs of a module: its own, and those of its extensions of other modules."""
    for path in sorted(glob.glob(f"{glob.escape(folder)}/{module}/*.symbols.json")):
        with open(path, encoding="utf-8") as file:
            yield json.load(file)


def is_public(symbol):
    return (symbol["accessLevel"] in ("public", "open") and symbol["kind"]["identifier"] != "swift.module"
            and "::SYNTHESIZED::" not in symbol["identifier"]["precise"])


def version(number):
    """Returns a version as text: 1, 1.2 or 1.2.3."""
    parts = [number.get("major", 0), number.get("minor"), number.get("patch")]
    return ".".join(str(part) for part in parts if part is not None)


def availability(symbol):
    """Returns the symbol's availability as attributes."""
    found = []
    for entry in symbol.get("availability", []):
        words = [entry.get("domain", "*")]
        words += [word for word, key in (("deprecated", "isUnconditionallyDeprecated"), ("unavailable", "isUnconditionallyUnavailable"))
                  if entry.get(key)]
        words += [f"{key}: {version(entry[key])}" for key in ("introduced", "deprecated", "obsoleted") if key in entry]
        words += [f"{key}: {json.dumps(entry[key], ensure_ascii=False)}" for key in ("renamed", "message") if key in entry]
        found.append(f"@available({', '.join(words)})")
    return sorted(found)


def conditions(constraints):
    """Returns generic constraints in the form of a where clause."""
    return {f"{each['lhs']} {SIGNS.get(each['kind'], each['kind'])} {each['rhs']}" for each in constraints or []}


def where(found):
    return f" where {', '.join(sorted(found))}" if found else ""


def short(name):
    """Returns the name of a type without that of its module."""
    return name.split(".", 1)[-1]


class Interface:
    """The public symbols of several modules, which may refer to each other."""

    def __init__(self, folder, modules):
        self.modules = {module: list(graphs(folder, module)) for module in modules}
        every = [graph for found in self.modules.values() for graph in found]
        self.symbols = {symbol["identifier"]["precise"]: symbol for graph in every for symbol in graph["symbols"]}
        self.owners, self.conformances, self.roles = {}, {}, {}
        for relation in [relation for graph in every for relation in graph["relationships"]]:
            kind, source = relation["kind"], relation["source"]
            if kind == "memberOf":
                self.owners[source] = relation["target"]
            elif kind == "conformsTo":
                self.conformances.setdefault(source, set()).update(self.conformance(relation))
            elif kind in ("requirementOf", "optionalRequirementOf"):
                self.roles[source] = "requirement"
            elif kind == "defaultImplementationOf":
                self.roles[source] = "default"

    def conformance(self, relation):
        """The protocol that a relation names, with its conditions, or nothing where each type has it."""
        target = self.symbols.get(relation["target"])
        name = ".".join(target["pathComponents"]) if target else short(relation["targetFallback"])
        return [] if name in IMPLIED else [name + where(conditions(relation.get("swiftConstraints")))]

    def declaration(self, symbol):
        """All that a caller may rely on, on one line."""
        precise, kind = symbol["identifier"]["precise"], symbol["kind"]["identifier"]
        text = " ".join("".join(part["spelling"] for part in symbol["declarationFragments"]).split())
        if symbol["accessLevel"] == "open" and not text.startswith("open "):
            text = "open " + text
        # The declaration of a protocol already contains its inherited protocols.
        if kind != "swift.protocol" and self.conformances.get(precise):
            text += " [" + "; ".join(sorted(self.conformances[precise])) + "]"
        owner = self.symbols.get(self.owners.get(precise), {})
        extension = conditions(symbol.get("swiftExtension", {}).get("constraints"))
        extension -= conditions(owner.get("swiftGenerics", {}).get("constraints"))
        if extension:
            text += f" [extension{where(extension)}]"
        return " ".join(availability(symbol) + [text])

    def lines(self, module):
        """The lines of one module, sorted by path: a type, then its members."""
        found = []
        for symbol in [symbol for graph in self.modules[module] for symbol in graph["symbols"] if is_public(symbol)]:
            kind = symbol["kind"]["identifier"].removeprefix("swift.")
            role = self.roles.get(symbol["identifier"]["precise"])
            kind += f" ({role})" if role else ""
            path = symbol["pathComponents"]
            found.append((path, kind, f"{module} | {kind} | {'.'.join(path)} | {self.declaration(symbol)}\n"))
        return [line for _, _, line in sorted(found)]


def read(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return file.readlines()


def differences(interface, baselines):
    """Returns the difference between the baselines and the interface, including removed modules."""
    kept = {os.path.basename(path).removesuffix(".txt") for path in glob.glob(f"{glob.escape(baselines)}/*.txt")}
    found = []
    for module in sorted(kept | set(interface.modules)):
        now = interface.lines(module) if module in interface.modules else []
        found += difflib.unified_diff(read(f"{baselines}/{module}.txt"), now, f"Tests/Interface/{module}.txt", f"{module} as built", n=1)
    return found


def write(interface, baselines):
    """Writes the baselines, and deletes those of removed modules."""
    for path in glob.glob(f"{glob.escape(baselines)}/*.txt"):
        if os.path.basename(path).removesuffix(".txt") not in interface.modules:
            os.remove(path)
    os.makedirs(baselines, exist_ok=True)
    for module in interface.modules:
        with open(f"{baselines}/{module}.txt", "w", encoding="utf-8") as file:
            file.writelines(interface.lines(module))


def main(mode, folder, *modules, baselines=BASELINES):
    """Returns the exit status."""
    if mode not in ("--check", "--write") or not modules:
        sys.exit(__doc__)
    interface = Interface(folder, modules)
    empty = [module for module in modules if not interface.lines(module)]
    if empty:
        sys.exit(f"{', '.join(empty)}: no public symbol was found")
    if mode == "--write":
        write(interface, baselines)
        print(f"The public interface of {len(modules)} modules: Tests/Interface")
        return 0
    found = differences(interface, baselines)
    if not found:
        print(f"The public interface of {len(modules)} modules is that of Tests/Interface")
        return 0
    sys.stdout.writelines(found)
    print("The public interface has changed. Where this is meant, accept it by `make interface`, and say it in CHANGELOG.md.")
    return 1


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
