"""Small rules that a line shows: #pragma once, one LLVM version, no goto, no unfinished marks."""

import re

import tree

RULES = [ # what is refused, in which files, why
    (re.compile(r"^[ \t]*#[ \t]*(?:el)?if.*\b(?:LLVM_VERSION|CLANG_VERSION|__clang_major__)", re.M), tree.CPP,
     "one LLVM version, no conditionals: the whole tree moves at once"),
    (re.compile(r"\bgoto\b"), {".cpp", ".h"}, "no goto: control flow must be visible"),
    (re.compile(r"\b(?:TO" r"DO|FIX" r"ME|X" r"XX|HA" r"CK)\b"), {".cpp", ".h", ".py", ".cl", ".sh", ".txt", ".cmake", ".md"},
     "no unfinished marks: finish it, or say in docs/ what is missing"),
    (re.compile(r"^[ \t]*using namespace (?!llvm|std::literals|std::chrono_literals|lockstep|testing|clang|sycl|cl::sycl)", re.M),
     {".cpp", ".h"}, "using namespace only for llvm, clang, testing and our own, SYCL's among them"),
]
COMMENT_OR_STRING = re.compile(r'R"(\w*)\(.*?\)\1"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)


def code_only(source):
    """The text with comments and strings blanked, so that a word in a sentence or a kernel breaks no rule."""
    return COMMENT_OR_STRING.sub(lambda m: re.sub(r"[^\n]", " ", m.group(0)), source)


def check():
    findings = []
    for file in tree.files():
        source = tree.text(file) if any(file.suffix in suffixes for _, suffixes, _ in RULES) else ""
        for pattern, suffixes, why in RULES:
            if file.suffix not in suffixes:
                continue
            searched = code_only(source) if "goto" in pattern.pattern else source
            findings += [tree.finding(file, searched.count("\n", 0, m.start()) + 1, f"`{m.group(0).strip()}`: {why}")
                         for m in pattern.finditer(searched)]
        if file.suffix in (".h", ".hpp") and "#pragma once" not in source:
            findings.append(tree.finding(file, 1, "a header without #pragma once"))
        if file.suffix in (".h", ".hpp") and re.search(r"^using namespace", source, re.M):
            findings.append(tree.finding(file, 0, "a header must not say `using namespace`"))
    return findings
