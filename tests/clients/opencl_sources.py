"""OpenCL applications of others, built from their sources with the system's compiler.

    CLIENT_SOURCES=FOLDER /usr/bin/python3 tests/clients/run.py ggml vkfft

FOLDER has clones of these repositories, each under its own name:

    ggml   https://github.com/ggml-org/ggml (the library of llama.cpp)
    VkFFT  https://github.com/DTolm/VkFFT (needs libfftw3-dev)

Nothing in them is changed.
"""

import re

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


CLIENTS = {"ggml": ("its back end's operations", ggml), "vkfft": ("transforms against FFTW", vkfft)}
