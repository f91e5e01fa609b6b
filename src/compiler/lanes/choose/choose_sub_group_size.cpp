#include "compiler/lanes/choose/choose_sub_group_size.h"

#include "compiler/analysis/cost/thresholds.h"
#include "compiler/analysis/grid_stride_loops.h"
#include "compiler/analysis/index_expressions.h"
#include "compiler/analysis/row_column_products.h"
#include "compiler/lanes/choose/explicit_vectors.h"
#include "compiler/lanes/choose/narrow_rows.h"
#include "compiler/lanes/choose/pad_rows.h"
#include "compiler/lanes/choose/single_lane_work.h"
#include "compiler/lanes/choose/switch_cost.h"
#include "compiler/lanes/packetize/lane_intrinsics.h"
#include "kernel_ir/check_attributes.h"
#include "kernel_ir/form.h"
#include "kernel_ir/limits.h"
#include "kernel_ir/out_of_line_function.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/remark.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/ADT/bit.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

const llvm::Instruction *find_unsupported(const llvm::Function &function) {
  for (const llvm::Instruction &instruction : llvm::instructions(function)) {
    if (llvm::isa<llvm::InvokeInst, llvm::IndirectBrInst, llvm::CallBrInst, llvm::ResumeInst,
                  llvm::VAArgInst>(instruction))
      return &instruction;
    auto *alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (alloca && !llvm::isa<llvm::ConstantInt>(alloca->getArraySize()))
      return &instruction;
    auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (intrinsic && lane_treatment(*intrinsic) == LaneTreatment::one_lane)
      return &instruction;
  }
  return nullptr;
}

namespace {

std::string name_of(const llvm::Instruction &instruction) {
  auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return intrinsic ? llvm::Intrinsic::getBaseName(intrinsic->getIntrinsicID()).str()
                   : instruction.getOpcodeName();
}

// These intrinsics are errors with any number of lanes: the code generator would crash or emit code
// that means something else.
void refuse_what_no_kernel_can_do(const llvm::Function &function) {
  for (const llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
        intrinsic && lane_treatment(*intrinsic) == LaneTreatment::refused)
      function.getContext().diagnose(
          llvm::DiagnosticInfoGeneric(llvm::Twine("the kernel uses ") + name_of(instruction) +
                                          ", which has no meaning for a work-item",
                                      llvm::DS_Error));
}

bool uses_sub_groups(const llvm::Function &function) {
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction &instruction) {
    auto primitive = called_primitive(instruction);
    return primitive &&
           (is_sub_group_operation(*primitive) || *primitive == Primitive::lane ||
            *primitive == Primitive::active_lanes || *primitive == Primitive::sub_group_width ||
            *primitive == Primitive::sub_group_id);
  });
}

// Vector registers of a wide sub-group: as many chains as interleaved sub-groups have in loops that
// read memory.
constexpr unsigned wide_registers = limits::chains_at_once / 2;

// Lanes for sums of products of rows and columns: a block of registers that is two registers wide
// needs half of the loads of row factors. Rows of the same columns make it high.
uint32_t lanes_of_blocks(llvm::Function &function, uint32_t size, const TargetInfo &target,
                         llvm::FunctionAnalysisManager &analyses) {
  const auto local_size = specialized_local_size(function);
  const uint32_t wide = 2 * size,
                 rows = local_size[1] == 1 ? neighbor_groups(function)[1] : local_size[1];
  const bool has_registers = target.vector_registers >= 2 * 2 * limits::chains_at_once;
  if (!has_registers || wide > widest_sub_group || is_resumable(function) || local_size[0] == 0 ||
      local_size[0] % wide != 0 || rows < limits::chains_at_once)
    return size;
  const unsigned bits =
      bits_of_row_column_products(function, analyses.getResult<IndexExpressionsAnalysis>(function));
  return bits != 0 && bits * size <= target.vector_bits ? wide : size;
}

// A call that reports an access costs about the same for one lane as for all. This does not extend
// to kernels in loop form: a group's atomics anywhere on a page took 2.6 times as long with 64
// lanes as with 16.
bool reports_in_calls(const llvm::Function &function) {
  return function.hasFnAttribute(reports_accesses) && is_resumable(function) &&
         !function.hasFnAttribute(lanes_wait_for_each_other);
}

// interleave-sub-groups runs several sub-groups of a loop-form kernel at once, so they read more
// than a register before they jump far ahead. It cannot do this for coroutines; their sub-groups
// are wide instead.
bool wants_wide_sub_groups(llvm::Function &function, llvm::FunctionAnalysisManager &analyses) {
  if (!is_resumable(function) || function.hasFnAttribute(lanes_wait_for_each_other))
    return false;
  auto &expressions = analyses.getResult<IndexExpressionsAnalysis>(function);
  return llvm::any_of(expressions.loops().getLoopsInPreorder(),
                      [&](const llvm::Loop *loop) { return is_strided(*loop, expressions); });
}

} // namespace

