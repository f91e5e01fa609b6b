"""No source file can be forgotten: the CMakeLists.txt of its folder, or of a folder above, names it."""

import pathlib
import re

import tree

NAMED = {".cpp", ".cl"}


def check():
    lists = [f for f in tree.files() if f.name == "CMakeLists.txt"]
    findings = []
    for file in tree.files_with(NAMED):
        if not any(names(cmake_list, file) for cmake_list in lists if cmake_list.parent in file.parents):
            findings.append(tree.finding(file, 0, "no CMakeLists.txt names it, so it is in no build"))
    findings += missing_files(lists)
    return findings


def names(cmake_list, file):
    """By its path relative to the list, or by its stem where a loop adds the ending."""
    relative = file.relative_to(cmake_list.parent)
    words = set(re.split(r'[\s()";]+', without_comments(cmake_list)))
    return bool(words & {str(relative), str(relative.with_suffix("")), file.stem})


def missing_files(lists):
    """A list that names a file that is not there: cmake says so too, but only for files that it compiles."""
    for cmake_list in lists:
        for word in re.split(r'[\s()";]+', without_comments(cmake_list)):
            path = pathlib.Path(word)
            if path.suffix in tree.CPP and "$" not in word and not (tree.ROOT / cmake_list.parent / path).is_file():
                yield tree.finding(cmake_list, 0, f"names {word}, which does not exist")


def without_comments(cmake_list):
    return re.sub(r"#.*", "", tree.text(cmake_list))
