"""What was measured: operations a second of one core, the median over the rounds."""
from statistics import median


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
        floor = self.rates.get(operation.replace("batch/", "verify/"), {}).get("kept")
        rates = self.rates.get(operation, {}).get(identifier)
        return median(rate / other for rate, other in zip(rates, floor)) if rates and floor else None

    def measured(self):
        """The operations that any library has."""
        return [operation for operation in self.operations if self.rates.get(operation)]

    def lines(self):
        """For tables and charts: a name, and how to find its rate. What Bulla does in batches is a line of its own."""
        for library in self.libraries:
            if library["role"] == "ours" and any(self.rates.get(name) for name in self.operations if name.startswith("batch/")):
                yield {**library, "name": library["name"] + ", batches", "role": "batch"}
            yield library

    def line_rate(self, line, operation):
        if line["role"] != "batch":
            return self.rate(operation, line["id"])
        group, algorithms = operation.split("/")
        return self.rate("batch/" + algorithms, line["id"]) if group == "verify" else None

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
