// Kernel attributes and kernel properties, as annotations in the device module:
// annotate("lockstep.X", numbers). sycl_attributes.h adds those of attributes (SYCL 2020, section
// 5.8), the headers add those of properties.
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

// Reports a function that has an attribute twice with different arguments, or an attribute that is
// not on the first declaration.
void check_kernel_attributes(clang::ASTContext &syntax, clang::CodeGenerator &names,
                             const llvm::Module &module);

// Converts the annotations of kernels and of their callees to metadata of the kernels
// (docs/kernel_ir.md). Kernels without a required sub-group size get the default one, unless that
// is 0. Returns lines that the library needs before it reads the metadata: "aspects KERNEL
// NUMBER...", "work_group KERNEL SIZE SIZE SIZE" and "sub_group KERNEL SIZE".
std::string apply_kernel_attributes(llvm::Module &module, uint32_t default_sub_group);

// Returns the functions with the annotation, each once for every annotation.
llvm::SmallVector<llvm::Function *> functions_annotated(const llvm::Module &module,
                                                        llvm::StringRef name);

// Returns true if the module defines a function that is declared SYCL_EXTERNAL or has a property.
bool defines_external_functions(const llvm::Module &module);

} // namespace lockstep::driver
