"""No source file can be forgotten: the CMakeLists.txt of its folder, or of a folder above, names it."""

import os
import pathlib
import re

import tree


def must_be_named(file):
    """Sources that are compiled by the build; kernels of examples and tests are read at run time."""
    return file.suffix == ".cpp" or (file.suffix == ".cl" and file.parts[0] == "device_lib")


def check():
    lists = [f for f in tree.files() if f.name == "CMakeLists.txt"]
    named = {path for cmake_list in lists for path in named_paths(cmake_list)}
    findings = [tree.finding(file, 0, "no CMakeLists.txt names it, so it is in no build")
                for file in filter(must_be_named, tree.files()) if file not in named]
    findings += [f for cmake_list in lists for f in missing_files(cmake_list)]
    return findings


FOREACH = re.compile(r"foreach\(\s*(\w+)\s+(?:IN\s+(?:LISTS|ITEMS)\s+)?([^)]*)\)")
SET = re.compile(r"set\(\s*(\w+)\s+([^)]*)\)")


def words(cmake_list):
    """All words, and those with a loop's variable once for each of its items."""
    source = re.sub(r"#.*", "", tree.text(cmake_list))
    lists = {name: items.split() for name, items in SET.findall(source)}
    found = set(re.split(r'[\s()";]+', source))
    for variable, items in FOREACH.findall(source):
        values = [value for item in items.split() for value in lists.get(item, [item])]
        pattern = "${%s}" % variable
        found |= {word.replace(pattern, value) for word in found if pattern in word for value in values}
    return found


def named_paths(cmake_list):
    """Each word, as a path from where the list lies."""
    return {pathlib.Path(os.path.normpath(cmake_list.parent / word)) for word in words(cmake_list)}


def missing_files(cmake_list):
    """A list that names a file that is not there: cmake says so too, but only for files that it compiles."""
    for word in sorted(words(cmake_list)):
        path = pathlib.Path(word)
        if path.suffix in (".cpp", ".h") and "$" not in word and not (tree.ROOT / cmake_list.parent / path).is_file():
            yield tree.finding(cmake_list, 0, f"names {word}, which does not exist")
