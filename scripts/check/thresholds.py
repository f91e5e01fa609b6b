"""Numbers by which the compiler decides are defined in one file, src/compiler/analysis/cost/thresholds.h.

Anywhere else in src/compiler, a number with a name must be derived from those, from kernel_ir/limits.h or from the target model,
or be listed in CONTRACTS: it follows from an encoding, an interface or the hardware, and no measurement would change it. Sizes
and widths are not compared with plain numbers either.
"""

import re

import conventions
import tree

TABLE = "src/compiler/analysis/cost/thresholds.h"
MOST = 25
EXEMPT = ["src/compiler/target_model"]  # facts of the hardware
NUMBER = r"(?:std::)?(?:unsigned|int|size_t|u?int\d+_t|double|float)"
DEFINITION = re.compile(rf"\bconstexpr\s+(?:static\s+)?{NUMBER}\s+(\w+\s*[={{][^;]*);")
VARIABLE = re.compile(r"(\w+)\s*(?:=|\{)\s*([^,]*)")
DERIVED = re.compile(r"\b(?:limits::|costs::|cache_line_bytes|page_bytes|l1_bytes|narrowest_vector_bits|max_work_group_size|offsetof|sizeof)")
# Names that are not derived, by file, and why no measurement would change them.
CONTRACTS = {
    "analysis/index_expression_builder.cpp": {"most_bits": "larger divisors overflow"},
    "analysis/index_expressions.h": {"whole": "no element"},
    "analysis/lane_shapes.cpp": {"narrowest_index": "narrower indices wrap in practice"},
    "analysis/stack_size.cpp": {"spills": "reserve", "spills_and_host_calls": "reserve"},
    "checks/bounds/in_bounds_accesses.cpp": {"most_numbers": "bits of the word of assumptions"},
    "checks/common/check_sites.cpp": {"longest": "characters of a line in a report"},
    "checks/expressions/item_values.cpp": {"no_wrap": "no number of bits", "small": "larger steps wrap in practice"},
    "checks/races/exchanged_pairs.cpp": {"most_index_bits": "larger products wrap", "largest_scale": "larger products wrap"},
    "checks/races/expose_scopes.cpp": {name: "OpenCL's enumeration" for name in (
        "work_item", "work_group", "device", "sub_group", "acquire_and_release")},
    "checks/races/footprint_marks.cpp": {"word": "bytes"},
    "checks/races/record_scopes.cpp": {"both": "OpenCL's flags"},
    "checks/undefined/lower_undefined.cpp": {"bytes_of_constant": "more than a row of local memory"},
    "checks/undefined/track_undefined.cpp": {"most": "names in a report"},
    "lanes/choose/explicit_vectors.cpp": {"lane_bits": "of float"},
    "lanes/choose/single_lane_work.cpp": {"expected_of_all": "LLVM's estimate of a branch"},
    "lanes/ids/simplify_indices.cpp": {"most_terms": "a sum of two is one instruction"},
    "lanes/linearize/iteration_ends.h": {"end": "a number of a state", "none": "a number of a state"},
    "lanes/packetize/packetize_byte_stores.cpp": {"bytes_of_line": "bits of a word"},
    "lanes/packetize/packetize_calls.cpp": {"ends_by": "bits of a record"},
    "lanes/packetize/packetize_windows.cpp": {"most_lanes": "bits of a word"},
    "lanes/split/expand_copies.cpp": {"usual_word": "bytes", "largest_word": "bytes"},
    "options/code_options.cpp": {"verify_by_default": "a default of a setting"},
    "prepare_code/describe_variables.cpp": {"name_operand": "LLVM's operands"},
    "prepare_code/expand_masked_accesses.cpp": {"usual_weight": "LLVM's weights of a branch", "most_elements": "bits of a word"},
    "prepare_code/expand_masked_accesses.h": {"smallest_page": "of Linux"},
    "prepare_code/workarounds/llvm22/clamp_conversions_to_half.cpp": {"largest": "of half"},
    "prepare_code/workarounds/llvm22/hide_float_bits.cpp": {name: "registers of AVX-512" for name in (
        "quarter_register", "half_register", "whole_register", "table")},
    "prepare_code/workarounds/llvm22/isolate_byte_shuffles.cpp": {"bytes_of_register": "AVX-512"},
    "prepare_code/workarounds/llvm22/shuffle_masks_as_bytes.cpp": {"most_elements": "LLVM's fault begins above it"},
    "prepare_code/workarounds/llvm22/keep_loads_out_of_logic.cpp": {"depth_of_logic": "LLVM's limit"},
    "prepare_code/workarounds/llvm22/keep_masked_loads.cpp": {"mask_argument": "LLVM's operands", "otherwise_argument": "LLVM's operands"},
    "prepare_code/workarounds/llvm22/select_by_masks.cpp": {"lanes_of_mask_register": "AVX-512"},
    "regions/interleave_sub_groups.cpp": {"reserved_registers": "that every loop needs"},
    "waits/analysis/bounded_loops.cpp": {"narrow": "bits that a loop counts through in seconds"},
    "waits/analysis/wait_lanes.cpp": {"id_bits": "of a local id"},
    "waits/suspension/suspension_sites.cpp": {name: "operands of metadata" for name in ("pure", "never_compared", "ended_by")},
    "waits/suspension/write_sums.cpp": {name: "of a hash" for name in ("of_places", "of_values", "word")},
    "waits/suspension/write_sums.h": {"forgotten": "a number of a state", "nameless": "a number of a state"},
    "work_item/hierarchical/group_effects.cpp": {"all_fences": "OpenCL's flags"},
    "work_item/images/merge_bounds_checks.cpp": {"farthest": "no image is larger"},
    "work_item/images/specialize_images.cpp": {"format": "a number of an operand"},
    "work_item/inline/keep_out_of_line.cpp": {"nothing": "no function"},
    "work_item/inline/plain_signatures.cpp": {"registers": "LLVM's calling convention"},
}
# `values.size() > 48`: a limit without a name. Sizes of 64 bits are the width of a word.
COMPARISON = re.compile(r"\b(?:size|width|sizeWithoutDebug|getInstructionCount)\(\) *[<>]=? *(?!64\b)(\d{2,})")


