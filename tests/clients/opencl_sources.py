"""OpenCL applications of others, built from their sources with the system's compiler.

    CLIENT_SOURCES=FOLDER /usr/bin/python3 tests/clients/run.py ggml vkfft gpuowl opencl_sdk john

FOLDER has clones of these repositories, each under its own name:

    ggml        https://github.com/ggml-org/ggml (the library of llama.cpp)
    VkFFT       https://github.com/DTolm/VkFFT (needs libfftw3-dev)
    gpuowl      https://github.com/preda/gpuowl (needs python3-gmpy2)
    OpenCL-SDK  https://github.com/KhronosGroup/OpenCL-SDK with its submodules (needs libtclap-dev, libstb-dev), and beside it
                https://github.com/likle/cargs and https://github.com/gpakosz/whereami, which its build would download
    john        https://github.com/openwall/john (needs libssl-dev)

Nothing in them is changed.
"""

import re
import shutil

from sycl_sources import folder_of

# ggml's kernels assume the sub-groups of some GPUs without requiring them, most of them 32 work-items, those of
# MUL_MAT_ID on mxfp4 16. FLASH_ATTN_EXT is left out: it has more tests than all others.
# Expected failures, which are ggml's: SSM_SCAN assumes sub-groups of 64 work-items also on Intel's GPUs; CONV_2D takes the
# first stride of its input for one element, which it is not with cwhn=1.
GGML_LEFT_OUT = {"FLASH_ATTN_EXT"}
GGML_RUNS = [(32, lambda test: "MUL_MAT_ID(type_a=mxfp4" not in test, []), (16, lambda test: True, ["-p", "mxfp4"])]


def is_fault_of_ggml(test):
    return test.startswith("SSM_SCAN(") or (test.startswith("CONV_2D(") and test.endswith("cwhn=1)"))


def ggml(runner, verdict):
    """test-backend-ops of ggml's OpenCL back end, which compares with its CPU back end. ggml takes only GPUs of Intel and
    Qualcomm; gpu_layer.cpp gives the device a name of Intel's, and their largest work-group."""
    source = folder_of("ggml")
    layer = runner.build / "tests" / "clients" / "libgpu_layer.so"
    if not source or not layer.exists():
        verdict.note = "CLIENT_SOURCES names no folder with ggml" if not source else f"not built: {layer}"
        return verdict
    build = runner.folder / "build"
    code, _ = runner.run(["cmake", "-G", "Ninja", "-S", source, "-B", build, "-DCMAKE_BUILD_TYPE=Release", "-DGGML_OPENCL=ON",
                          "-DGGML_OPENCL_USE_ADRENO_KERNELS=OFF", "-DGGML_BUILD_TESTS=ON", "-DGGML_BUILD_EXAMPLES=OFF"])
    if code or runner.run(["ninja", "-C", build, "-j2", "test-backend-ops"], seconds=3000)[0]:
        verdict.failed, verdict.note = 1, "is not built"
        return verdict
    program = build / "bin" / "test-backend-ops"
    runner.environment.update(OPENCL_LAYERS=str(layer), LAYER_DEVICE_NAME="Lockstep (as Intel(R))", LAYER_WORK_GROUP_SIZE="1024")
    _, listed = runner.run([program, "--list-ops"])
    operations = [name for name in re.findall(r"^  (\w+)$", listed, re.M) if name not in GGML_LEFT_OUT]
    wrong, expected = [], 0
    for lanes, is_wanted, more in GGML_RUNS:
        runner.environment["LOCKSTEP_SUB_GROUP_SIZE"] = str(lanes)
        chosen = "MUL_MAT_ID" if more else ",".join(operations)
        code, output = runner.run([program, "test", "-o", chosen, *more], seconds=3000)
        plain = re.sub(r"\x1b\[[\d;]*m", "", output)
        results = re.findall(r"(\w+\([^\n]*?\)): (?:\[[^\n]*)?(OK|FAIL)$", plain, re.M)
        for test, result in results:
            if not is_wanted(test):
                continue
            if result == "FAIL" and is_fault_of_ggml(test):
                expected += 1
            elif result == "FAIL":
                verdict.failed += 1
                wrong.append(test)
            else:
                verdict.passed += 1
        if not results or "backends passed" not in plain:
            verdict.failed += 1
            wrong.append(f"sub-groups of {lanes}: exit code {code}")
    verdict.note = "; ".join(wrong[:5] + [f"{expected} expected failures"])
    return verdict


