"""The results as Markdown and as lines with tabs."""

GROUPS = [("verify", "Verify"), ("nested", "Decrypt, then verify"), ("sign", "Sign"), ("decrypt", "Decrypt"), ("encrypt", "Encrypt")]
# What is compared where there is room for one table.
CHOSEN = [
    "verify/RS256", "verify/PS256", "verify/ES256", "verify/EdDSA", "verify/HS256", "nested/RSA-OAEP+A128CBC-HS256+RS256",
    "nested/ECDH-ES+A128GCM+ES256", "sign/RS256", "sign/PS256", "sign/ES256", "sign/EdDSA", "sign/HS256"]
SHORT = {
    "nested/RSA-OAEP+A128CBC-HS256+RS256": "nested RSA-OAEP, RS256", "nested/ECDH-ES+A128GCM+ES256": "nested ECDH-ES, ES256"}


# The years of the releases that Debian 12 has, by the dates of their tags. Other libraries are current.
RELEASED = {
    ("jsonwebtoken", "8.2.0"): 2022, ("cjose", "0.6.2.1"): 2022, ("golang-jwt", "4.4.3"): 2022, ("jose", "4.11.4"): 2023,
    ("José", "11"): 2021, ("go-jose", "2.6.0"): 2021, ("libjwt", "1.10.2"): 2019}


def figure(rate):
    """Three digits that mean something."""
    if rate is None:
        return "–"
    for unit, name in ((1e6, " M"), (1e3, " k")):
        if rate >= unit * (1 if unit == 1e6 else 10):
            value = rate / unit
            return f"{value:.0f}{name}" if value >= 100 else f"{value:.1f}{name}" if value >= 10 else f"{value:.2f}{name}"
    return f"{rate:.0f}"


def title(operation):
    return SHORT.get(operation) or operation.replace("/", " ")


def label(line):
    version = f" {line['version']}" if line["version"] else ""
    year = RELEASED.get((line["name"], line["version"]))
    if year:
        version += f" of {year}"
    return f"{line['name']}{version} ({line['builtOn']})"


def ordered(results):
    """The floor, ours, then the others by what they verify a second."""
    rank = {"floor": 0, "naive": 1, "vectorized": 2, "batch": 3, "ours": 4, "peer": 5}
    return sorted(
        results.lines(), key=lambda line: (rank[line["role"]], -(results.line_rate(line, "verify/RS256") or 0), line["name"].lower()))


def table(results, operations, heads, corner="library"):
    rows = [[corner, *heads], ["---"] + ["--:"] * len(operations)]
    for line in ordered(results):
        rates = [results.line_rate(line, operation) for operation in operations]
        if any(rates):
            name = f"**{label(line)}**" if line["role"] in ("ours", "batch", "vectorized") else label(line)
            rows.append([name, *map(figure, rates)])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def chosen_table(results, processor):
    operations = [operation for operation in CHOSEN if operation in results.measured()]
    return table(results, operations, [title(operation) for operation in operations], f"a second, on one core of an {processor}")


def whole(results):
    """A table for each group."""
    parts = []
    for group, heading in GROUPS:
        operations = [operation for operation in results.measured() if operation.startswith(group + "/")]
        if operations:
            heads = [operation.split("/")[1] for operation in operations]
            parts.append(f"## {heading}\n\n{table(results, operations, heads)}")
    return "\n".join(parts)


def tabs(results):
    lines = ["library\tname\tversion\toperation\tper second\tof bare cryptography"]
    for operation in results.measured():
        for library in results.libraries:
            rate, ratio = results.rate(operation, library["id"]), results.ratio(operation, library["id"])
            if rate is not None:
                lines.append("\t".join([
                    library["id"], library["name"], library["version"], operation, f"{rate:.0f}", "" if ratio is None else f"{ratio:.3f}"]))
    return "\n".join(lines) + "\n"
