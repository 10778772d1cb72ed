"""The results as one SVG: a panel for each operation, a bar for each library. No script, no font of its own."""
from html import escape

from table import figure, ordered, title

PANELS = [
    "verify/RS256", "verify/ES256", "verify/EdDSA", "verify/HS256", "nested/RSA-OAEP+A128CBC-HS256+RS256",
    "nested/ECDH-ES+A128GCM+ES256"]
WIDTH, COLUMNS, MARGIN = 960, 2, 24
LABEL, FIGURE, BAR, GAP, HEAD = 150, 56, 12, 6, 34
TOP = 64

LIGHT = {"back": "#ffffff", "text": "#1f2328", "quiet": "#59636e", "peer": "#8c959f", "ours": "#0969da", "raw": "#bc4c00"}
DARK = {"back": "#0d1117", "text": "#f0f6fc", "quiet": "#9198a1", "peer": "#656c76", "ours": "#4493f8", "raw": "#f0883e"}


def rules(colours):
    return (
        f".back{{fill:{colours['back']}}}.text{{fill:{colours['text']}}}.quiet{{fill:{colours['quiet']}}}"
        f".peer{{fill:{colours['peer']}}}.ours,.batch,.vectorized{{fill:{colours['ours']}}}.raw{{stroke:{colours['raw']}}}"
        f".rawtext{{fill:{colours['raw']}}}")


def style():
    return (
        "text{font:12px system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif}.head{font-size:14px;font-weight:600}"
        ".strong{font-weight:600}.raw{stroke-width:1.5;stroke-dasharray:4 3}" + rules(LIGHT)
        + "@media (prefers-color-scheme:dark){" + rules(DARK) + "}")


def text(x, y, words, kind="text", anchor="start"):
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def name(line):
    """Two libraries are called jose, and there is room for a short name."""
    if line["role"] == "vectorized":
        return line["name"].split(",")[0] + ", vectorized keys"
    return f"{line['name']} ({line['builtOn'].split(',')[0]})" if line["role"] == "peer" else line["name"]


def bars(results, operation):
    """Fastest first; bare cryptography is a line and no bar."""
    found = [(line, results.line_rate(line, operation)) for line in ordered(results) if line["role"] not in ("floor", "naive")]
    return sorted([each for each in found if each[1]], key=lambda each: -each[1])


def panel(results, operation, x, y, width):
    parts = [text(x, y + 14, title(operation), "text head")]
    shown, floor = bars(results, operation), results.rate(operation, "kept")
    room = width - LABEL - FIGURE
    scale = room / max([rate for _, rate in shown] + [floor or 0])
    top = y + HEAD
    for line, rate in shown:
        strong = "text strong" if line["role"] in ("ours", "batch", "vectorized") else "text"
        parts.append(text(x + LABEL - 8, top + BAR - 2, name(line), strong, "end"))
        parts.append(f'<rect class="{line["role"]}" x="{x + LABEL:.1f}" y="{top:.1f}" width="{max(1, rate * scale):.1f}" height="{BAR}"/>')
        parts.append(text(x + width, top + BAR - 2, figure(rate), strong, "end"))
        top += BAR + GAP
    if floor:
        place = x + LABEL + floor * scale
        parts.append(f'<line class="raw" x1="{place:.1f}" y1="{y + HEAD - 6}" x2="{place:.1f}" y2="{top - GAP + 4}"/>')
        parts.append(text(place, y + HEAD - 9, figure(floor), "rawtext", "middle"))
    return "".join(parts)


def chart(results, caption):
    operations = [operation for operation in PANELS if operation in results.measured()]
    width = (WIDTH - (COLUMNS + 1) * MARGIN) / COLUMNS
    y, parts = TOP, []
    for first in range(0, len(operations), COLUMNS):
        row = operations[first:first + COLUMNS]
        for column, operation in enumerate(row):
            parts.append(panel(results, operation, MARGIN + column * (width + MARGIN), y, width))
        y += HEAD + max(len(bars(results, operation)) for operation in row) * (BAR + GAP) + MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" width="{WIDTH}" height="{y}" role="img" '
        f'aria-labelledby="title"><title id="title">Tokens a second on one core, by library</title><style>{style()}</style>'
        f'<rect class="back" width="{WIDTH}" height="{y}"/>'
        + text(MARGIN, 28, "Tokens a second on one core", "text head")
        + text(MARGIN, 46, caption, "quiet")
        + text(WIDTH - MARGIN, 28, "- - bare OpenSSL or libsodium, contexts kept", "rawtext", "end")
        + "".join(parts) + "</svg>\n")
