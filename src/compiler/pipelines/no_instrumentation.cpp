// Replaces src/compiler/checks in a build without the checker (LOCKSTEP_WITHOUT_CHECKER).
#include "compiler/pipelines/instrumentation.h"

namespace lockstep::compiler {

void instrument(Pipeline & /*pipeline*/) {}

void register_instrumentation(llvm::PassBuilder & /*builder*/,
                              const WorkGroupOptions & /*options*/) {}

Assumptions recorded_assumptions(const llvm::Module & /*module*/) {
  return {.uses_others = true}; // no pass has analyzed its memory
}

PointerMembers recorded_pointer_members(const llvm::Module & /*module*/) {
  return {};
}

} // namespace lockstep::compiler
