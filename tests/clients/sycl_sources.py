"""SYCL programs of others, compiled by lockstep++ as their README files say for DPC++.

    CLIENT_SOURCES=FOLDER /usr/bin/python3 tests/clients/run.py onedpl prk sycl_academy cloverleaf celerity kokkos

FOLDER has clones of these repositories, each under its own name:

    oneDPL            https://github.com/uxlfoundation/oneDPL
    Kernels           https://github.com/ParRes/Kernels
    syclacademy       https://github.com/codeplaysoftware/syclacademy
    CloverLeaf        https://github.com/UoB-HPC/CloverLeaf
    celerity-runtime  https://github.com/celerity/celerity-runtime (with its submodules; needs MPI)
    kokkos            https://github.com/kokkos/kokkos

Nothing in them is changed. SYCL_CLIENTS=FOLDER also works. The programs check their results themselves.
"""

import os
import pathlib
import re
import shutil

PREPARED = ["-O2", "-w"]  # one set of options, so that SYCL's headers are parsed once

ONEDPL = {"alg.sorting/alg.sort": ["sort"], "alg.sorting/alg.stable.sort": ["stable_sort"], "alg.merge": ["merge"],
          "alg.sorting/alg.set.operations": ["set_union"], "alg.sorting/alg.min.max": ["minmax_element"],
          "alg.sorting/alg.binary.search/lower.bound": ["lower_bound"],
          "alg.nonmodifying": ["for_each", "find_if", "count", "equal"],
          "alg.modifying.operations": ["transform_binary", "unique", "rotate"],
          "alg.modifying.operations/alg.copy": ["copy_if"], "alg.modifying.operations/alg.partitions": ["partition"],
          "alg.modifying.operations/alg.reverse": ["reverse"],
          "numeric.ops": ["reduce", "inclusive_scan", "exclusive_scan", "transform_reduce", "reduce_by_segment", "histogram"]}

# Left out: nstream-sycl, which asks for a GPU; dgemm-sycl, which uses the namespace cl::sycl without CL/sycl.hpp.
# Arguments: iterations and size. stencil-sycl reads outside of its grid if the size is not a multiple of 16, and with
# other radii (docs/upstream/prk-stencil-sycl.md).
PRK = {"nstream-sycl-explicit": "10 100000", "nstream-sycl-usm": "10 100000",
       "nstream-sycl-explicit-usm": "10 100000", "stencil-sycl": "10 256 16 star 1", "stencil-2d-sycl": "10 256",
       "stencil-sycl-usm": "10 256", "transpose-sycl": "10 256", "transpose-2d-sycl": "10 256", "transpose-sycl-usm": "10 256",
       "p2p-hyperplane-sycl": "10 256", "p2p-hyperplane-sycl-graph": "10 256",
       "pic-sycl": "10 100 1000 1 2 GEOMETRIC 0.99"}

# What needs a library, or a GPU.
ACADEMY_LEFT_OUT = {"oneMath_gemm_solution_onemath_buffer_gemm", "oneMath_gemm_solution_onemath_usm_gemm",
                    "Advanced_Data_Flow_solution", "Device_Discovery_solution", "In_Order_Queue_solution_vector_add"}


# Programs of Kokkos's tests of its core, of the SYCL back end. There are eight more with 190 sources.
KOKKOS = ["IncrementalTest_SYCL", "CoreUnitTest_SYCL_ViewSupport", "CoreUnitTest_SYCLInterOpInit",
          "CoreUnitTest_SYCLInterOpInit_Context", "CoreUnitTest_SYCLInterOpStreams", "CoreUnitTest_SYCLInterOpGraph",
          "CoreUnitTest_SYCL2C"]


