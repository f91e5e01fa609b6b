#include "compiler/target_model/target_model.h"

#include "compiler/target_model/aarch64/aarch64_model.h"
#include "compiler/target_model/x86/x86_model.h"
#include "platform/linux/processor_features.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"

namespace lockstep::compiler {

std::unique_ptr<TargetModel> target_model(const llvm::MCSubtargetInfo &cpu) {
  return cpu.getTargetTriple().isAArch64() ? aarch64_model(cpu, runtime::scalable_vector_bits())
                                           : x86_model(cpu);
}

std::unique_ptr<TargetModel> target_model(const llvm::TargetMachine &target) {
  return target_model(*target.getMCSubtargetInfo());
}

} // namespace lockstep::compiler
