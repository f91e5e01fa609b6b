"""The names of kernel IR: src/kernel_ir/names.def has each that the sources write; docs/kernel_ir.md has the table of them.

`python3 scripts/check/names.py` writes the table anew from the rows.
"""

import pathlib
import re

import tree

ROWS = pathlib.Path("src/kernel_ir/names.def")
DOCUMENT = pathlib.Path("docs/kernel_ir.md")
ROW = re.compile(r'^LOCKSTEP_NAME\((\w+), "([^"]+)", "([^"]+)", "([^"]+)"\)$', re.M)
LITERAL = re.compile(r'"(lockstep[-.][A-Za-z0-9_.-]+)"')
BEGIN, END = "<!-- names: written by scripts/check/names.py -->", "<!-- end of names -->"
# Names of things that are not in a module.
ELSEWHERE = {"lockstep.host", "lockstep.object", "lockstep.address.spaces", "lockstep.frame", "lockstep.kept"}
FOLDERS = ["src/kernel_ir", "src/front_ends", "src/compiler", "src/back_ends", "src/abi"]


def rows():
    return ROW.findall(tree.text(ROWS))


def table():
    lines = [BEGIN, "| kind | name | written by | meaning |", "|---|---|---|---|"]
    lines += [f"| {kind} | `{name}` | {writer} | {meaning} |" for kind, name, writer, meaning in rows()]
    return "\n".join(lines + [END])


def document_with_table():
    text = tree.text(DOCUMENT)
    begin, end = text.find(BEGIN), text.find(END)
    return text[:begin] + table() + text[end + len(END):] if begin >= 0 <= end else None


def check():
    names = [name for _, name, _, _ in rows()]
    prefixes = tuple(name[:-1] for name in names if name.endswith("*"))
    findings = []
    written = set()
    for file in tree.files_with({".cpp", ".h"}):
        if not any(tree.under(file, folder) for folder in FOLDERS) or file.stem.endswith("_test"):
            continue
        source = re.sub(r"^[ \t]*//.*$", "", tree.text(file), flags=re.M)
        for match in LITERAL.finditer(source):
            name = match.group(1)
            written.add(name)
            if name not in names and name not in ELSEWHERE and not name.startswith(prefixes):
                findings.append(tree.finding(file, 0, f"{name} is not a row of {ROWS}"))
    known = {n for n in written} | {"lockstep.sub_group"}
    findings += [tree.finding(ROWS, 0, f"{name}: no source has this name") for name in names
                 if not name.endswith("*") and name not in known]
    if document_with_table() != tree.text(DOCUMENT):
        findings.append(tree.finding(DOCUMENT, 0, "its table of names is not that of names.def: run scripts/check/names.py"))
    return findings


if __name__ == "__main__":
    (tree.ROOT / DOCUMENT).write_text(document_with_table())
