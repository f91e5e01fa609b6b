#include "compiler/workgroup_to_code/cpu/emit_code.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

namespace lockstep::compiler {

static Result<std::string> emit(llvm::Module &module, llvm::TargetMachine &target,
                                llvm::CodeGenFileType type) {
  llvm::SmallString<0> output;
  llvm::raw_svector_ostream stream(output);
  llvm::legacy::PassManager passes;
  if (target.addPassesToEmitFile(passes, stream, nullptr, type, /*DisableVerify=*/true))
    return Error{ErrorKind::internal, "LLVM cannot emit this kind of file for the host"};
  passes.run(module);
  return output.str().str();
}

Result<std::string> emit_object(llvm::Module &module, llvm::TargetMachine &target) {
  return emit(module, target, llvm::CodeGenFileType::ObjectFile);
}

Result<std::string> emit_assembly(llvm::Module &module, llvm::TargetMachine &target) {
  return emit(module, target, llvm::CodeGenFileType::AssemblyFile);
}

} // namespace lockstep::compiler
