#include "tools/lockstep++/device_pass.h"

#include "tools/lockstep++/front_end_job.h"

#include "clang/CodeGen/CodeGenAction.h"
#include "clang/Driver/Compilation.h"
#include "clang/Driver/Driver.h"
#include "clang/Frontend/CompilerInstance.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace lockstep::driver {

std::optional<std::string> compile_for_device(const Installation &installation,
                                              const Arguments &user, const std::string &source) {
  DriverRun run(installation, device_arguments(installation, user, source));
  const clang::driver::Command *command = run.first_front_end_job();
  if (!command)
    return std::nullopt; // clang's driver has said why
  auto compiler = make_compiler(command->getArguments());
  if (!compiler)
    return std::nullopt;
  llvm::LLVMContext context;
  clang::EmitLLVMOnlyAction action(&context);
  if (!compiler->ExecuteAction(action))
    return std::nullopt;
  std::unique_ptr<llvm::Module> module = action.takeModule();
  if (!module)
    return std::nullopt;
  std::string bitcode;
  llvm::raw_string_ostream stream(bitcode);
  llvm::WriteBitcodeToFile(*module, stream);
  return bitcode;
}

} // namespace lockstep::driver
