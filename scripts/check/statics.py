"""Objects with static storage in src/ and device_lib/ are constant-initialized, or made by leaked() (src/platform/linux/leaked.h).

exit() destroys other objects while threads of ours use them, since worker threads run until the process is gone. And a
variable of a function that is initialized at its first use has a guard, which stays locked in a child of fork() if
another thread of the parent was initializing it (docs/process_life.md).
"""

import re

import conventions
import tree

WHY = "an object with static storage that is neither constexpr nor constinit: use leaked() of platform/linux/leaked.h"

# A declaration: `static` or `thread_local`, the type, a name, and an initializer or none. Functions have parentheses.
DECLARATION = re.compile(
    r"^(?P<indent>[ \t]*)(?P<words>(?:(?:static|inline|const|thread_local|constinit|constexpr)[ \t]+)+)"
    r"(?P<type>(?:struct[ \t]+|class[ \t]+)?[A-Za-z_][\w:]*(?:<[^;{}()=]*>)?(?:::\w+)?(?:[ \t]*const)?[ \t*&]+(?:const[ \t]+)?)"
    r"(?P<name>\w+)(?:\[[^\]]*\])*[ \t]*(?P<rest>=|;|\{|\()", re.M)

# The same of a namespace, without `static`.
VARIABLE = re.compile(r"^(?:std::|[A-Z]\w*\b)(?:[\w:<>, *&]|\(\))*[ >](?P<name>[a-z_]+)(?: = [^;]*|\{[^;]*\})?;", re.M)

# Of a namespace, these are initialized when the library is loaded, and have no destructor.
PLAIN = {"bool", "int", "unsigned", "double"}

# Constructors of these are constexpr, or register a function when the library is loaded; none has a destructor.
CONSTANT_INITIALIZED = ("std::atomic<", "std::uint", "uint", "ForkHook", "const ForkHook")


def is_declaration_of_function(source, match):
    """`T name(...)` followed by a body, a semicolon or a qualifier, and not an object that is given arguments."""
    if match["rest"] != "(":
        return False
    depth, at = 0, match.end() - 1
    while at < len(source):
        depth += {"(": 1, ")": -1}.get(source[at], 0)
        at += 1
        if depth == 0:
            break
    inside = source[match.end():at - 1]
    return bool(re.match(r"\s*(?:const|noexcept|override|final|->|\{|;|requires|=)", source[at:])) and not re.match(
        r"\s*\[", inside)


def check():
    findings = []
    for file in tree.files_with({".cpp", ".h"}):
        is_product = tree.under(file, "src") or tree.under(file, "device_lib")
        if not is_product or file.stem.endswith(("_test", "_benchmark")) or file.name.startswith("test_"):
            continue
        source = conventions.code_only(tree.text(file))
        for match in DECLARATION.finditer(source):
            words = match["words"].split()
            if "static" not in words and "thread_local" not in words:
                continue
            if "constexpr" in words or "constinit" in words or is_declaration_of_function(source, match):
                continue
            # A thread's own object ends with the thread, which is what its destructor is for.
            if "thread_local" in words:
                continue
            if match["indent"] == "" and (match["type"].strip() in PLAIN or match["type"].strip()[-1] in "*&"):
                continue
            if match["type"].strip().startswith(CONSTANT_INITIALIZED):
                continue
            findings.append(tree.finding(file, source.count("\n", 0, match.start()) + 1, f"`{match['name']}`: {WHY}"))
        findings += [tree.finding(file, source.count("\n", 0, match.start()) + 1, f"`{match['name']}`: {WHY}")
                     for match in VARIABLE.finditer(source) if file.suffix == ".cpp"]
    return findings
