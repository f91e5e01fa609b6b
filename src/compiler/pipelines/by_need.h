// Runs passes only on code that has what they handle.
//
//     when(has_atomics, LowerGroupAtomicsPass())
//
// Few kernels have half floats, images or `printf`. A pass that handles these would search the code
// and find nothing. The conditions are necessary ones: a pass may still leave the code as it is.
#pragma once

#include "kernel_ir/primitives.h"

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

// ---- conditions

bool has_atomics(const llvm::Function &function);   // also atomic multiplications
bool has_swaps(const llvm::Function &function);     // compare-and-swap
bool has_divisions(const llvm::Function &function); // that may trap
bool has_integer_divisions(const llvm::Function &function);
bool has_halves(const llvm::Function &function);
bool has_minima(const llvm::Function &function); // or maxima that ignore NaN
bool has_vectors_of_bytes(const llvm::Function &function);
bool has_vectors_of_pointers(const llvm::Function &function);
bool has_masks_of_64_lanes(const llvm::Function &function);
bool has_variables(const llvm::Function &function); // or pointers to those of its callers
bool has_volatile_accesses(const llvm::Function &function);
bool has_aggregates(const llvm::Function &function); // as values
bool has_vectors(const llvm::Function &function);    // or unreachable blocks
bool has_block_copies(const llvm::Function &function);
bool has_masked_accesses(const llvm::Function &function); // gathers and scatters are such
bool has_loops(const llvm::Function &function);
bool has_counted_loops(const llvm::Function &function); // with a known local size
bool has_unroll_hints(const llvm::Function &function);
// A known local size, and work-items or groups that differ in dimension 1 or 2.
bool has_rows(const llvm::Function &function);
bool has_noalias(const llvm::Function &function);
bool has_struct_arguments(const llvm::Function &function);
bool has_serial_loops(const llvm::Function &function);
bool has_permutations(const llvm::Function &function);
bool is_resumed_by_group(const llvm::Function &function);

bool has_out_of_line_functions(const llvm::Module &module);
bool has_item_scopes(const llvm::Module &module);
bool has_blocks(const llvm::Module &module); // of OpenCL C: ^{ ... }
bool has_printf(const llvm::Module &module);
bool has_approximate_calls(const llvm::Module &module); // or of native_ and half_ functions
bool has_required_lanes(const llvm::Module &module);    // whose number may not change

template <Primitive primitive> bool module_calls(const llvm::Module &module) {
  for (const llvm::Function &function : module)
    if (primitive_of(function) == primitive && !function.use_empty())
      return true;
  return false;
}
template <Primitive primitive> bool calls(const llvm::Function &function) {
  return module_calls<primitive>(*function.getParent());
}

// ---- passes

template <class Unit, class Pass> class When : public llvm::PassInfoMixin<When<Unit, Pass>> {
public:
  using Anchor = Pass; // for passes that are inserted beside it (pipeline.h)
  using Condition = bool (*)(const Unit &);

  When(Condition condition, Pass pass) : condition_(condition) { passes_.addPass(std::move(pass)); }
  llvm::PreservedAnalyses run(Unit &unit, llvm::AnalysisManager<Unit> &analyses) {
    return condition_(unit) ? passes_.run(unit, analyses) : llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }

private:
  Condition condition_;
  llvm::PassManager<Unit> passes_;
};

template <class Pass> auto when(bool (*condition)(const llvm::Function &), Pass pass) {
  return When<llvm::Function, Pass>(condition, std::move(pass));
}
template <class Pass> auto when(bool (*condition)(const llvm::Module &), Pass pass) {
  return When<llvm::Module, Pass>(condition, std::move(pass));
}

} // namespace lockstep::compiler
