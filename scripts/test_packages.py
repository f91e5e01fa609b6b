#!/usr/bin/python3
"""Installs the packages into a bare Debian 12 system, and runs the README's commands there.

    scripts/test_packages.py FOLDER [--root ROOT]

FOLDER holds the .deb files (`make package`). ROOT (default: build/bare_system) is made by debootstrap and kept as a
template; the packages are installed into a copy of it. Needs root and the network. Takes some minutes.
"""

import argparse
import pathlib
import shutil
import subprocess
import sys

TREE = pathlib.Path(__file__).resolve().parents[1]
MIRROR = "http://deb.debian.org/debian"
SECURITY = "deb http://deb.debian.org/debian-security bookworm-security main\n"  # has LLVM 22
READER = ["python3", "python3-pyopencl", "cmake", "make"]  # what the README's examples use besides
GUIDES = ["README.md", "docs/guide/getting-started.md"]


def say(sentence):
    print(f"test_packages: {sentence}", flush=True)


def inside(root, *command):
    """Runs a command in the other system, in a mount namespace of its own."""
    script = ('mount -t proc proc "$0/proc" && mount -t tmpfs tmpfs "$0/dev/shm" && mount --rbind /sys "$0/sys" && '
              'mount --bind /dev/null "$0/dev/null" && mount --bind /dev/urandom "$0/dev/urandom" && exec chroot "$0" env -i HOME=/root LC_ALL=C.UTF-8 '
              'PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"')
    subprocess.run(["unshare", "--mount", "sh", "-c", script, root, *command], check=True)


def make_template(template):
    if (template / "etc/debian_version").is_file():
        return
    say(f"debootstrap into {template}")
    subprocess.run(["debootstrap", "--variant=minbase", "bookworm", template, MIRROR], check=True, stdout=subprocess.DEVNULL)
    (template / "etc/apt/sources.list.d/security.list").write_text(SECURITY)


def copy_guides(root):
    for name in [*GUIDES, "tests/guides/guides_test.py"]:
        target = root / "lockstep" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(TREE / name, target)


def files_left(root):
    found = subprocess.run(["find", root / "usr", root / "etc", "-iname", "*lockstep*"], capture_output=True, text=True,
                           check=True).stdout.splitlines()
    return [file for file in found if "/llvm-22/" not in file]  # LLVM has a LockstepReverseIterator


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--root", type=pathlib.Path, default=TREE / "build" / "bare_system")
    request = parser.parse_args()
    packages = sorted(request.folder.glob("*.deb"))
    if not packages:
        sys.exit(f"test_packages: no .deb in {request.folder}; run make package first")
    template, root = request.root.resolve(), request.root.resolve().with_name(request.root.name + ".test")
    make_template(template)
    subprocess.run(["rm", "-rf", root], check=True)
    subprocess.run(["cp", "-a", template, root], check=True)
    (root / "packages").mkdir()
    for package in packages:
        shutil.copy(package, root / "packages")
    names = [f"/packages/{package.name}" for package in packages]
    say(f"install {len(names)} packages with what they depend on")
    inside(root, "apt-get", "update", "-qq")
    inside(root, "apt-get", "install", "-y", "-qq", "-o", "Dpkg::Use-Pty=0", *names)
    say("lockstep doctor")
    inside(root, "lockstep", "doctor")
    say("the README, as its reader types it")
    inside(root, "apt-get", "install", "-y", "-qq", "--no-install-recommends", "-o", "Dpkg::Use-Pty=0", *READER)
    copy_guides(root)
    for guide in GUIDES:
        inside(root, "python3", "/lockstep/tests/guides/guides_test.py", "/usr", guide)
    say("purge")
    # apt also removes python3-pyopencl, which needs an OpenCL driver.
    inside(root, "apt-get", "purge", "-y", "-qq", "-o", "Dpkg::Use-Pty=0", *[package.name.split("_")[0] for package in packages])
    left = files_left(root)
    if left:
        sys.exit("test_packages: not removed: " + ", ".join(left))
    say("passed")


main()
