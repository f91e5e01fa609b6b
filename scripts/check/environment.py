"""docs/environment.md lists exactly the LOCKSTEP_ variables that are read anywhere."""

import pathlib
import re

import tree

TABLE = pathlib.Path("docs/environment.md")
READ = re.compile(r'\benvironment(?:_number|_flag|_size)?\(\s*"([A-Z_0-9]+)"'  # support/environment.h adds the prefix
                  r'|getenv\(\s*"LOCKSTEP_([A-Z_0-9]+)"'
                  r'|environ(?:\.get\(|\[)\s*["\']LOCKSTEP_([A-Z_0-9]+)'
                  r"|\$\{?LOCKSTEP_([A-Z_0-9]+)")
SEARCHED = {".cpp", ".h", ".py", ".sh"}


def variables_read():
    found = {}
    for file in tree.files():
        if file.suffix not in SEARCHED and file.name not in ("Makefile", "run"):
            continue
        if file.parts[:2] == ("scripts", "check") or file.stem.endswith("_test"):
            continue
        for match in READ.finditer(tree.text(file)):
            found.setdefault("LOCKSTEP_" + next(filter(None, match.groups())), file)
    return found


def check():
    listed = set(re.findall(r"^\| `(LOCKSTEP_\w+)", tree.text(TABLE), re.M))
    read = variables_read()
    findings = [tree.finding(file, 0, f"reads {name}, which {TABLE} does not list")
                for name, file in sorted(read.items()) if name not in listed]
    findings += [tree.finding(TABLE, 0, f"lists {name}, which nothing reads") for name in sorted(listed - set(read))]
    return findings
