// What attributes and properties of kernels say, as annotations in the module of the device: annotate("lockstep.X", numbers).
// sycl_attributes.h makes those of attributes (SYCL 2020, section 5.8), the headers make those of properties.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace clang {
class ASTContext;
class CodeGenerator;
} // namespace clang
namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace lockstep::driver {

// Reports a function that has an attribute twice with different arguments, or not in its first declaration.
void check_kernel_attributes(clang::ASTContext &syntax, clang::CodeGenerator &names,
                             const llvm::Module &module);

// Annotations of what kernels call become metadata of the kernels (docs/kernel_ir.md). Returned is what the library is to know
// before it reads them: lines "aspects KERNEL NUMBER...", "work_group KERNEL SIZE SIZE SIZE" and "sub_group KERNEL SIZE".
// Kernels that require no size of sub-groups get the default one, unless that is 0.
std::string apply_kernel_attributes(llvm::Module &module, uint32_t default_sub_group);

// Each as often as it has the annotation.
llvm::SmallVector<llvm::Function *> functions_annotated(const llvm::Module &module,
                                                        llvm::StringRef name);

// Is a function defined here that is declared SYCL_EXTERNAL, or has a property?
bool defines_external_functions(const llvm::Module &module);

} // namespace lockstep::driver
