// Which variables are in registers before undefined values are tracked.
#pragma once

namespace llvm {
class AllocaInst;
class Function;
} // namespace llvm

namespace lockstep::compiler {

// In SYCL, generic addresses of variables keep them from being promoted. Accesses through a cast of
// the address use the variable itself instead.
void access_directly(llvm::AllocaInst &variable);

// Promotes pointer variables, so that the origin of pointers is known.
void promote_pointers(llvm::Function &function);

} // namespace lockstep::compiler
