// Object modules to one module, with llvm::Linker.
#pragma once

#include "compiler/kernel_module.h"
#include "support/result.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>
#include <string>
#include <vector>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace lockstep::compiler {

// One module with the symbols of all. `prepare` sees each before it is linked. build_failure with a line in `log`: a
// symbol is defined twice, types differ.
using PrepareModule = llvm::function_ref<void(llvm::Module &, const ObjectModule &)>;
Result<std::unique_ptr<llvm::Module>> link_objects(llvm::LLVMContext &context,
                                                   const std::vector<const ObjectModule *> &modules,
                                                   PrepareModule prepare, std::string &log);

// The language whose rules hold for the whole: the one of all modules, else those that every language has.
SourceLanguage common_language(const std::vector<const ObjectModule *> &modules);

std::string write_bitcode(const llvm::Module &module);

} // namespace lockstep::compiler
