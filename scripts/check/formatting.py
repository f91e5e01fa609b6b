"""Every C++ file and every kernel source is formatted as .clang-format says; `make format` does it."""

import subprocess

import tree


def check():
    sources = [str(f) for f in tree.files_with(tree.CPP)]
    if not sources:
        return ["no source file found"]
    done = subprocess.run(["clang-format-22", "--dry-run", "-Werror", *sources], cwd=tree.ROOT, capture_output=True,
                          text=True)
    wrong = sorted({line.split(": error:")[0] for line in done.stderr.splitlines() if ": error:" in line})
    first_of_file = {}
    for place in wrong:
        file, line, _ = place.rsplit(":", 2)
        first_of_file.setdefault(file, []).append(int(line))
    findings = [f"{file}:{min(lines)}: {len(lines)} lines are not formatted; run `make format`"
                for file, lines in first_of_file.items()]
    if done.returncode and not findings:
        findings.append(done.stderr.strip())
    return findings