# Number of its sample, largest mean difference from FFTW, relative to the results. The samples would take hours and gigabytes:
# what counts is what each has printed in VKFFT_SECONDS of processor time. Sample 12 begins with large transforms. In sample 15,
# some results are near 0, so that differences relative to them say nothing.
VKFFT_SECONDS = 60
VKFFT = {14: 1e-5, 17: 1e-13, 18: 1e-14}


def vkfft(runner, verdict):
    source = folder_of("VkFFT")
    if not source:
        verdict.note = "CLIENT_SOURCES names no folder with VkFFT"
        return verdict
    build = runner.folder / "build"
    code, _ = runner.run(["cmake", "-G", "Ninja", "-S", source, "-B", build, "-DVKFFT_BACKEND=3", "-DCMAKE_BUILD_TYPE=Debug",
                          "-DCMAKE_CXX_FLAGS_DEBUG=-O0 -w", "-Dbuild_VkFFT_FFTW_precision=ON"])
    if code or runner.run(["ninja", "-C", build, "-j2"], seconds=6000)[0]:
        verdict.failed, verdict.note = 1, "is not built"
        return verdict
    wrong = []
    for sample, most in VKFFT.items():
        _, output = runner.run([build / "VkFFT_TestSuite", "-d", 0, "-vkfft", sample], seconds=VKFFT_SECONDS)
        errors = [float(number) for number in re.findall(r"VkFFT.*avg_eps: (\S+) max_eps", output)]
        right = sum(error <= most for error in errors)
        verdict.passed += right
        verdict.failed += len(errors) - right or (not errors)
        wrong += [] if errors and right == len(errors) else [f"sample {sample} ({max(errors, default=0):.2g})"]
    verdict.note = "; ".join(wrong)
    return verdict


# Shapes of transforms with their variants; all variants 0 are for AMD's GPUs. 5M bits: short and long carries.
GPUOWL = [(1257787, "256:2:256"), (4999999, "256:2:256"), (4999999, "256:2:256:101"), (4999999, "256:3:256"),
          (4999999, "256:5:256"), (4999999, "512:4:256")]
GPUOWL_SQUARINGS = 400


def residue(exponent, squarings):
    """The low 64 bits of 3^(2^squarings) modulo 2^exponent - 1."""
    import gmpy2
    modulus, value = gmpy2.mpz(2) ** exponent - 1, gmpy2.mpz(3)
    for _ in range(squarings):
        value = value * value
        while value > modulus:
            value = (value & modulus) + (value >> exponent)
    return int(value % modulus) % 2 ** 64


def gpuowl(runner, verdict):
    """The first squarings of PRPLL's test of Mersenne numbers, against GMP. It checks them itself, too. A run may end early by
    two faults of its own (docs/upstream/gpuowl.md), so it has three attempts."""
    source = folder_of("gpuowl")
    if not source:
        verdict.note = "CLIENT_SOURCES names no folder with gpuowl"
        return verdict
    copy = runner.folder / "gpuowl"  # it builds inside of its sources
    shutil.copytree(source, copy, symlinks=True)
    if runner.run(["make", "-j2"], seconds=3000, folder=copy)[0]:
        verdict.failed, verdict.note = 1, "is not built"
        return verdict
    wrong, attempts = [], 0
    wanted = {exponent: residue(exponent, GPUOWL_SQUARINGS) for exponent in {exponent for exponent, _ in GPUOWL}}
    for i, (exponent, shape) in enumerate(GPUOWL):
        for attempt in range(3):
            attempts += 1
            folder = runner.folder / f"work{i}-{attempt}"
            folder.mkdir()
            _, output = runner.run([copy / "build-release" / "prpll", "-prp", exponent, "-fft", shape, "-block", 200,
                                    "-iters", GPUOWL_SQUARINGS], folder=folder)
            said = re.search(rf" OK +{GPUOWL_SQUARINGS} ([0-9a-f]{{16}}) ", output)
            if said:
                break
        right = bool(said) and int(said[1], 16) == wanted[exponent]
        verdict.passed += right
        verdict.failed += not right
        wrong += [] if right else [f"{exponent} by {shape}"]
    verdict.note = "; ".join(wrong + ([f"{attempts} attempts"] if attempts > len(GPUOWL) else []))
    return verdict


