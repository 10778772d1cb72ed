"""What was measured: operations a second of one core, the median over the rounds."""
from statistics import median

# The lines of tables that show tokens processed together, by their role. Each has the group of the column in which it stands, and the group
# that is measured for it.
TOGETHER = {"batch": {"verify": "batch", "nested": "nested-batch"}, "vectorized": {"nested": "vectorized"}}
NAMES = {"batch": ", batches", "vectorized": ", batches, vectorized private keys"}


class Results:
    def __init__(self, operations, libraries):
        self.operations = operations
        self.libraries = [
            {"id": library.id, "name": library.name, "builtOn": library.built_on, "version": library.version(), "role": library.role}
            for library in libraries]
        self.rates = {}

    def add(self, library, operation, rate):
        self.rates.setdefault(operation, {}).setdefault(library.id, []).append(rate)

    def rate(self, operation, identifier):
        """None where the library lacks the operation."""
        rates = self.rates.get(operation, {}).get(identifier)
        return median(rates) if rates else None

    def ratio(self, operation, identifier):
        """To bare cryptography with contexts kept, in the same round; a batch to single calls."""
        group, algorithms = operation.split("/")
        alone = {together: one for groups in TOGETHER.values() for one, together in groups.items()}.get(group, group)
        floor = self.rates.get(f"{alone}/{algorithms}", {}).get("kept")
        rates = self.rates.get(operation, {}).get(identifier)
        return median(rate / other for rate, other in zip(rates, floor)) if rates and floor else None

    def measured(self):
        """The operations that any library has."""
        return [operation for operation in self.operations if self.rates.get(operation)]

    def lines(self):
        """For tables and charts: a name, and how to find its rate. What Bulla does in batches has lines of its own."""
        for library in self.libraries:
            for role, groups in TOGETHER.items() if library["role"] == "ours" else []:
                if any(self.rates.get(name) for name in self.operations if name.split("/")[0] in groups.values()):
                    yield {**library, "name": library["name"] + NAMES[role], "role": role}
            yield library

    def line_rate(self, line, operation):
        if line["role"] not in TOGETHER:
            return self.rate(operation, line["id"])
        group, algorithms = operation.split("/")
        together = TOGETHER[line["role"]].get(group)
        return self.rate(f"{together}/{algorithms}", line["id"]) if together else None

    def as_json(self, **run):
        return {
            **run, "libraries": self.libraries,
            "operations": {
                operation: {
                    library["id"]: {
                        "perSecond": self.rate(operation, library["id"]), "ratio": self.ratio(operation, library["id"]),
                        "rounds": self.rates[operation][library["id"]],
                    } for library in self.libraries if library["id"] in self.rates[operation]
                } for operation in self.measured()
            }}
