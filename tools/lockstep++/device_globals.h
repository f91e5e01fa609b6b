// Variables of the device (sycl_ext_oneapi_device_global): the host's object of the same name is their memory.
//
// In the device's module such a variable is a pointer. It becomes one of those whose values the library sets before it compiles a kernel
// (section "lockstep.spec"), under a name of this source alone, and the image has the host's address for it.
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/CodeGen/ModuleBuilder.h"
#include "llvm/IR/Constant.h"
#include "llvm/IR/Module.h"

#include <string>
#include <vector>

namespace lockstep::driver {

struct DeviceGlobal {
  std::string name;      // in the device's module
  std::string host_name; // of the object of the host
  std::uint64_t bytes, alignment;
  bool is_defined, is_of_source; // here; static
};

bool is_device_global(const clang::VarDecl &variable);

std::vector<DeviceGlobal> take_device_globals(llvm::Module &module, clang::CodeGenerator &generator,
                                              clang::ASTContext &syntax);

// The address of the object. One that the host's side has not needed, so that clang has left it out, is added.
llvm::Constant *host_object(llvm::Module &host, const DeviceGlobal &global);

} // namespace lockstep::driver
