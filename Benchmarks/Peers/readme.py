"""Puts text between two markers of a Markdown file, so that what is measured is never copied by hand."""

BEGIN, END = "<!-- bench-peers: begin -->", "<!-- bench-peers: end -->"


class NoMarkers(Exception):
    pass


def between_markers(document, text):
    if document.count(BEGIN) != 1 or document.count(END) != 1 or document.index(BEGIN) > document.index(END):
        raise NoMarkers(f"{BEGIN} and {END} must stand there once, in this order")
    before, rest = document.split(BEGIN)
    after = rest.split(END)[1]
    return f"{before}{BEGIN}\n{text.strip()}\n{END}{after}"


def rewrite(path, text):
    with open(path, encoding="utf-8") as file:
        document = between_markers(file.read(), text)
    with open(path, "w", encoding="utf-8") as file:
        file.write(document)
