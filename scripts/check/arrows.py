"""Includes go one way: api -> runtime -> compiler -> support, and each library is seen where it belongs.

The include closure counts, not only the line: a header of src/runtime that reaches llvm/ through a header of
src/compiler is refused as well, so LLVM stays an affair of the compiler.
"""

import pathlib

import tree

LAYERS = ["support", "compiler", "runtime", "api"]  # each may include itself and what stands before it
# The stages of the compiler, in the order of the flow: a stage may know what stands before it, never what comes after.
STAGES = ["source_to_ir", "ir_to_workgroup", "workgroup_to_code"]
# Folders of ir_to_workgroup, and which of them each may see. Files beside the folders are what all share; of these only
# the pipelines and the registry of passes see the folders.
PASS_FOLDERS = {
    "analyze": set(),
    "arguments": {"check"},
    "barriers": {"analyze"},
    "check": {"analyze"},
    "hierarchical": set(),
    "images": {"analyze", "link"},
    "inline": {"analyze", "llvm_detours"},  # it runs InstCombine
    "launch": set(),
    "linearize": {"analyze"},
    "link": set(),
    "llvm_detours": set(),
    "resumable": {"analyze"},
    "sub_groups": set(),
    "vectorize": {"analyze", "sub_groups"},
}
PIPELINES = ("pipeline", "register_passes")
LLVM_ALLOWED = ["src/compiler", "tools/lockstep++", "tools/lockstep-opt", "tests/passes", "tests/fuzz/coverage"]
# Devices are known to themselves, and to the one file that lists them.
BACK_ENDS = "src/runtime/launch"
LISTS_BACK_ENDS = pathlib.Path("src/runtime/device.cpp")
SYCL_HEADERS = "include/lockstep"  # what SYCL programs include
OPENCL_HEADER = pathlib.Path(SYCL_HEADERS, "sycl/backend/opencl.hpp")  # the specification wants OpenCL's types there
CL_REFUSED = ["src/support", "src/compiler", "src/runtime"]


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
        stage, other_stage = folder_in(file, STAGES, 2), folder_in(include, STAGES, 2)
        if stage and other_stage and not file.stem.endswith("_test") and STAGES.index(other_stage) > STAGES.index(stage):
            yield tree.finding(file, 0, f"stage {stage} must not include the later stage {other_stage} ({include})")
        if under_kernel_ir(file) and other_stage:
            yield tree.finding(file, 0, f"kernel_ir is the contract of all stages; it must not include {include}")


def pass_folder_findings(file):
    if not tree.under(file, "src/compiler/ir_to_workgroup"):
        return
    folder = file.parts[3] if len(file.parts) > 4 else None
    if folder and folder not in PASS_FOLDERS:
        yield tree.finding(file, 0, f"{folder} is a new folder of passes: scripts/check/arrows.py must say what it may see")
        return
    if not folder and file.stem.startswith(PIPELINES):
        return
    for include in tree.includes(file):
        if not isinstance(include, pathlib.Path) or not tree.under(include, "src/compiler/ir_to_workgroup"):
            continue
        other = include.parts[3] if len(include.parts) > 4 else None
        if other and other != folder and other not in PASS_FOLDERS.get(folder, set()):
            yield tree.finding(file, 0, f"{folder or 'what all passes share'} must not include {include}")


def may_include_outside(file, include):
    """The compiler carries the device library inside it; SYCL's headers are one side of its border with the programs."""
    return (tree.under(file, "src/compiler") and include.parts[0] == "device_lib"
            or tree.under(file, "src/api/sycl") and tree.under(include, SYCL_HEADERS))


def under_kernel_ir(file):
    return tree.under(file, "src/compiler/kernel_ir")


def back_end_findings(file):
    if tree.under(file, BACK_ENDS) or file == LISTS_BACK_ENDS:
        return
    for include, by in tree.include_closure(file).items():
        if isinstance(include, pathlib.Path) and tree.under(include, BACK_ENDS):
            reached = "" if by == file else f" through {by}"
            yield tree.finding(file, 0, f"a device is seen as src/runtime/device.h; this sees {include}{reached}")


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
            findings += pass_folder_findings(file)
            findings += back_end_findings(file)
        if file.parts[0] in ("src", "tools", "tests"):
            findings += library_findings(file)
    return findings
