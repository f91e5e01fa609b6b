// Device globals (sycl_ext_oneapi_device_global). The host object of the same name is their memory.
//
// In the device module such a variable becomes a pointer whose value the library sets before it
// compiles a kernel (section "lockstep.spec"). Its name is unique to the source. The image contains
// the address of the host object.
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/CodeGen/ModuleBuilder.h"
#include "llvm/IR/Constant.h"
#include "llvm/IR/Module.h"

#include <string>
#include <vector>

namespace lockstep::driver {

struct DeviceGlobal {
  std::string name;      // in the device module
  std::string host_name; // the name of the host object
  std::uint64_t bytes, alignment;
  bool is_defined, is_of_source; // defined in this source; static
};

bool is_device_global(const clang::VarDecl &variable);
// Whether it is a work_group_static (static_local_memory.h), which kernels may write.
bool is_group_variable(const clang::VarDecl &variable);

std::vector<DeviceGlobal> take_device_globals(llvm::Module &module, clang::CodeGenerator &generator,
                                              clang::ASTContext &syntax);

// Returns the address of the host object. Adds the object if clang omitted it because the host side
// does not use it.
llvm::Constant *host_object(llvm::Module &host, const DeviceGlobal &global);

} // namespace lockstep::driver
