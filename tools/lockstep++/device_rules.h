// Reports C++ features that kernels and their callees must not use (SYCL 2020, section 5.4). clang
// compiles them for the device without a diagnostic; here they are errors at the user's line.
//
// The call graph comes from the unoptimized module, because it has the instantiated templates and
// resolved overloads and lacks the code that `if constexpr` discarded. Violations in a function
// come from its syntax tree, because that has locations. The rules do not apply inside functions of
// system headers: the standard library has throws that are not reached and recursion that can be
// removed. Only features that kernels can never have (memory, files) are errors there too, reported
// at the user's line that leads to them.
#pragma once

#include <string>

namespace clang {
class ASTContext;
class CodeGenerator;
} // namespace clang
namespace llvm {
class Module;
}

namespace lockstep::driver {

// `own_headers`: the folder of the SYCL headers, which may call functions that only the kernel
// compiler knows.
void check_device_rules(clang::ASTContext &syntax, clang::CodeGenerator &names,
                        const llvm::Module &module, const std::string &own_headers);

} // namespace lockstep::driver
