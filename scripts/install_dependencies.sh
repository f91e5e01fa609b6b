#!/bin/bash
# Installs with apt what building, testing and demonstrating Lockstep needs on Debian 12 and is missing.
# Nothing is downloaded when all is there, so every make target can afford to call this.
#   scripts/install_dependencies.sh           install what is missing
#   scripts/install_dependencies.sh --check   say what is missing, install nothing; exit code 1 if anything is
#   scripts/install_dependencies.sh --list    print the packages
#   scripts/install_dependencies.sh --packaging what `make package` and `make test-package` need as well
#   scripts/install_dependencies.sh --clients what `make clients` runs as well: other people's OpenCL programs
set -euo pipefail

# LLVM 22 comes from bookworm-security, everything else from bookworm.
compiler=(clang-22 lld-22 llvm-22-dev llvm-22-tools libclang-22-dev libclang-rt-22-dev libomp-22-dev
          libclc-22 libclc-22-dev clang-format-22 clang-tidy-22 libstdc++-12-dev zlib1g-dev libzstd-dev libxml2-dev)
build=(cmake ninja-build make ccache git pkg-config)
libraries=(libhwloc-dev libcli11-dev libfmt-dev nlohmann-json3-dev spirv-headers)
opencl=(ocl-icd-libopencl1 ocl-icd-dev ocl-icd-opencl-dev opencl-headers opencl-clhpp-headers)
tests=(libgtest-dev libgmock-dev libbenchmark-dev python3 python3-pyopencl python3-numpy clinfo pocl-opencl-icd spirv-tools gdb
       libopenmpi-dev openmpi-bin)
rivals=(libopenblas0-pthread)
clients=(python3-pytest libboost-dev libviennacl-dev libclfft-dev clfft-client clblast-tests hashcat python3-simtk
         libopenmm-plugins clpeak ffmpeg darktable python3-opencv python3-silx libfftw3-dev
         python3-pyfai python3-sasmodels python3-pygpu gegl leela-zero python3-gmpy2 python3-gpyfft
         python3-compyle python3-dtcwt libufo-bin ufo-filters hcxkeys mandelbulber2 libstb-dev)
packaging=(debhelper lintian debootstrap)
packages=("${compiler[@]}" "${build[@]}" "${libraries[@]}" "${opencl[@]}" "${tests[@]}" "${rivals[@]}")

say() { printf 'dependencies: %s\n' "$*"; }
fail() { printf 'dependencies: %s\n' "$@" >&2; exit 1; }

if [[ ${1-} == --clients ]]; then
  packages+=("${clients[@]}")
  shift
fi
if [[ ${1-} == --packaging ]]; then
  packages+=("${packaging[@]}")
  shift
fi
if [[ ${1-} == --list ]]; then
  printf '%s\n' "${packages[@]}"
  exit 0
fi
[[ $# == 0 || $1 == --check ]] || fail "unknown argument '$1'; see the head of scripts/install_dependencies.sh"

command -v dpkg-query >/dev/null || fail \
  "this is not a Debian system (there is no dpkg-query)." \
  "Install LLVM and clang 22, libclc, hwloc, fmt, CLI11, nlohmann-json, GoogleTest and an OpenCL loader by hand;" \
  "the first lines of scripts/install_dependencies.sh name Debian's packages."

missing=()
declare -A installed=()
while IFS=$'\t' read -r status name; do
  [[ $status == 'install ok installed' ]] && installed[$name]=1
done < <(dpkg-query -W -f='${Status}\t${Package}\n' "${packages[@]}" 2>/dev/null || true)
for package in "${packages[@]}"; do
  [[ ${installed[$package]-} ]] || missing+=("$package")
done

if [[ ${#missing[@]} == 0 ]]; then
  say "all ${#packages[@]} packages are installed"
  exit 0
fi
say "${#missing[@]} of ${#packages[@]} packages are missing: ${missing[*]}"
[[ ${1-} == --check ]] && exit 1

codename=$(. /etc/os-release 2>/dev/null; echo "${ID-unknown} ${VERSION_CODENAME-unknown}")
[[ $codename == 'debian bookworm' ]] ||
  say "this is '$codename', not Debian 12 (bookworm); trying the same package names"

as_root=()
if [[ $(id -u) != 0 ]]; then
  command -v sudo >/dev/null || fail "installing needs root, and there is no sudo. Run as root:" \
    "  apt-get install --no-install-recommends ${missing[*]}"
  as_root=(sudo)
  say "installing needs root: sudo may ask for your password"
fi

say "apt-get update"
refreshed=1
# A source that has nothing to do with us may be out of reach; what counts is whether our packages are known afterwards.
"${as_root[@]}" apt-get update -qq -o APT::Update::Error-Mode=any || refreshed=0
[[ $refreshed == 1 ]] || say "some package lists could not be refreshed (is there a network?); going on with what is known"

unknown=()
for package in "${missing[@]}"; do
  # Packages that apt does not know have no candidate.
  candidate=$(apt-cache policy "$package" | sed -n 's/^  Candidate: //p')
  [[ -n $candidate && $candidate != '(none)' ]] || unknown+=("$package")
done
if [[ ${#unknown[@]} != 0 ]]; then
  say "apt has no package ${unknown[*]}" >&2
  [[ $refreshed == 1 ]] || fail "package lists are missing: connect this machine to a network and try again"
  fail "LLVM 22 is in Debian 12's security updates; /etc/apt/sources.list needs the line" \
    "  deb http://security.debian.org/debian-security bookworm-security main"
fi

say "apt-get install (about 1.5 GB when nothing is there yet; a few minutes)"
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -qq --no-install-recommends -o Dpkg::Use-Pty=0 "${missing[@]}" </dev/null >/dev/null || fail \
  "apt-get install failed; its messages stand above. To see all of them run" \
  "  apt-get install --no-install-recommends ${missing[*]}"
say "done"