class Programs:
    """Compiles and runs programs, and counts what is right."""

    def __init__(self, runner, verdict):
        self.runner, self.verdict, self.wrong = runner, verdict, []
        self.driver = runner.build / "bin" / "lockstep++"

    def program(self, name, sources, options, arguments=(), is_right=lambda code, output: code == 0):
        """Compiles and runs one program, in a folder of its own."""
        folder = self.runner.folder / name
        folder.mkdir()
        target = folder / "program"
        code, output = self.runner.run([self.driver, *PREPARED, *options, *sources, "-o", target], seconds=600)
        if code:
            error = re.search(r"error: (.{0,100})", output)
            return self.failed(name, f"does not compile: {error[1] if error else code}")
        code, output = self.runner.run([target, *arguments], seconds=600, folder=folder)
        if is_right(code, output):
            self.verdict.passed += 1
        else:
            self.failed(name, f"exit code {code}")

    def failed(self, name, why):
        self.verdict.failed += 1
        self.wrong.append(f"{name} ({why})")

    def result(self):
        self.verdict.note = "; ".join(self.wrong)
        return self.verdict


def folder_of(name):
    """The clone, or None."""
    folder = os.environ.get("CLIENT_SOURCES") or os.environ.get("SYCL_CLIENTS")
    clone = pathlib.Path(folder) / name if folder else None
    return clone if clone and clone.is_dir() else None


def client(repository, run):
    """What run.py lists: a function of its runner and an empty verdict."""
    def function(runner, verdict):
        source = folder_of(repository)
        if not source:
            verdict.note = f"CLIENT_SOURCES names no folder with {repository} (tests/clients/sycl_sources.py)"
            return verdict
        programs = Programs(runner, verdict)
        run(programs, source)
        return programs.result()
    return function


def onedpl(programs, source):
    options = ["-std=c++17", "-DONEDPL_USE_TBB_BACKEND=0", "-DTEST_DPCPP_BACKEND_PRESENT=1", f"-I{source}/include", f"-I{source}/test"]
    for folder, names in ONEDPL.items():
        place = source / "test" / "parallel_api" / ("numeric" if folder.startswith("numeric") else "algorithm") / folder
        for name in names:
            programs.program(name, [place / f"{name}.pass.cpp"], options)


def prk(programs, source):
    options = ["-std=c++17", "-DDPCPP", "-DPRKVERSION=\"2025\"", f"-I{source}/Cxx11", f"-I{source}/include"]
    for name, arguments in PRK.items():
        sources = [source / "Cxx11" / f"{name}.cc", *([source / "Cxx11" / "random_draw.c"] if name.startswith("pic") else [])]
        programs.program(name, sources, options, arguments.split(),
                         lambda code, output: code == 0 and "Solution validates" in output)


def sycl_academy(programs, source):
    """Some solutions read and write a picture, as a neighbor of their own folder. stb is a submodule, or Debian's libstb-dev."""
    shutil.copytree(source / "Code_Exercises" / "Images", programs.runner.folder / "Images")
    options = ["-std=c++17", f"-I{source}/External/stb", "-I/usr/include/stb", f"-I{source}/Utilities/include"]
    for file in sorted((source / "Code_Exercises").glob("*/solution*.cpp")):
        name = f"{file.parent.name}_{file.stem}"
        if name not in ACADEMY_LEFT_OUT:
            programs.program(name, [file], options)


def cloverleaf(programs, source):
    """Both SYCL models; its test problem compares the energies with known ones."""
    for model in ("sycl-acc", "sycl-usm"):
        build, tools = programs.runner.folder / model, programs.runner.folder / "tools"
        tools.mkdir(exist_ok=True)
        for name, tool in (("icpx", programs.driver), ("icx", "/usr/bin/clang-22")):
            if not (tools / name).exists():
                (tools / name).symlink_to(tool)
        programs.runner.environment["PATH"] = f"{tools}:{os.environ['PATH']}"
        code, output = programs.runner.run(["cmake", "-S", source, "-B", build, f"-DMODEL={model}", "-DSYCL_COMPILER=ONEAPI-ICPX",
                                            "-DENABLE_MPI=OFF", "-DCMAKE_BUILD_TYPE=Release"])
        code = code or programs.runner.run(["cmake", "--build", build], seconds=3000)[0]
        if code:
            programs.failed(model, "is not built")
            continue
        deck = source / "InputDecks" / "clover_bm_short.in"
        code, output = programs.runner.run([build / f"{model}-cloverleaf", "--file", deck], seconds=1800)
        if code == 0 and "Test problem 2 is within" in output and "Outcome: PASSED" in output:
            programs.verdict.passed += 1
        else:
            programs.failed(model, f"exit code {code}")


