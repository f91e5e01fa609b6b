"""What the checks share: the files of the repository, its include graph, and the form of a finding."""

import functools
import os
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED_FOLDERS = {"build", ".git", ".cache", "__pycache__", "shared", ".vscode", ".idea"}
CPP = {".cpp", ".h", ".hpp"}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]', re.M)


@functools.cache
def files():
    """Every file of the repository, as paths relative to its root; also those that git does not know yet."""
    found = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = sorted(f for f in folders if f not in SKIPPED_FOLDERS)
        found += [(pathlib.Path(folder) / name).relative_to(ROOT) for name in names]
    return sorted(found)


def files_with(suffixes):
    return [f for f in files() if f.suffix in suffixes]


@functools.cache
def text(file):
    return (ROOT / file).read_text(errors="replace")


@functools.cache
def includes(file):
    """What a file includes: paths of our own files, and everything else as it is written."""
    found = []
    for match in INCLUDE.finditer(text(file)):
        name = match.group(1)
        for base in (pathlib.Path("src"), pathlib.Path("."), file.parent, pathlib.Path("include/lockstep")):
            path = pathlib.Path(os.path.normpath(base / name))
            if (ROOT / path).is_file():
                found.append(path)
                break
        else:
            found.append(name)
    return found


@functools.cache
def include_closure(file):
    """All that a file includes, directly or through our own headers: {include: the file that wrote it}."""
    seen, waiting = {}, [file]
    while waiting:
        current = waiting.pop()
        for include in includes(current):
            if include not in seen:
                seen[include] = current
                if isinstance(include, pathlib.Path):
                    waiting.append(include)
    return seen


def finding(file, line, sentence):
    return f"{file}:{line}: {sentence}" if line else f"{file}: {sentence}"


def line_of(file, position):
    return text(file).count("\n", 0, position) + 1


def under(file, folder):
    return pathlib.Path(folder) in [file, *file.parents]
