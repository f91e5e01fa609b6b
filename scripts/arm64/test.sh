#!/bin/bash
# Builds Lockstep for AArch64 on this machine, and runs tests under qemu-user. docs/aarch64.md says what passes.
#   scripts/arm64/test.sh [JOBS [ARGUMENT OF CTEST...]]     without arguments of ctest: unit, programs and SYCL tests
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
jobs=${1-$(nproc)}
selection=("${@:2}")
# docs/aarch64.md says why these are left out.
export GTEST_FILTER=-ClosedMemories.ReportATouchBeforeTheProgramGoesOn:Deadlocks.AreNotHeldUpByThreadsThatSleep
left_out='litmus_test|guide.*|benchmarks_.*|pyopencl_client|sycl_driver|sycl_prepared_headers'
[[ ${#selection[@]} != 0 ]] || selection=(-L '^(unit|programs)$' -E "^($left_out)\$")

echo "== root: Debian's packages for AArch64 in build/arm64-root"
scripts/arm64/make_root.sh "$PWD/build/arm64-root"

# lockstep++ of this machine makes the SYCL programs: it is faster than one for AArch64 under the emulator.
echo "== build: lockstep++ for this machine, then everything that the tests need for AArch64, $jobs at a time"
cmake --preset release >/dev/null
cmake --build build/release -j "$jobs" --target lockstep_driver liblockstep_sycl
cmake --preset arm64 >/dev/null
targets=(src device_lib tools examples)
for folder in programs spirv sycl without_checker devices nvidia; do
  targets+=("tests/$folder")
done
cmake --build build/arm64 -j "$jobs" --target "${targets[@]/%//all}"
# Time limits are for this machine's own speed, and ctest has no factor for them.
find build/arm64 -name CTestTestfile.cmake -exec sed -Ei 's/( TIMEOUT )"[0-9]+"/\1"6000"/' {} +

echo "== test: ctest ${selection[*]}, under qemu-user"
scripts/arm64/enter.sh "$PWD/build/arm64-root" ctest --test-dir build/arm64 -j "$jobs" --timeout 6000 \
  --output-on-failure "${selection[@]}"
