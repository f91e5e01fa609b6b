"""Includes go one way, between the folders of src/ and inside compiler/ and runtime/; each library is seen where it belongs.

The include closure counts, not only the line: a header of src/runtime that reaches llvm/ through a header of
src/driver is refused as well, so the runtime stays free of LLVM.
"""

import pathlib

import tree

# Folders of src/, from the bottom: each may include itself and those before it.
LAYERS = ["support", "platform", "abi", "symbolizer", "process", "kernel_ir", "front_ends", "compiler", "back_ends", "driver",
          "runtime", "api"]
# Which other folders of src/compiler a folder there may see. A folder of passes knows analyses and what comes before it.
# The pipelines name all passes.
ANALYSES = {"analysis", "analysis/cost", "waits/analysis", "options", "target_model"}
COMPILER_FOLDERS = {
    "analysis": set(),
    "analysis/cost": set(),
    "checks": None,  # it inserts the passes of the checks beside others
    "checks/common": set(),
    "checks/expressions": {"checks/common"},
    "checks/bounds": {"checks/common", "checks/expressions"},
    "checks/undefined": {"checks/common"},
    "checks/races": {"checks/common", "checks/expressions", "checks/bounds", "checks/undefined"},
    "group_shape": set(),
    "lanes/choose": {"lanes/packetize"},  # which intrinsics have a vector variant
    "lanes/functions": {"lanes/choose", "lanes/ids", "lanes/split"},
    "lanes/ids": set(),
    "lanes/linearize": {"work_item"},
    "lanes/packetize": {"lanes/serialize", "prepare_code"},
    "lanes/serialize": set(),
    "lanes/split": set(),
    "options": set(),
    "pipelines": None,  # all
    "prepare_code": set(),
    "prepare_code/workarounds/llvm22": set(),
    "regions": {"lanes/packetize", "work_item/arguments"},
    "target_model": {"target_model/x86", "target_model/aarch64"},
    "target_model/aarch64": set(),
    "target_model/x86": set(),
    "waits/analysis": set(),
    "waits/suspension": {"work_item"},
    "work_item": set(),
    "work_item/arguments": set(),
    "work_item/hierarchical": set(),
    "work_item/images": {"work_item/link"},
    "work_item/inline": {"prepare_code/workarounds/llvm22"},  # it runs InstCombine
    "work_item/link": set(),
    "work_item/specialize": set(),
}
# Folders of src/runtime, from the bottom.
RUNTIME_FOLDERS = [
    "events", "observers", "threads", "graph", "external_commands", "memory", "device", "device_enqueue", "check/options", "check/report", "check/host",
    "check/undefined", "check/races/shadow", "check/races/clocks", "check/assumptions", "check/commands", "check/races/launch",
    "check/bounds", "check", "launch/cpu/resumable", "launch/cpu/pool", "launch/cpu/diagnostics", "launch/cpu/kernel", "launch/nvidia", "trace",
    "root_devices"]
# Includes that still go up, with the reason. Each is a circle to be cut; no other may join them.
RUNTIME_UPWARD = {
    ("graph", "device"),  # a recorded graph keeps kernels
    ("launch/cpu/resumable", "launch/cpu/pool"),  # groups suspend the worker that runs them
    ("launch/cpu/resumable", "launch/cpu/diagnostics"),  # a launch that stands still asks for the verdict
    ("launch/cpu/pool", "launch/cpu/diagnostics"),  # workers report progress and faults
    ("launch/cpu/pool", "launch/cpu/kernel"),  # workers run launches
}
# Only the checker sees itself: the runtime calls src/runtime/observers, and the compiler
# src/compiler/pipelines/instrumentation.h. So the rest of src/ builds without it (LOCKSTEP_WITHOUT_CHECKER).
CHECKER = ["src/runtime/check", "src/compiler/checks"]
# The operating system belongs to src/platform/linux. These files use its headers, too, for the reason beside them; the list
# only shrinks.
SYSTEM_HEADERS = ("sys/", "linux/", "unistd.h", "fcntl.h", "signal.h", "pthread.h", "dlfcn.h", "poll.h", "sched.h", "link.h",
                  "ucontext.h")