def celerity(programs, source):
    build = programs.runner.folder / "build"
    code, _ = programs.runner.run(["cmake", "-G", "Ninja", "-S", source, "-B", build, f"-DCMAKE_CXX_COMPILER={programs.driver}",
                                   "-DCMAKE_BUILD_TYPE=Release", "-DCELERITY_SYCL_IMPL=DPC++", "-DCELERITY_ENABLE_CUDA_BACKEND=OFF"])
    examples = ("hello_world", "syncing", "matmul", "wave_sim")
    if code or programs.runner.run(["ninja", "-C", build, "-j2", *examples], seconds=3000)[0]:
        return programs.failed("celerity", "is not built")
    programs.runner.environment["CELERITY_LOG_LEVEL"] = "err"
    launch = ["mpirun", "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1",
              *(["--allow-run-as-root"] if os.geteuid() == 0 else [])]
    reference = None
    for ranks in (1, 2, 4):
        for example in examples:
            arguments = ["-N", "128", "-T", "5", "--sample-rate", "20"] if example == "wave_sim" else []
            code, _ = programs.runner.run([*launch, "-n", ranks, build / "examples" / example / example, *arguments], seconds=300)
            written = programs.runner.folder / "wave_sim_result.bin"
            if example == "wave_sim" and code == 0:
                reference = reference or written.read_bytes()
                code = written.read_bytes() != reference  # the same bytes on any number of ranks
            if code:
                programs.failed(f"{example} on {ranks} ranks", f"exit code {code}")
            else:
                programs.verdict.passed += 1


def kokkos(programs, source):
    """Its SYCL back end on a device of no known architecture."""
    build, runner = programs.runner.folder / "build", programs.runner
    code, _ = runner.run(["cmake", "-G", "Ninja", "-S", source, "-B", build, f"-DCMAKE_CXX_COMPILER={programs.driver}",
                          "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG -w", "-DKokkos_ENABLE_SYCL=ON",
                          "-DKokkos_ENABLE_SERIAL=ON", "-DKokkos_ENABLE_UNSUPPORTED_ARCHS=ON", "-DKokkos_ENABLE_TESTS=ON",
                          "-DKokkos_ENABLE_ONEDPL=OFF"])
    targets = [f"Kokkos_{name}" for name in KOKKOS]
    if code or runner.run(["ninja", "-C", build, "-j2", *targets], seconds=6000)[0]:
        return programs.failed("kokkos", "is not built")
    for target in targets:
        code, output = runner.run([build / "core" / "unit_test" / target], seconds=1200)
        passed = re.search(r"^\[  PASSED  \] (\d+) test", output, re.M)
        programs.verdict.passed += int(passed[1]) if passed else 0
        for test in sorted(set(re.findall(r"^\[  FAILED  \] (\w+\.\w+)", output, re.M))):
            programs.failed(test, "fails")
        if not passed:
            programs.failed(target, f"exit code {code}")


CLIENTS = {
    "onedpl": ("tests of 22 algorithms", client("oneDPL", onedpl)),
    "prk": ("its programs in SYCL", client("Kernels", prk)),
    "sycl_academy": ("its solutions", client("syclacademy", sycl_academy)),
    "cloverleaf": ("both SYCL models", client("CloverLeaf", cloverleaf)),
    "celerity": ("its examples on 1, 2, 4 ranks", client("celerity-runtime", celerity)),
    "kokkos": ("tests of its core", client("kokkos", kokkos)),
}
