"""OpenCL applications of others that Debian does not have. The user builds them; a row runs what was built.

    CLIENT_SOURCES=FOLDER /usr/bin/python3 tests/clients/run.py ggml vkfft gpuowl opencl_sdk john

FOLDER has clones of these repositories, each under its own name, and each built as its README says:

    ggml        https://github.com/ggml-org/ggml, with its OpenCL back end without the kernels for Adreno, and its tests
    VkFFT       https://github.com/DTolm/VkFFT, for OpenCL, with comparisons with FFTW
    gpuowl      https://github.com/preda/gpuowl (the row needs python3-gmpy2)
    OpenCL-SDK  https://github.com/KhronosGroup/OpenCL-SDK, with its samples
    john        https://github.com/openwall/john, without OpenMP

PROGRAMS below says where a row expects its program.
"""

import re
import shutil

from sycl_sources import folder_of

PROGRAMS = {"ggml": "build/bin/test-backend-ops", "VkFFT": "build/VkFFT_TestSuite", "gpuowl": "build-release/prpll",
            "OpenCL-SDK": "build/bin/saxpy", "john": "run/john"}


def program_of(name, verdict):
    """The program that the user built. Without it: None, and the verdict says what is missing."""
    source = folder_of(name)
    program = source.resolve() / PROGRAMS[name] if source else None
    if program and program.is_file():
        return program
    verdict.note = f"not built: {program}" if source else f"CLIENT_SOURCES names no folder with {name}"
    return None


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
    program = program_of("ggml", verdict)
    layer = runner.build / "tests" / "clients" / "libgpu_layer.so"
    if not program or not layer.exists():
        verdict.note = verdict.note or f"not built: {layer}"
        return verdict
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
    program = program_of("VkFFT", verdict)
    if not program:
        return verdict
    wrong = []
    for sample, most in VKFFT.items():
        _, output = runner.run([program, "-d", 0, "-vkfft", sample], seconds=VKFFT_SECONDS)
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
    program = program_of("gpuowl", verdict)
    if not program:
        return verdict
    wrong, attempts = [], 0
    wanted = {exponent: residue(exponent, GPUOWL_SQUARINGS) for exponent in {exponent for exponent, _ in GPUOWL}}
    for i, (exponent, shape) in enumerate(GPUOWL):
        for attempt in range(3):
            attempts += 1
            folder = runner.folder / f"work{i}-{attempt}"
            folder.mkdir()
            _, output = runner.run([program, "-prp", exponent, "-fft", shape, "-block", 200, "-iters", GPUOWL_SQUARINGS],
                                   folder=folder)
            said = re.search(rf" OK +{GPUOWL_SQUARINGS} ([0-9a-f]{{16}}) ", output)
            if said:
                break
        right = bool(said) and int(said[1], 16) == wanted[exponent]
        verdict.passed += right
        verdict.failed += not right
        wrong += [] if right else [f"{exponent} by {shape}"]
    verdict.note = "; ".join(wrong + ([f"{attempts} attempts"] if attempts > len(GPUOWL) else []))
    return verdict


SAMPLES = ["binaries", "binariescpp", "blur", "blurcpp", "callback", "callbackcpp", "copybuffer", "copybufferkernel", "enumopencl",
           "enumopenclcpp", "histogramcpp", "multidevice", "multidevicecpp", "reduce", "reducecpp", "saxpy", "saxpycpp"]


def opencl_sdk(runner, verdict):
    """Khronos' samples, which check their results; those of reduce with both of its operations. Samples with OpenGL or Vulkan
    are left out."""
    program = program_of("OpenCL-SDK", verdict)
    if not program:
        return verdict
    copy = runner.folder / "bin"  # some write beside themselves
    shutil.copytree(program.parent, copy, symlinks=True)
    names = [name for name in SAMPLES if (copy / name).exists()]
    commands = [[name] for name in names] + [[name, "-o", "sum"] for name in names if name.startswith("reduce")]
    wrong = [f"not built: {name}" for name in SAMPLES if name not in names]
    verdict.failed += len(wrong)
    for name, *options in commands:
        code, output = runner.run([copy / name, *options], folder=copy)
        right = code == 0 and "error" not in output.lower() and "failed" not in output.lower()
        verdict.passed += right
        verdict.failed += not right
        wrong += [] if right else [" ".join([name, *options])]
    verdict.note = "; ".join(wrong)
    return verdict


# Formats of different kernels. Left out: argon2 and pgpdisk, which are wrong by faults of john's (docs/upstream/john.md), and
# descrypt, which did not end within 400 s.
JOHN = ["bcrypt", "md5crypt", "sha512crypt", "krb5tgs", "LM", "lotus5", "mscash2", "NT", "ntlmv2", "office", "PBKDF2-HMAC-SHA256",
        "PBKDF2-HMAC-SHA512", "phpass", "RAKP", "rar", "raw-MD4", "raw-MD5", "raw-SHA1", "raw-SHA256", "raw-SHA512",
        "salted-SHA1", "7z", "ssh", "wpapsk", "ZIP"]


def john(runner, verdict):
    """The self-tests of John the Ripper's formats, against hashes that are in its sources."""
    program = program_of("john", verdict)
    if not program:
        return verdict
    copy = runner.folder / "run"  # it writes beside itself
    shutil.copytree(program.parent, copy, symlinks=True)
    wrong = []
    for name in JOHN:
        code, output = runner.run(["./john", "--test=0", f"--format={name}-opencl"], folder=copy)
        right = code == 0 and f"Testing: {name}-opencl" in output and "PASS\n" in output and "FAILED" not in output
        verdict.passed += right
        verdict.failed += not right
        wrong += [] if right else [name]
    verdict.note = "; ".join(wrong)
    return verdict


CLIENTS = {"gpuowl": ("squarings against GMP", gpuowl), "opencl_sdk": ("Khronos' samples", opencl_sdk),
           "john": ("self-tests of 25 formats", john), "ggml": ("its back end's operations", ggml),
           "vkfft": ("transforms against FFTW", vkfft)}
