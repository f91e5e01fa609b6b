"""One stem for a pass: file work_item_loops.cpp, class WorkItemLoopsPass, registry name and test folder work-item-loops.

src/compiler/pipelines/passes.def is the registry, src/compiler/checks/checks.def is that of the checks, and
src/back_ends/nvidia/pipeline/nvidia_passes.def that of the NVIDIA back end. The passes.h of a folder
declares its passes, but for those whose header has more. A printer of an analysis, print<name>, stands in the header of
the analysis. A pass that only prepares another one may live in the other's file.
"""

import pathlib
import re

import tree

REGISTRY = pathlib.Path("src/compiler/pipelines/passes.def")
CHECKS = pathlib.Path("src/compiler/checks/checks.def")
NVIDIA = pathlib.Path("src/back_ends/nvidia/pipeline/nvidia_passes.def")
TESTS = pathlib.Path("tests/passes")
WORKAROUNDS = [pathlib.Path("src/compiler/prepare_code/workarounds"), pathlib.Path("src/back_ends/nvidia/workarounds")]
ADAPTORS = {"OnKernel"}  # they only run other passes
ENTRY = re.compile(r'^(?:MODULE|FUNCTION|LOOP|CGSCC)_PASS\("([^"]+)",\s*(\w+)', re.M)
PASS_CLASS = re.compile(r"^(?:class|struct) (\w+)\s*(?:final\s*)?:\s*(?:public\s+)?(?:llvm::PassInfoMixin|RequiredPass|LanePass)<", re.M)


def class_name(registry_name):
    return "".join(word.capitalize() for word in registry_name.split("-")) + "Pass"


def declared_classes():
    return {name: header for header in tree.files_with(tree.CPP) if tree.under(header, "src")
            for name in PASS_CLASS.findall(tree.text(header))}


def source_of(constructor, header):
    """Stem of the file in the header's folder that defines the pass."""
    for source in tree.files_with({".cpp"}):
        if source.parent == header.parent and re.search(rf"\b{constructor}::run\w*\(", tree.text(source)):
            return source.stem
    return header.stem


def check_entry(name, constructor, declared, stems):
    printer = re.fullmatch(r"print<(.+)>", name)
    if constructor not in declared:
        return [tree.finding(REGISTRY, 0, f"{name}: nothing under src declares {constructor}")]
    header = declared[constructor]
    findings = []
    if printer:
        if not constructor.endswith("PrinterPass") or not printer.group(1).endswith(header.stem.replace("_", "-")):
            findings.append(tree.finding(header, 0, f"{constructor} prints {name}: names differ"))
    else:
        if constructor != class_name(name):
            findings.append(tree.finding(REGISTRY, 0, f"{name} is made by {constructor}; expected {class_name(name)}"))
        if source_of(constructor, header) not in stems:
            findings.append(tree.finding(header, 0, f"declares pass {name}; expected its code in {name.replace('-', '_')}.cpp"))
    folder = TESTS / (printer.group(1) if printer else name)
    if not any(tree.under(f, folder) and f.suffix == ".ll" for f in tree.files()):
        findings.append(tree.finding(REGISTRY, 0, f"{name} has no IR test in {folder}/"))
    return findings


def workaround_findings():
    """A workaround names what it waits for, and a test tells when it is no longer needed."""
    for source in tree.files_with({".cpp"}):
        if not any(tree.under(source, folder) for folder in WORKAROUNDS):
            continue
        if "// Upstream: " not in tree.text(source):
            yield tree.finding(source, 0, "a workaround for LLVM without a line `// Upstream: ...`")
        test = TESTS / source.stem.replace("_", "-") / "llvm_still_needs_it.ll"
        if test not in set(tree.files()):
            yield tree.finding(source, 0, f"expected {test}, in which stock LLVM goes wrong")


def check():
    entries = [entry for registry in (REGISTRY, CHECKS, NVIDIA) for entry in ENTRY.findall(tree.text(registry))]
    declared = declared_classes()
    stems = {name.replace("-", "_") for name, _ in entries}
    findings = [f for name, constructor in entries for f in check_entry(name, constructor, declared, stems)]
    registered = {constructor for _, constructor in entries}
    findings += [tree.finding(header, 0, f"{name} is not in {REGISTRY.name}: no pipeline text can name it")
                 for name, header in declared.items() if name not in registered | ADAPTORS and header.suffix == ".h"]
    findings += workaround_findings()
    known = {(re.sub(r"print<(.*)>", r"\1", name)) for name, _ in entries}
    for folder in sorted({f.parts[2] for f in tree.files() if tree.under(f, TESTS) and len(f.parts) > 3}):
        if folder not in known:
            findings.append(tree.finding(TESTS / folder, 0, "a test folder named after no pass"))
    return findings