SYSTEM_ALLOWED = {
    "src/api/sycl/buffer.cpp": "whether the calling thread holds a mutex",
    "src/api/sycl/loader": "it loads liblockstep.so, and links no other library of ours",
    "src/back_ends/cpu/host_functions": "compiled kernels ask for the bounds of the stack",
    "src/back_ends/cpu/jit": "it finds the functions that compiled code calls",
    "src/process": "the disk cache, threads with large stacks, the toolchain's files",
    "src/support/ranks.cpp": "messages of ranks name the host",
    "src/symbolizer": "call stacks of a signal handler, names of loaded libraries",
    "src/runtime/check": "the checker protects memory, and handles the faults of accesses to it",
    "src/runtime/external_commands": "commands wait for signals of other processes, and run functions of the program on threads",
    "src/runtime/launch/cpu": "workers are bound to processors and stopped by signals; `lockstep top` reads a socket",
    "src/runtime/launch/nvidia": "it loads NVIDIA's driver when a program queries the devices",
    "src/runtime/memory": "buffers are pages; memory of other processes is a file",
    "src/runtime/threads": "threads wait for files and futexes, and for their turn on a processor",
    "src/runtime/trace": "a trace has numbers of processes and threads",
}
LLVM_ALLOWED = ["src/symbolizer", "src/process", "src/kernel_ir", "src/front_ends", "src/compiler", "src/back_ends", "src/driver",
                "tools/lockstep++", "tools/lockstep-opt", "tests/passes", "tests/fuzz/coverage", "tests/spirv"]
# Devices are known to themselves, to the folder that lists them, and to their own tests.
BACK_ENDS = "src/runtime/launch"
LISTS_BACK_ENDS = "src/runtime/root_devices"
SYCL_HEADERS = "include/lockstep"  # what SYCL programs include
OPENCL_HEADER = pathlib.Path(SYCL_HEADERS, "sycl/backend/opencl.hpp")  # the specification wants OpenCL's types there
CL_REFUSED = [f"src/{layer}" for layer in LAYERS if layer != "api"]


def folder_in(path, names, depth):
    part = path.parts[depth] if len(path.parts) > depth + 1 else None
    return part if part in names else None


def layer_findings(file):
    layer = folder_in(file, LAYERS, 1)
    for include in tree.includes(file):
        if not isinstance(include, pathlib.Path) or include.parts[0] != "src":
            if isinstance(include, pathlib.Path) and not may_include_outside(file, include):
                yield tree.finding(file, 0, f"src/ includes {include}, which is outside of src/")
            continue
        other = folder_in(include, LAYERS, 1)
        if layer and other and LAYERS.index(other) > LAYERS.index(layer):
            yield tree.finding(file, 0, f"src/{layer} must not include src/{other} ({include})")


def folder_below(path, top):
    return str(path.parent.relative_to(top)) if tree.under(path, top) else None


def is_test(file):
    return file.stem.endswith(("_test", "_benchmark")) or file.stem.startswith(("test_", "run_one", "round_robin"))


def compiler_findings(file):
    folder = folder_below(file, "src/compiler")
    if folder is None or is_test(file):
        return
    if folder not in COMPILER_FOLDERS:
        yield tree.finding(file, 0, f"{folder} is a new folder: scripts/check/arrows.py must say what it may see")
        return
    allowed = COMPILER_FOLDERS[folder]
    for include in tree.includes(file):
        other = folder_below(include, "src/compiler") if isinstance(include, pathlib.Path) else None
        if other and allowed is not None and other != folder and other not in allowed | ANALYSES:
            yield tree.finding(file, 0, f"{folder} must not include {include}")


def runtime_findings(file):
    folder = folder_below(file, "src/runtime")
    if folder is None or is_test(file):
        return
    if folder not in RUNTIME_FOLDERS:
        yield tree.finding(file, 0, f"{folder} is a new folder: scripts/check/arrows.py must say where it is")
        return
    for include in tree.includes(file):
        other = folder_below(include, "src/runtime") if isinstance(include, pathlib.Path) else None
        if other and RUNTIME_FOLDERS.index(other) > RUNTIME_FOLDERS.index(folder) and (folder, other) not in RUNTIME_UPWARD:
            yield tree.finding(file, 0, f"{folder} must not include {include}, which is above it")


