"""The environment is read and files are made in one place each, as docs/trust.md says; the tests that it names exist."""

import re

import conventions
import tree

SHIPPED = ["src", "tools", "include"]
RULES = [ # what is refused, where it may be, what to use
    (re.compile(r"\b(?:secure_)?getenv\s*\("), ["src/support/environment.cpp"],
     "environment() and system_variable() of support/environment.h read the environment"),
    (re.compile(r"\benviron\b"), ["tools/lockstep/doctor_checks.cpp"], # which lists what is set
     "environment() and system_variable() of support/environment.h read the environment"),
    (re.compile(r"\btemp_directory_path\b|\b(?:mktemp|tmpnam|tempnam|tmpfile|mkstemps?|mkostemps?)\s*\("),
     ["src/platform/linux/temporary_file.cpp"], "TemporaryFile of platform/linux/temporary_file.h makes temporary files"),
    (re.compile(r"\bO_CREAT\b|\bO_TMPFILE\b|\bofstream\b|\bcreat\s*\("),
     ["src/platform/linux/output_file.cpp", "src/process/disk_cache.cpp",
      "src/api/sycl/command_graph.cpp", "tools/lockstep/fill.cpp"], # the caller names the file
     "open_output() of platform/linux/output_file.h opens files that the environment names"),
    (re.compile(r'\bfopen\s*\([^;]*,\s*"[wa]'), [], "open_output() of platform/linux/output_file.h opens files to write to"),
]


DOCUMENTS = ["docs/trust.md", "docs/process_life.md"]


def missing_tests():
    """Names of tests in these documents, such as `jit_test` or `cli_trust`, that no file has."""
    stems = {file.stem for file in tree.files() if file.parts[0] in ("src", "tests")}
    findings = []
    for name in DOCUMENTS:
        source = tree.text(name)
        for match in re.finditer(r"`(\w+_test|cli_\w+)(?:\.cpp)?`", source):
            test = match.group(1)
            if test not in stems and f"{test.removeprefix('cli_')}_test" not in stems:
                findings.append(tree.finding(name, source.count("\n", 0, match.start()) + 1, f"there is no test {test}"))
    return findings


def check():
    findings = missing_tests()
    for file in tree.files_with(tree.CPP):
        if file.parts[0] not in SHIPPED or file.stem.endswith("_test"):
            continue
        source = tree.text(file)
        code = conventions.code_only(source)
        for pattern, allowed, instead in RULES:
            searched = source if '"' in pattern.pattern else code
            findings += [tree.finding(file, searched.count("\n", 0, match.start()) + 1,
                                      f"`{match.group(0).strip()}`: {instead}")
                         for match in pattern.finditer(searched) if str(file) not in allowed]
    return findings
