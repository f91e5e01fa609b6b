"""Files aim at 400 lines: more than 600 is a warning, more than 1000 is refused. Functions: 60 and 100.

Tables (.def, .inc, .map) may be as long as they are. A function that is one flat list of steps may be longer than 100
lines if the line above it says so: `// flat: <what the list is>`.
"""

import re

import tree

CHECKED = {".cpp", ".h", ".hpp", ".cl", ".py", ".sh", ".cmake"}
FILE_WARNING, FILE_LIMIT = 600, 1000
FUNCTION_WARNING, FUNCTION_LIMIT = 60, 100
# Sources are formatted (formatting.py), so the body of a function opens with a line that ends in " {" and closes with
# a "}" in the column where its first line began.
NO_FUNCTION = re.compile(r"^\s*(namespace|struct|class|enum|union|extern|static_assert|using|typedef|template\s*<[^{]*$|"
                         r"const|constexpr|inline constexpr|static const|if|for|while|switch|do|else|case|default|"
                         r"return|try|catch|public|private|protected|[#}/*{])\b|^\s*[#}/*{]|^\s*$|= \{$|=$")


def functions(lines):
    """(first line, last line) of each function, counted from 1."""
    index = 0
    while index < len(lines):
        line = lines[index]
        indent = len(line) - len(line.lstrip())
        opening = opening_line(lines, index) if indent <= 2 and not NO_FUNCTION.match(line) else None
        if opening is None:
            index += 1
            continue
        closing = " " * indent + "}"
        end = next((i for i in range(opening + 1, len(lines)) if lines[i] == closing), None)
        if end is None:
            index += 1
            continue
        yield index + 1, end + 1
        index = end + 1


def opening_line(lines, index):
    """The line that ends in " {" and belongs to the declaration that begins at `index`."""
    for i in range(index, min(index + 10, len(lines))):
        line = lines[i].split("//")[0].rstrip()
        if re.match(r"\s*(class|struct|union|enum)\b", line):  # behind its template's parameters
            return None
        if line.endswith((";", "}", ",")) and not (i > index or line.endswith(",")):
            return None
        if line.endswith((";", "}")):
            return None
        if line.endswith(" {"):
            head = " ".join(lines[index : i + 1])
            return i if "(" in head and "= {" not in head else None
    return None


def check(warn=lambda sentence: None):
    findings = []
    for file in tree.files():
        if file.suffix not in CHECKED:
            continue
        lines = tree.text(file).splitlines()
        if len(lines) > FILE_LIMIT:
            findings.append(tree.finding(file, 0, f"{len(lines)} lines; {FILE_LIMIT} is the limit: split it"))
        elif len(lines) > FILE_WARNING:
            warn(tree.finding(file, 0, f"{len(lines)} lines; files aim at 400"))
        if file.suffix not in tree.CPP:
            continue
        for first, last in functions(lines):
            length = last - first + 1
            flat = first > 1 and "// flat:" in lines[first - 2]
            if length > FUNCTION_LIMIT and not flat:
                findings.append(tree.finding(file, first, f"a function of {length} lines; {FUNCTION_LIMIT} is the limit"))
            elif length > FUNCTION_WARNING and not flat:
                warn(tree.finding(file, first, f"a function of {length} lines; functions aim at {FUNCTION_WARNING}"))
    return findings