def checker_findings(file):
    if is_test(file) or any(tree.under(file, folder) for folder in CHECKER):
        return
    for include in tree.includes(file):
        if isinstance(include, pathlib.Path) and any(tree.under(include, folder) for folder in CHECKER):
            yield tree.finding(file, 0, f"only the checker may include {include}: see docs/architecture.md")


def may_include_outside(file, include):
    """The compiler carries the device library inside it; SYCL's headers are one side of its border with the programs."""
    return (any(tree.under(file, f"src/{layer}") for layer in LAYERS[:-2]) and include.parts[0] == "device_lib"
            or tree.under(file, "src/api/sycl") and tree.under(include, SYCL_HEADERS))


def back_end_findings(file):
    if tree.under(file, BACK_ENDS) or tree.under(file, LISTS_BACK_ENDS):
        return
    for include, by in tree.include_closure(file).items():
        if isinstance(include, pathlib.Path) and tree.under(include, BACK_ENDS):
            reached = "" if by == file else f" through {by}"
            yield tree.finding(file, 0, f"a device is seen as src/runtime/device/device.h; this sees {include}{reached}")


def code_generator_findings(file):
    """Back ends of the compiler do not know each other."""
    own = folder_below(file, "src/back_ends")
    for include in tree.includes(file):
        other = folder_below(include, "src/back_ends") if isinstance(include, pathlib.Path) else None
        if own and other and own.split("/")[0] != other.split("/")[0]:
            yield tree.finding(file, 0, f"one back end must not include another ({include})")


def library_findings(file):
    llvm_allowed = any(tree.under(file, folder) for folder in LLVM_ALLOWED)
    cl_refused = any(tree.under(file, folder) for folder in CL_REFUSED)
    for include, by in tree.include_closure(file).items():
        if isinstance(include, pathlib.Path):
            continue
        reached = "" if by == file else f" through {by}"
        if include.startswith(("llvm/", "clang/", "llvm-c/")) and not llvm_allowed:
            yield tree.finding(file, 0, f"only {', '.join(LLVM_ALLOWED)} may see LLVM; this sees {include}{reached}")
        if include.startswith("CL/") and cl_refused and not file.stem.endswith("_test"):
            yield tree.finding(file, 0, f"only the API may see {include}{reached}")


def system_findings(file):
    if tree.under(file, "src/platform") or is_test(file) or any(str(file) == each or tree.under(file, each) for each in SYSTEM_ALLOWED):
        return
    for include in tree.includes(file):
        if isinstance(include, str) and include.startswith(SYSTEM_HEADERS):
            yield tree.finding(file, 0, f"only src/platform/linux includes {include}: see SYSTEM_ALLOWED in scripts/check/arrows.py")


def public_header_findings(file):
    """A program that includes our headers has nothing else of ours."""
    for include in tree.includes(file):
        if isinstance(include, pathlib.Path) and not tree.under(include, SYCL_HEADERS):
            yield tree.finding(file, 0, f"a header of programs must not include {include}")
        elif include == "CL/cl.h" and file == OPENCL_HEADER:
            continue
        elif not isinstance(include, pathlib.Path) and include.startswith(("llvm/", "clang/", "CL/", "fmt/")):
            yield tree.finding(file, 0, f"a header of programs must not include {include}")


def check():
    findings = []
    for file in tree.files_with(tree.CPP):
        if tree.under(file, SYCL_HEADERS):
            findings += public_header_findings(file)
        if file.parts[0] == "src":
            findings += layer_findings(file)
            findings += compiler_findings(file)
            findings += runtime_findings(file)
            findings += back_end_findings(file)
            findings += code_generator_findings(file)
            findings += checker_findings(file)
            findings += system_findings(file)
        if file.parts[0] in ("src", "tools", "tests"):
            findings += library_findings(file)
    return findings
