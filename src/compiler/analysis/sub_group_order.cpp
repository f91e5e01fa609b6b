#include "compiler/analysis/sub_group_order.h"

#include "kernel_ir/primitives.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstIterator.h"

namespace lockstep::compiler {

namespace {

// No result of these depends on how work-items form sub-groups, or on their order.
bool has_no_order(Primitive primitive) {
  switch (primitive) {
  case Primitive::barrier:
  case Primitive::group_copy:
  case Primitive::group_copy_lines:
  case Primitive::reciprocal_sqrt:
  case Primitive::atomic_multiply:
  case Primitive::all_lanes:
  case Primitive::serial_begin:
  case Primitive::serial_end:
    return true;
  default:
    return is_of_work_item(primitive);
  }
}

} // namespace

bool observes_sub_group_order(const llvm::Function &function) {
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction &instruction) {
    const auto primitive = called_primitive(instruction);
    return primitive && !has_no_order(*primitive);
  });
}

} // namespace lockstep::compiler
