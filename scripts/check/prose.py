"""How text reads: comments of C++ and the documents use the field's words, in one spelling, in lines of limited width.
The names and messages of the sources, apart from their tests, use these words, too.

Each rule has a short reason.
"""

import pathlib
import re

import tree

WIDTH = 110  # columns of a line with a comment: its indentation counts
BLOCK = 8  # lines of one comment inside a file; a longer one is a document
HEAD = 20  # lines of the comment with which a file begins: what it does, requires, ensures, why here, an example

WORDS = [  # what is refused, whole words in any case; what to write instead
    (r"jam(?:s|med|ming)?", "interleave, unroll-and-jam"),
    (r"suppositions?|supposes?|supposed", "assumption"),
    (r"detours?", "workaround"),
    (r"whoever|somebody|nobody|everybody|anybody", "name the thread, the caller, the work-item"),
    (r"(?:is|are|was|were|be|been) told", "is reported, is recorded"),
    (r"told of|tells of|tell of", "reports"),
    (r"anew", "again"),
    (r"dear|dearer|dearest", "expensive"),
    (r"mends?|mended|mending", "fix"),
    (r"parted|parts ways", "divergent, split"),
    (r"twins?", "widened value, counterpart"),
    (r"the (?:long|short) way", "slow path, fast path"),
    (r"worker cop(?:y|ies)", "privatized reduction"),
    (r"comes? by", "passes, reaches"),
    (r"comes? to (?:a|the) (?:barrier|meeting)", "reaches"),
    (r"crossing values?", "value live across a barrier"),
    (r"kept functions?", "out-of-line function"),
    (r"lane functions?", "vector variant"),
    (r"strided loops?", "grid-stride loop"),
    (r"full-lane loops?", "unmasked loop"),
    (r"certain touches", "must-access set"),
    (r"launch sums?", "symbolic expression of launch parameters"),
    (r"join(?:s|ed|ing)? work-groups|widen(?:s|ed|ing)? work-groups", "coalesce work-groups"),
    (r"\w+(?:special|serial|private|synchron|optim|initial|vector|packet|linear|canonical|normal)is(?:e|es|ed|ing|ation)",
     "American spelling: -ize"),
    (r"(?:special|serial|privat|synchron|optim|initial|vector|packet|linear|canonical|normal)is(?:e|es|ed|ing|ation)",
     "American spelling: -ize"),
    (r"neighbou?rs?ing s?our|behaviour|colour|neighbour\w*", "American spelling"),
]
BANNED = [(re.compile(rf"\b(?:{words})\b", re.I), instead) for words, instead in WORDS]
# Messages to users negate the verb: `x is not a power of two`.
BANNED_IN_MESSAGES = [*BANNED, (re.compile(r"(?<!there )\b(?:is|are) no\b(?! (?:longer|more)\b)", re.I), "is not")]
# Parts of identifiers, between underscores or capitals, that are refused in the sources.
IDENTIFIER_PARTS = {part: instead for parts, instead in [
    ("tell tells teller told", "record, report, notify"),
    ("turn turns turned", "serialized region, transpose"),
    ("suppose supposes supposed supposition suppositions", "assumption"),
    ("jam jams jammed jammer", "interleave"),
    ("twin twins", "widened value"),
    ("dear dearer dearest", "expensive"),
    ("mend mends mended mender mending", "fix, repair"),
    ("anew", "again, rematerialize"),
    ("nobody somebody whoever everybody anybody", "name the thread, the work-item"),
    ("parted", "divergent, disjoint"),
    ("stranger strangers", "foreign"),
    ("detour detours", "workaround"),
    ("touch touches touching", "access, footprint"),
    ("question questions asker", "check, query"),
    ("meeting meetings", "convergence point"),
    ("said", "reported"),
    ("peaceful", "compatible"),
    ("stamp stamps", "epoch"),
] for part in parts.split()}
IDENTIFIER_FOLDERS = ["src", "tools", "include", "device_lib"]
NAMES_OF_OTHERS = {"__lsan_is_turned_off"}
# A sentence with a subject: not a headless clause.
HEADLESS = re.compile(r"^(?:Of (?!course)|Who |Whose |Whom )")
COMMENT = re.compile(r"^[ \t]*//[/!<]*(.*)$|[;{}),][ \t]+//[/!<]*(.*)$")
NAMED_FILE = re.compile(r"(?<![\w/.<-])((?:[a-z_0-9]+/)*[a-z_0-9]+\.(?:h|cpp|def))\b(?!\()")


