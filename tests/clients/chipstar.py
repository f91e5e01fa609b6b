"""chipStar, which runs HIP programs on OpenCL, with stock clang 22: builds it, and compiles programs for it.

    /usr/bin/python3 tests/clients/chipstar.py FOLDER

clones chipStar from GitHub into FOLDER/source, unless sources are there, and builds the runtime, the passes and the device
library into FOLDER/build. `CHIPSTAR=FOLDER tests/clients/run.py chipstar` then runs HIP programs: chipstar.hip, and if HECBENCH
names a clone of github.com/zjin-lcf/HeCBench, programs of that.

clang 22 calls the program llvm-spirv, which Debian does not have for LLVM 22. A script of that name calls LLVM's own back end.
"""

import os
import pathlib
import re
import subprocess
import sys

REPOSITORY, COMMIT = "https://github.com/CHIP-SPV/chipStar.git", "edd7ad21246965632cf66717fe2e4e9163bbe643"
LLVM = pathlib.Path("/usr/lib/llvm-22")
TARGETS = ("CHIP", "hipcc.bin", "hipconfig.bin")

# LLVM's back end refuses calls of functions that are declared hidden.
LLVM_SPIRV = """#!/bin/sh
for word; do case $word in -*) ;; *.bc) in=$word ;; *) out=$word ;; esac; done
llvm-dis-22 "$in" -o - | sed 's/^declare \\(hidden\\|protected\\) /declare /' |
  llc-22 -mtriple=spirv64v1.4-unknown-unknown -filetype=obj -o "$out" \\
    --spirv-ext=+SPV_EXT_shader_atomic_float_add,+SPV_EXT_shader_atomic_float_min_max,+SPV_INTEL_subgroups
"""

# Files, a text that says that nothing is to be changed, pattern, replacement. The first three save time. The others are for
# submodules of 2024, and change nothing in newer ones.
LAYOUT = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
CHANGES = [
    ("CMakeLists.txt", None, " -gdwarf-4", ""),
    ("CMakeLists.txt", None, r"set_property\(TARGET CHIP PROPERTY INTERPROCEDURAL_OPTIMIZATION TRUE\)", ""),
    ("bitcode/ROCm-Device-Libs/cmake/OCL.cmake", "-fdeclare-opencl-builtins", "-Xclang -finclude-default-header",
     "-Xclang -fdeclare-opencl-builtins -Xclang -finclude-default-header"),
    ("bitcode/ROCm-Device-Libs/irif/src/*.ll", None, r'(?m)^target datalayout = ".*"', f'target datalayout = "{LAYOUT}"'),
    ("HIP/include/hip/hiprtc.h", None, r"const char\*\* (options\);|headers,|includeNames\);)", r"const char* const* \1"),
    ("HIP/include/hip/hip_runtime_api.h", "hipDeviceAttributeHostNumaId", r"hipDeviceAttributeCudaCompatibleEnd = 9999,",
     "hipDeviceAttributeHostNumaId, hipDeviceAttributePciDomainId = hipDeviceAttributePciDomainID,\n"
     "    hipDeviceAttributeCudaCompatibleEnd = 9999,"),
]

# Programs of HeCBench that check their results and say so, with small arguments.
PROGRAMS = {
    "adam": "1000 20 5", "bincount": "10000 2", "bitonic-sort": "12 2", "burger": "66 66 5", "chi2": "100 1000 50 50 64 2",
    "colorwheel": "10 64 2", "convolution1D": "65536 2", "dct8x8": "128 128 2", "entropy": "128 128 2",
    "filter": "100000 256 2", "floydwarshall": "64 2 16", "fwt": "1", "gaussian": "-q -t -s 64", "jenkins-hash": "64 4096 2",
    "keogh": "32 20000 2", "matrix-rotate": "100 2", "murmurhash3": "1000 2", "popcount": "65536 2", "reverse": "2",
    "scan": "65536 2", "shuffle": "200 2", "sobol": "1000 10 2", "softmax": "100 64 0 2", "stencil1d": "65536 2",
    "threadfence": "2 100000",
}


