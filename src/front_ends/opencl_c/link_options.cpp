#include "front_ends/opencl_c/link_options.h"

#include "front_ends/common/kernel_info_from_ir.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

namespace lockstep::compiler {

namespace {

void add_link_options(llvm::Module &module, const LinkOptions &options) {
  llvm::FastMathFlags added;
  added.setNoSignedZeros(options.no_signed_zeros);
  added.setNoNaNs(options.finite_math_only);
  added.setNoInfs(options.finite_math_only);
  if (options.unsafe_math) {
    added.setAllowReassoc();
    added.setAllowReciprocal();
    added.setAllowContract();
    added.setApproxFunc();
  }
  if (added.any())
    for (llvm::Function &function : module)
      for (llvm::Instruction &instruction : llvm::instructions(function))
        if (llvm::isa<llvm::FPMathOperator>(instruction))
          instruction.setFastMathFlags(instruction.getFastMathFlags() | added);
  if (options.denorms_are_zero)
    module.setModuleFlag(llvm::Module::Min, denorms_are_zero_flag, 1);
}

bool options_apply_to(const ObjectModule &object) {
  return !object.is_library ||
         object.build_options.find("-enable-link-options") != std::string::npos;
}

} // namespace

void apply_link_options(llvm::Module &module, const ObjectModule &object,
                        const LinkOptions &options) {
  if (options_apply_to(object))
    add_link_options(module, options);
  // Without a flag, the linker would take that of the other module.
  if (!module.getModuleFlag(denorms_are_zero_flag))
    module.addModuleFlag(llvm::Module::Min, denorms_are_zero_flag, uint32_t{0});
}

} // namespace lockstep::compiler
