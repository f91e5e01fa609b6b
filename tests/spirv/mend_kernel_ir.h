// Rewrites kernel IR that LLVM 22's SPIR-V back end would write wrongly.
#pragma once

namespace llvm {
class Module;
}

namespace lockstep::test {

void mend_kernel_ir(llvm::Module &module);

} // namespace lockstep::test
