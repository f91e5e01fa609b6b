// Links object modules into one module, with llvm::Linker.
#pragma once

#include "kernel_ir/kernel_module.h"
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

// Returns one module with the symbols of all. Calls `prepare` on each module before it is linked.
// build_failure, with a line in `log`: a symbol is defined twice, or types differ.
using PrepareModule = llvm::function_ref<void(llvm::Module &, const ObjectModule &)>;
Result<std::unique_ptr<llvm::Module>> link_objects(llvm::LLVMContext &context,
                                                   const std::vector<const ObjectModule *> &modules,
                                                   PrepareModule prepare, std::string &log);

// The language whose rules apply to the linked module: the one that all modules share; otherwise
// kernel_ir, whose rules hold for every language.
SourceLanguage common_language(const std::vector<const ObjectModule *> &modules);

std::string write_bitcode(const llvm::Module &module);

} // namespace lockstep::compiler