llvm::PreservedAnalyses ChooseSubGroupSizePass::run(llvm::Function &function,
                                                    llvm::FunctionAnalysisManager &analyses) {
  refuse_what_no_kernel_can_do(function);
  for (const llvm::Function &other : *function.getParent())
    if (is_out_of_line(other))
      refuse_what_no_kernel_can_do(other);
  uint32_t size = options_.preferred_sub_group_size(required_);
  if (function.hasFnAttribute("lockstep-sub-group-size"))
    size = sub_group_size(function);
  if (!options_.lanes)
    size = 1;
  auto local_size = specialized_local_size(function);
  bool sees_its_size = uses_sub_groups(function);
  bool is_free = required_ == 0 && !function.hasFnAttribute("lockstep-sub-group-size") &&
                 options_.sub_group_size == 0;
  if (size > 1 && is_free && !sees_its_size && wants_wide_sub_groups(function, analyses)) {
    size = std::min(widest_sub_group, size * wide_registers);
    remark(function.getEntryBlock().front(),
           "wide sub-groups: a loop steps over all work-items, and sub-groups of a kernel that "
           "waits do not run several at once");
  }
  if (size > 1 && is_free && !sees_its_size && reports_in_calls(function)) {
    size = widest_sub_group;
    remark(function.getEntryBlock().front(),
           "wide sub-groups: each call of the checker reports the accesses of all lanes");
  }
  if (size > 1 && is_free && !sees_its_size)
    if (const uint32_t wide = lanes_of_blocks(function, size, options_.target, analyses);
        wide != size) {
      remark(function.getEntryBlock().front(),
             "wide sub-groups: each factor of a row is loaded once for two registers of columns");
      size = wide;
    }
  if (local_size[0] != 0 && !sees_its_size && required_ == 0) {
    uint64_t items = uint64_t{local_size[0]} * local_size[1] * local_size[2];
    size = static_cast<uint32_t>(std::min<uint64_t>(size, llvm::bit_ceil(items)));
  }
  const bool is_padded = size > 1 && is_free && !sees_its_size && !options_.is_checked() &&
                         pad_rows(function, size, analyses);
  if (is_padded) {
    analyses.invalidate(function, llvm::PreservedAnalyses::none());
    remark(function.getEntryBlock().front(),
           llvm::Twine("sub-groups of one row, the last one with idle lanes: those of several rows "
                       "of ") +
               llvm::Twine(local_size[0]) + " work-items access memory in several places");
  }
  if (size > 1 && is_free && !sees_its_size && !is_padded)
    if (const uint32_t row = width_of_rows(function, size, analyses); row != size) {
      remark(function.getEntryBlock().front(),
             llvm::Twine("sub-groups of one row: the lanes of several rows of ") +
                 llvm::Twine(row) + " work-items access memory in several places");
      size = row;
    }
  if (size > 1) {
    const bool is_limited = function.hasFnAttribute(waits_are_limited);
    if (function.hasFnAttribute(lanes_wait_for_each_other) && required_ != 0 &&
        (sees_its_size || is_limited)) {
      remark(function.getEntryBlock().front(),
             llvm::Twine("a loop waits, and the lanes of the required sub-group wait in lock step: "
                         "one that waits for another lane of its sub-group waits ") +
                 (is_limited ? "in vain until its loop has counted to the end" : "for ever"));
    } else if (function.hasFnAttribute(lanes_wait_for_each_other)) {
      remark(function.getEntryBlock().front(),
             "one lane: a loop waits, and lanes in lock step might wait for each other");
      size = 1;
    } else if (auto *unsupported = find_unsupported(function)) {
      remark(*unsupported, llvm::Twine("one lane: cannot be packed: ") + name_of(*unsupported));
      size = 1;
    } else if (is_free && !sees_its_size && lanes_lose_in_switches(function, size, analyses)) {
      remark(
          function.getEntryBlock().front(),
          "one lane: most of the work is in the cases of a switch, through which work-items take "
          "different paths");
      size = 1;
    } else if (is_free && !sees_its_size && !is_resumable(function) && // waiting is not work
               one_lane_does_most(function, size, analyses)) {
      remark(function.getEntryBlock().front(),
             "one lane: most of the work is where one work-item of a sub-group goes alone");
      size = 1;
    } else if (is_free && !sees_its_size &&
               own_vectors_win(function, size, options_.target, analyses)) {
      remark(function.getEntryBlock().front(),
             "one lane: most of the work is in vectors of the kernel's own, which lanes would take "
             "apart");
      size = 1;
    }
  }
  // A kernel that was promised its size computes wrong results with another one.
  if (required_ != 0 && size != required_ && sees_its_size)
    function.getContext().diagnose(llvm::DiagnosticInfoGeneric(
        llvm::Twine("a sub-group of ") + llvm::Twine(required_) +
            " work-items is required, but this kernel can only have " + llvm::Twine(size),
        llvm::DS_Error));
  set_sub_group_size(function, size);
  if (required_ == 0 && !sees_its_size)
    function.addFnAttr(size_is_free);
  return is_padded ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace lockstep::compiler
