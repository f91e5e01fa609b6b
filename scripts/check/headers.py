"""Every header compiles alone.

A header that some .cpp includes before everything else is compiled alone by the build itself, so nothing is done for
it: LLVM's headers cost seconds. The others are compiled here, again only if they, or one of our headers that they
include, have changed: build/check/headers/ keeps a mark for each that is fine.
"""

import concurrent.futures
import hashlib
import os
import pathlib
import subprocess

import tree

MARKS = tree.ROOT / "build" / "check" / "headers"
DEPRECATED = [f"-DCL_USE_DEPRECATED_OPENCL_{v}_APIS" for v in ("1_0", "1_1", "1_2", "2_0", "2_1", "2_2")]
FLAGS = ["-std=c++20", "-isystem", "include/lockstep", "-fsyntax-only", "-Wall", "-Wextra", "-Wno-unused-parameter", "-Wno-pragma-once-outside-header",
         "-Wno-macro-redefined", 
         "-Werror", "-I.", "-Isrc", "-Iinclude", "-isystem", "/usr/lib/llvm-22/include", "-DCL_TARGET_OPENCL_VERSION=300",
         '-DLOCKSTEP_VERSION="0"', *DEPRECATED]


# Headers of SYCL programs: in the oldest C++ that they support, the host side, which has everything.
SYCL_FLAGS = ["-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-pragma-once-outside-header", "-Iinclude/lockstep",
              "-Xclang", "-fsycl-is-host"]


def flags_for(header):
    is_of_sycl = header.suffix == ".hpp" or "\n#include <sycl/sycl.hpp>\n" in tree.text(header)
    return SYCL_FLAGS if is_of_sycl else FLAGS


def mark_of(header):
    parts = [header] + sorted(f for f in tree.include_closure(header) if isinstance(f, pathlib.Path))
    digest = hashlib.sha256(repr(flags_for(header)).encode())
    for part in parts:
        digest.update(str(part).encode() + tree.text(part).encode())
    return MARKS / digest.hexdigest()


def compile_alone(header):
    mark = mark_of(header)
    if mark.exists():
        return []
    command = ["clang++-22", *flags_for(header), "-x", "c++", str(header)]
    done = subprocess.run(command, cwd=tree.ROOT, capture_output=True, text=True)
    if done.returncode:
        first = next((line for line in done.stderr.splitlines() if "error:" in line), done.stderr.strip()[:300])
        return [tree.finding(header, 0, f"does not compile alone: {first}")]
    mark.touch()
    return []


def check():
    MARKS.mkdir(parents=True, exist_ok=True)
    proven = {includes[0] for includes in map(tree.includes, tree.files_with({".cpp"})) if includes}
    headers = [h for h in tree.files_with({".h", ".hpp"}) if h not in proven and h.parts[0] != "device_lib"]  # OpenCL C
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [f for findings in pool.map(compile_alone, headers) for f in findings]
