// The scopes of atomic operations and fences as NVPTX names them.
#pragma once

namespace llvm {
class Function;
}

namespace lockstep::compiler {

// Kernel IR has "workgroup" and narrower scopes, and no scope for all others (docs/kernel_ir.md).
// The GPU's code gets "block" and "device". System scope is not needed: no memory of this device
// may be accessed by the host while a kernel runs.
void use_gpu_scopes(llvm::Function &function);

} // namespace lockstep::compiler