def comment_lines(file):
    """(line number, text behind //, whether the line is nothing but the comment)"""
    in_raw = None
    for number, line in enumerate(tree.text(file).split("\n"), 1):
        if in_raw is None:
            begin = re.search(r'R"(\w*)\((?!.*\)\1")', line)
            if begin:
                in_raw = f'){begin.group(1)}"'
            match = COMMENT.search(line)
            if match:
                own = match.group(1) is not None
                yield number, (match.group(1) if own else match.group(2)).strip(), own
        elif in_raw in line:
            in_raw = None


def parts_of(identifier):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", identifier).lower().split("_")


def source_findings(file):
    """Identifiers and messages, outside of comments."""
    if file.stem.endswith("_test") or not any(tree.under(file, folder) for folder in IDENTIFIER_FOLDERS):
        return
    for number, line in enumerate(tree.text(file).split("\n"), 1):
        code = re.sub(r"//.*", "", line)
        for literal in re.findall(r'"((?:[^"\\]|\\.)*)"', line):
            for pattern, instead in BANNED_IN_MESSAGES if " " in literal else []:
                if found := pattern.search(literal):
                    yield tree.finding(file, number, f"message with `{found.group(0)}`: write {instead}")
        for identifier in re.findall(r"[A-Za-z_]\w*", re.sub(r'"(?:[^"\\]|\\.)*"', "", code)):
            for part in parts_of(identifier) if identifier not in NAMES_OF_OTHERS else []:
                if part in IDENTIFIER_PARTS:
                    yield tree.finding(file, number, f"`{identifier}`: write {IDENTIFIER_PARTS[part]}")


def known_names():
    return {f.name for f in tree.files()}


def begin_of(file):
    """The line where the head of a file begins: behind the license, if it is there."""
    return 3 if "SPDX-License-Identifier" in tree.text(file).split("\n", 1)[0] else 1



def cpp_findings(file, names):
    lines = tree.text(file).split("\n")
    block, previous = [], 0
    for number, text, own in comment_lines(file):
        for pattern, instead in BANNED:
            found = pattern.search(text)
            if found:
                yield tree.finding(file, number, f"`{found.group(0)}`: write {instead}")
        if len(lines[number - 1]) > WIDTH and "http" not in text:
            yield tree.finding(file, number, f"a comment of {len(lines[number - 1])} columns; at most {WIDTH}")
        begins = own and previous != number - 1
        if begins and HEADLESS.match(text):
            yield tree.finding(file, number, f"`{text[:30]}...`: begin with what the sentence is about")
        block = block + [number] if own and not begins else [number]
        most = HEAD if block[0] == begin_of(file) else BLOCK
        if len(block) == most + 1:
            yield tree.finding(file, block[0], f"a comment of more than {most} lines: move it to docs/")
        previous = number if own else 0
        for name in NAMED_FILE.findall(text):
            if pathlib.PurePath(name).name not in names:
                yield tree.finding(file, number, f"names {name}, which does not exist")


def document_findings(file):
    fenced = False
    for number, line in enumerate(tree.text(file).split("\n"), 1):
        if line.startswith("```"):
            fenced = not fenced
        if fenced:
            continue
        text = re.sub(r"`[^`]*`", "", line)
        for pattern, instead in BANNED:
            found = pattern.search(text)
            if found:
                yield tree.finding(file, number, f"`{found.group(0)}`: write {instead}")


def findings_of(file, names):
    if file.suffix in tree.CPP:
        return [*cpp_findings(file, names), *source_findings(file)]
    if file.suffix == ".md":
        return document_findings(file)
    return []


def check():
    names = known_names()
    return [finding for file in tree.files() for finding in findings_of(file, names)]


if __name__ == "__main__":
    import sys
    found = []
    for argument in sys.argv[1:]:
        path = pathlib.Path(argument)
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            found += findings_of(file.resolve().relative_to(tree.ROOT), known_names())
    print("\n".join(found) or "nothing found")