def change_sources(source):
    for files, done, old, new in CHANGES:
        for file in source.glob(files):
            text = file.read_text()
            if not done or done not in text:
                file.write_text(re.sub(old, new, text))


def build(folder):
    source = folder / "source"
    if not source.exists():
        subprocess.run(["git", "clone", REPOSITORY, source], check=True)
        subprocess.run(["git", "checkout", COMMIT], cwd=source, check=True)
        subprocess.run(["git", "submodule", "update", "--init", "--depth", "1"], cwd=source, check=True)
    change_sources(source)
    subprocess.run(["cmake", "-G", "Ninja", "-S", source, "-B", folder / "build", "-DCMAKE_BUILD_TYPE=Release",
                    "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG", f"-DLLVM_CONFIG_BIN={LLVM}/bin/llvm-config",
                    "-DCHIP_BUILD_TESTS=OFF", "-DCHIP_BUILD_SAMPLES=OFF", "-DHIPCC_VERIFY=OFF"], check=True)
    subprocess.run(["ninja", "-C", folder / "build", *TARGETS], check=True)
    script = folder / "bin" / "llvm-spirv"
    script.parent.mkdir(exist_ok=True)
    script.write_text(LLVM_SPIRV)
    script.chmod(0o755)


def compile_command(folder, sources, output, *options):
    built = folder / "build"
    return ["env", f"PATH={folder / 'bin'}:{os.environ['PATH']}", LLVM / "bin" / "clang++", "-O2", "-w", "--offload=spirv64",
            "-D__HIP_PLATFORM_SPIRV__=", "-nohipwrapperinc", f"--hip-path={built}", "--target=x86_64-pc-linux-gnu",
            "-include", built / "include/hip/spirv_fixups.h", f"-I{built}/include", *options, "-x", "hip", *sources,
            "-o", output, f"-L{built}", "-lCHIP", "-no-hip-rt", "-Wl,-locml_host_math_funcs", f"-Wl,-rpath,{built}"]


def sources_of(makefile):
    return re.search(r"^source *= *((?:.*\\\n)*.*)", makefile.read_text(), re.M).group(1).replace("\\\n", " ").split()


def hecbench_program(runner, folder, hecbench, name):
    """Whether it passed; None: it is not there."""
    sources = hecbench / "src" / f"{name}-hip"
    if not sources.is_dir():
        return None
    program = runner.folder / name
    code, _ = runner.run(compile_command(folder, sources_of(sources / "Makefile"), program,
                                         f"-I{hecbench / 'src' / f'{name}-cuda'}"), folder=sources)
    if code:
        return False
    code, output = runner.run([program, *PROGRAMS[name].split()], folder=sources)
    return code == 0 and bool(re.search("PASS|success", output, re.I)) and not re.search("FAIL|mismatch", output, re.I)


def run(runner, verdict):
    """Adds to the verdict."""
    folder = os.environ.get("CHIPSTAR")
    if not folder:
        verdict.note = "CHIPSTAR names no folder; tests/clients/chipstar.py makes one"
        return verdict
    folder = pathlib.Path(folder).resolve()
    runner.environment.update(CHIP_BE="opencl", CHIP_DEVICE_TYPE="cpu")
    program = runner.folder / "chipstar"
    ours = pathlib.Path(__file__).with_suffix(".hip")
    code, output = runner.run(compile_command(folder, [ours], program))
    if not code:
        code, output = runner.run([program])
    counts = re.search(r"^(\d+) passed, (\d+) failed$", output, re.M)
    verdict.passed, verdict.failed = map(int, counts.groups()) if counts else (0, 1)
    wrong = [] if counts else [f"chipstar.hip (exit code {code})"]
    for name in PROGRAMS if os.environ.get("HECBENCH") else ():
        right = hecbench_program(runner, folder, pathlib.Path(os.environ["HECBENCH"]).resolve(), name)
        verdict.passed += right is True
        verdict.failed += right is False
        wrong += [name] if right is False else []
    verdict.note = "; ".join(wrong)
    return verdict


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    build(pathlib.Path(sys.argv[1]).resolve())
