"""Runs the commands of a document as a reader would, and compares what they print with the document.

    /usr/bin/python3 tests/guides/guides_test.py PREFIX DOCUMENT

A comment above a fenced block says what the block is:

    <!-- file: NAME -->        the contents of a file
    <!-- run -->               commands of a shell, which succeed
    <!-- run: status N -->     commands whose last one ends with this status
    <!-- output -->            what the commands above it print, on stdout and stderr
    <!-- not run: REASON -->   a block of a language below that no test can run

PREFIX is where Lockstep was installed. All blocks of a document share one folder, which is empty at first. In an
output, a number stands for any number, and `...` stands for any text; a line `...` stands for any lines. A block of
`sh`, `python`, `cpp`, `c` or `cmake` without a comment is an error.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"(?:^<!-- (?P<mark>file|run|output|not run)(?:: (?P<detail>[^\n]*))? -->\n)?"
                   r"^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.M | re.S)
CHECKED = {"sh", "python", "cpp", "c", "cmake"}
NUMBER = re.compile(r"(?:0x[0-9a-fA-F]+|\d+(?:\.\d+)?(?:e[+-]?\d+)?)")
SECONDS = 900  # for one block, on a busy machine


class Mistake(Exception):
    pass


def environment(prefix, folder):
    """The environment of a user who has installed into `prefix`, and has no variable of Lockstep set."""
    (folder / "bin").mkdir()
    (folder / "bin" / "python3").symlink_to("/usr/bin/python3")
    variables = {k: v for k, v in os.environ.items() if not k.startswith(("LOCKSTEP_", "OCL_ICD"))}
    variables["PATH"] = f"{folder / 'bin'}:{prefix / 'bin'}:{variables['PATH']}"
    if (prefix / "etc" / "OpenCL" / "vendors").is_dir():  # else the loader's own folder
        variables["OCL_ICD_VENDORS"] = str(prefix / "etc" / "OpenCL" / "vendors")
    variables["LOCKSTEP_NVIDIA"] = "0"  # a machine without a card
    variables["LOCKSTEP_CACHE_DIR"] = os.environ.get("LOCKSTEP_CACHE_DIR", str(prefix.parent / "cache"))
    variables["PYOPENCL_NO_CACHE"] = "1"
    variables["NO_COLOR"] = "1"
    variables["CXXFLAGS"] = "-O2"  # for CMake: one set of options, so that SYCL's headers are prepared once
    return variables


def pattern(expected):
    """A regular expression for an output: `...` and numbers vary."""
    lines = []
    for line in expected.strip("\n").split("\n"):
        parts = [NUMBER.sub("\0", part) for part in " ".join(line.split()).split("...")]
        lines.append(r"[^\n]*".join(re.escape(part).replace("\0", NUMBER.pattern) for part in parts))
    everything = "\n".join(r"(?:[^\n]*\n)*?[^\n]*" if line == r"[^\n]*" else line for line in lines)
    return re.compile(everything)


def compare(expected, printed):
    plain = "\n".join(" ".join(line.split()) for line in printed.strip("\n").split("\n"))
    if not pattern(expected).fullmatch(plain):
        raise Mistake(f"the document shows:\n{expected}\nbut the commands print:\n{printed}")


def run(commands, status, folder, variables):
    done = subprocess.run(["bash", "-e", "-c", commands], cwd=folder / "work", env=variables, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS)
    printed = done.stdout.decode(errors="replace")
    if done.returncode != status:
        raise Mistake(f"status {done.returncode}, not {status}, of:\n{commands}\n{printed}")
    return printed


def status_of(detail):
    if detail is None:
        return 0
    match = re.fullmatch(r"status (\d+)", detail)
    if not match:
        raise Mistake(f"`<!-- run: {detail} -->` is not known; write `<!-- run: status N -->`")
    return int(match.group(1))


def check_document(text, folder, variables):
    """Returns how many blocks were run."""
    printed, ran = None, 0
    for match in BLOCK.finditer(text):
        mark, detail, block = match.group("mark"), match.group("detail"), match.group("text")
        line = text.count("\n", 0, match.start()) + 1
        try:
            if mark is None and match.group("language") in CHECKED:
                raise Mistake("a block without a comment that says what it is")
            if mark == "file":
                (folder / "work" / detail).write_text(block)
            elif mark == "run":
                printed = run(block, status_of(detail), folder, variables)
                ran += 1
            elif mark == "output":
                if printed is None:
                    raise Mistake("an output without commands above it")
                compare(block, printed)
                printed = None
        except Mistake as mistake:
            raise Mistake(f"line {line}: {mistake}") from None
    return ran


def main():
    prefix, document = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "work").mkdir()
        try:
            ran = check_document((ROOT / document).read_text(), folder, environment(prefix, folder))
        except Mistake as mistake:
            sys.exit(f"{document}: {mistake}")
    if not ran:
        sys.exit(f"{document}: nothing to run")
    print(f"{document}: {ran} blocks run")


if __name__ == "__main__":
    main()
