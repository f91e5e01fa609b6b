// Attributes of kernels: [[sycl::reqd_work_group_size(8)]] and its kin (SYCL 2020, section 5.8.1).
//
// clang does not know them, and where they stand behind the parameters of a lambda expression, they belong to a type and
// are gone before any consumer sees them. GNU attributes at the same place belong to the function. So the driver's file
// system gives clang `__attribute((name(8)))` instead, of equal length, so that all columns stay as they are; the names
// are macros (as_annotations), for annotate("lockstep.…", 8), which is found in the module again.
#pragma once

#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace llvm {
class Function;
class Module;
namespace vfs {
class FileSystem;
}
} // namespace llvm

namespace lockstep::driver {

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
with_known_attributes(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files);
std::string with_known_attributes(std::string source);

// Definitions of the macros, as options of clang. For the host as well, which has no use for them: what they name is then
// used on both sides, or captured on both.
std::vector<std::string> attributes_as_annotations();

// Annotations of what kernels call become metadata of the kernels (docs/kernel_ir.md). Returned is what the library is to know
// before it reads them: lines "aspects KERNEL NUMBER..." and "sub_group KERNEL SIZE".
std::string apply_kernel_attributes(llvm::Module &module);

// Each as often as it has the annotation.
llvm::SmallVector<llvm::Function *> functions_annotated(const llvm::Module &module,
                                                        llvm::StringRef name);

// Is a function defined here that is declared SYCL_EXTERNAL, or has a property?
bool defines_external_functions(const llvm::Module &module);

} // namespace lockstep::driver
