"""Each file that `cmake --install` copies as text has a line with its license. REUSE.toml has the license of the others.

Installed files leave the tree, and REUSE.toml with it. So that they say what they are, they have the line themselves.
"""

import tree

LICENSE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
INSTALLED = ("include/lockstep/", "tools/lockstep/lockstep.", "tools/lockstep/lockstepxx.", "tools/lockstep++/lockstep++.", "cmake/")


def is_installed(file):
    name = str(file)
    return name.startswith(INSTALLED) and (not name.startswith("cmake/") or file.suffix == ".in")


def check():
    findings = [tree.finding(file, 1, f"is installed, and its first lines lack `{LICENSE}`")
                for file in tree.files() if is_installed(file) and LICENSE not in "".join(tree.text(file).splitlines(True)[:2])]
    if f'SPDX-License-Identifier = "{LICENSE.split(": ")[1]}"' not in tree.text("REUSE.toml"):
        findings.append(tree.finding("REUSE.toml", 1, "names another license"))
    return findings