def variables(source):
    """Name, initializer and position of each variable of each definition."""
    for match in DEFINITION.finditer(source):
        depth, parts, begin = 0, [], 0
        for at, letter in enumerate(match[1]):
            depth += (letter in "({[") - (letter in ")}]")
            if letter == "," and depth == 0:
                parts.append(match[1][begin:at])
                begin = at + 1
        for part in [*parts, match[1][begin:]]:
            if one := VARIABLE.match(part.strip()):
                yield one[1], one[2], match.start()


def check():
    findings, used = [], set()
    contracts = {(file, name) for file, names in CONTRACTS.items() for name in names}
    for file in tree.files_with({".cpp", ".h"}):
        if not tree.under(file, "src/compiler") or file.stem.endswith("_test") or any(tree.under(file, each) for each in EXEMPT):
            continue
        source = conventions.code_only(tree.text(file))
        found = list(variables(source))
        if str(file) == TABLE:
            if len(found) > MOST:
                findings.append(tree.finding(file, 0, f"{len(found)} thresholds; at most {MOST}: derive one from another"))
            continue
        known = {name for name, _, _ in found}
        for name, value, at in found:
            key = (str(file.relative_to("src/compiler")), name)
            if key in contracts:
                used.add(key)
            elif not DERIVED.search(value) and not known & set(re.findall(r"[a-z_]+", value)) - {name}:
                findings.append(tree.finding(file, source.count("\n", 0, at) + 1,
                                             f"`{name}` is a threshold: derive it from {TABLE}, or say in scripts/check/thresholds.py why not"))
        findings += [tree.finding(file, source.count("\n", 0, m.start()) + 1, f"`{m.group(0)}`: name the limit, and derive it from {TABLE}")
                     for m in COMPARISON.finditer(source)]
    findings += [tree.finding(f"src/compiler/{file}", 0, f"scripts/check/thresholds.py lists `{name}`, which is not there or is derived now")
                 for file, name in sorted(contracts - used)]
    return findings