def opencl_sdk(runner, verdict):
    """Khronos' samples, by their own tests; those of reduce with both of its operations. Samples with OpenGL or Vulkan are
    left out."""
    source, cargs, whereami = (folder_of(name) for name in ("OpenCL-SDK", "cargs", "whereami"))
    if not source or not cargs or not whereami:
        verdict.note = "CLIENT_SOURCES names no folder with OpenCL-SDK, cargs and whereami"
        return verdict
    build = runner.folder / "build"
    code, _ = runner.run(["cmake", "-G", "Ninja", "-S", source, "-B", build, "-DCMAKE_BUILD_TYPE=Release",
                          f"-DFETCHCONTENT_SOURCE_DIR_CARGS-EXTERNAL={cargs}", "-DFETCHCONTENT_FULLY_DISCONNECTED=ON",
                          f"-DFETCHCONTENT_SOURCE_DIR_WHEREAMI-EXTERNAL={whereami}", "-DOPENCL_SDK_BUILD_CLINFO=OFF",
                          "-DTCLAP_INCLUDE_PATH=/usr/include", "-DStb_INCLUDE_PATH=/usr/include/stb"])
    if code or runner.run(["ninja", "-C", build, "-j2"], seconds=3000)[0]:
        verdict.failed, verdict.note = 1, "is not built"
        return verdict
    programs = build / "bin"
    _, listed = runner.run(["ctest", "--test-dir", build, "-N"])
    names = re.findall(r"Test +#\d+: (\w+)", listed)
    commands = [[name] for name in names] + [[name, "-o", "sum"] for name in names if name.startswith("reduce")]
    wrong = []
    for name, *options in commands:
        code, output = runner.run([programs / name, *options], folder=programs)
        right = code == 0 and "error" not in output.lower() and "failed" not in output.lower()
        verdict.passed += right
        verdict.failed += not right
        wrong += [] if right else [" ".join([name, *options])]
    if len(names) < 17:
        verdict.failed += 1
        wrong.append(f"{len(names)} samples")
    verdict.note = "; ".join(wrong)
    return verdict


# Formats of different kernels. Left out: argon2 and pgpdisk, which are wrong by faults of john's (docs/upstream/john.md), and
# descrypt, which did not end within 400 s.
JOHN = ["bcrypt", "md5crypt", "sha512crypt", "krb5tgs", "LM", "lotus5", "mscash2", "NT", "ntlmv2", "office", "PBKDF2-HMAC-SHA256",
        "PBKDF2-HMAC-SHA512", "phpass", "RAKP", "rar", "raw-MD4", "raw-MD5", "raw-SHA1", "raw-SHA256", "raw-SHA512",
        "salted-SHA1", "7z", "ssh", "wpapsk", "ZIP"]


def john(runner, verdict):
    """The self-tests of John the Ripper's formats, against hashes that are in its sources."""
    source = folder_of("john")
    if not source:
        verdict.note = "CLIENT_SOURCES names no folder with john"
        return verdict
    copy = runner.folder / "john"  # it builds inside of its sources
    shutil.copytree(source, copy, symlinks=True)
    is_built = (copy / "run" / "john").exists() or not (
        runner.run(["./configure", "--disable-openmp"], folder=copy / "src")[0] or
        runner.run(["make", "-sj2"], seconds=6000, folder=copy / "src")[0])
    if not is_built:
        verdict.failed, verdict.note = 1, "is not built"
        return verdict
    wrong = []
    for name in JOHN:
        code, output = runner.run(["./john", "--test=0", f"--format={name}-opencl"], folder=copy / "run")
        right = code == 0 and f"Testing: {name}-opencl" in output and "PASS\n" in output and "FAILED" not in output
        verdict.passed += right
        verdict.failed += not right
        wrong += [] if right else [name]
    verdict.note = "; ".join(wrong)
    return verdict


CLIENTS = {"gpuowl": ("squarings against GMP", gpuowl), "opencl_sdk": ("Khronos' samples", opencl_sdk),
           "john": ("self-tests of 25 formats", john), "ggml": ("its back end's operations", ggml), "vkfft": ("transforms against FFTW", vkfft)}
